keep(_, [], []).
keep(P, [X|Xs], [X|Ys]) :- call(P, X), !, keep(P, Xs, Ys).
keep(P, [_|Xs], Ys) :- keep(P, Xs, Ys).
discard(_, [], []).
discard(P, [X|Xs], Ys) :- call(P, X), !, discard(P, Xs, Ys).
discard(P, [X|Xs], [X|Ys]) :- discard(P, Xs, Ys).
even(X) :- 0 is X mod 2.
evens(L, E) :- keep(even, L, E).
odds(L, O) :- discard(even, L, O).
