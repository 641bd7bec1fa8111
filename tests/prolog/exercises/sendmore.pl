% SEND + MORE = MONEY and its like, by column with a carry; and unification of large terms.
digits([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).
column(A, B, C0, S, C, D0, D) :- take(A, D0, D1), take(B, D1, D2), take(S, D2, D), T is A + B + C0, S is T mod 10, C is T // 10.
take(X, Ds, Ds) :- integer(X), !.
take(X, Ds, Rest) :- select(X, Ds, Rest).
puzzle([S, E, N, D, M, O, R, Y]) :-
    digits(D0), M = 1, take(M, D0, _), exclude(==(1), D0, D1),
    column(D, E, 0, Y, C1, D1, D2), column(N, R, C1, E, C2, D2, D3), column(E, O, C2, N, C3, D3, D4), column(S, M, C3, O, 1, D4, _), S > 0.
full(0, z) :- !.
full(N, f(A, A)) :- M is N - 1, full(M, A).
open(0, _) :- !.
open(N, f(A, B)) :- M is N - 1, open(M, A), open(M, B).
tree_size(T, 1) :- atomic(T), !.
tree_size(f(A, B), N) :- tree_size(A, X), tree_size(B, Y), N is X + Y.
unify_trees(N, Size) :- full(N, T), open(N, U), T = U, tree_size(U, Size).
%?- puzzle(P).
%?- unify_trees(10, S).
%?- full(3, T), open(3, U), T = U.
%?- open(2, U), unify_with_occurs_check(U, f(V, W)).
%?- X = f(Y, Y), Y = g(Z), unify_with_occurs_check(Z, X).
