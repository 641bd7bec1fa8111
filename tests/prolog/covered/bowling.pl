score(Rolls, Score) :- frames(Rolls, 10, Score).
frames([], 0, 0) :- !.
frames(_, 0, 0) :- !.
frames([10,A,B|T], N, S) :- !, N1 is N - 1, frames([A,B|T], N1, S0), S is S0 + 10 + A + B.
frames([A,B,C|T], N, S) :- A + B =:= 10, !, N1 is N - 1, frames([C|T], N1, S0), S is S0 + 10 + C.
frames([A,B|T], N, S) :- A + B < 10, N1 is N - 1, frames(T, N1, S0), S is S0 + A + B.
