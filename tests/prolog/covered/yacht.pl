score(Dice, yacht, 50) :- Dice = [X,X,X,X,X], !.
score(_, yacht, 0) :- !.
score(Dice, ones, S) :- !, upper(1, Dice, S).
score(Dice, twos, S) :- !, upper(2, Dice, S).
score(Dice, threes, S) :- !, upper(3, Dice, S).
score(Dice, fours, S) :- !, upper(4, Dice, S).
score(Dice, fives, S) :- !, upper(5, Dice, S).
score(Dice, sixes, S) :- !, upper(6, Dice, S).
score(Dice, full_house, S) :- msort(Dice, D), ( D = [X,X,X,Y,Y], X \= Y ; D = [X,X,Y,Y,Y], X \= Y ), !, sum_list(Dice, S).
score(_, full_house, 0) :- !.
score(Dice, four_of_a_kind, S) :- msort(Dice, [A,B,_,D,E]), ( A == D -> S is A*4 ; B == E -> S is B*4 ; S = 0 ), !.
score(Dice, little_straight, S) :- !, ( msort(Dice, [1,2,3,4,5]) -> S = 30 ; S = 0 ).
score(Dice, big_straight, S) :- !, ( msort(Dice, [2,3,4,5,6]) -> S = 30 ; S = 0 ).
score(Dice, choice, S) :- sum_list(Dice, S).
upper(N, Dice, S) :- include(==(N), Dice, L), length(L, K), S is N*K.
