houses([house(_,_,_,_,_), house(_,_,_,_,_), house(_,_,_,_,_), house(_,_,_,_,_), house(_,_,_,_,_)]).
right_of(A, B, [B,A|_]).
right_of(A, B, [_|Y]) :- right_of(A, B, Y).
next_to(A, B, [A,B|_]).
next_to(A, B, [B,A|_]).
next_to(A, B, [_|Y]) :- next_to(A, B, Y).
zebra(Owner) :-
  houses(Hs),
  member(house(red, english, _, _, _), Hs),
  member(house(green, _, _, coffee, _), Hs),
  member(house(_, spanish, dog, _, _), Hs),
  member(house(_, ukrainian, _, tea, _), Hs),
  right_of(house(green,_,_,_,_), house(ivory,_,_,_,_), Hs),
  member(house(_, _, snails, _, winstons), Hs),
  member(house(yellow, _, _, _, kools), Hs),
  Hs = [_, _, house(_, _, _, milk, _), _, _],
  Hs = [house(_, norwegian, _, _, _)|_],
  next_to(house(_,_,_,_,chesterfields), house(_,_,fox,_,_), Hs),
  next_to(house(_,_,_,_,kools), house(_,_,horse,_,_), Hs),
  member(house(_, _, _, oj, luckies), Hs),
  member(house(_, japanese, _, _, parliaments), Hs),
  next_to(house(_,norwegian,_,_,_), house(blue,_,_,_,_), Hs),
  member(house(_, Owner, zebra, _, _), Hs).
