winner(B, P) :- member(P, [x,o]), line(L), maplist([I]>>nth1(I, B, P), L), !.
line([1,2,3]). line([4,5,6]). line([7,8,9]).
line([1,4,7]). line([2,5,8]). line([3,6,9]).
line([1,5,9]). line([3,5,7]).
status(B, win(P)) :- winner(B, P), !.
status(B, ongoing) :- memberchk(e, B), !.
status(_, draw).
