% A red cut, a green cut, and negation.
max(X, Y, X) :- X >= Y, !.
max(_, Y, Y).
sign(X, -1) :- X < 0, !.
sign(X, 0) :- X =:= 0, !.
sign(X, 1) :- X > 0.
first_even([X|_], X) :- 0 is X mod 2, !.
first_even([_|T], X) :- first_even(T, X).
difference([], _, []).
difference([X|Xs], Ys, [X|Zs]) :- \+ member(X, Ys), !, difference(Xs, Ys, Zs).
difference([_|Xs], Ys, Zs) :- difference(Xs, Ys, Zs).
count_even(Xs, N) :- findall(X, ( member(X, Xs), 0 is X mod 2 ), Es), length(Es, N).
