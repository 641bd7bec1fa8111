d(U + V, X, DU + DV) :- !, d(U, X, DU), d(V, X, DV).
d(U - V, X, DU - DV) :- !, d(U, X, DU), d(V, X, DV).
d(U * V, X, DU * V + U * DV) :- !, d(U, X, DU), d(V, X, DV).
d(U / V, X, (DU * V - U * DV) / (^(V, 2))) :- !, d(U, X, DU), d(V, X, DV).
d(^(U, N), X, DU * N * (^(U, N1))) :- !, integer(N), N1 is N - 1, d(U, X, DU).
d(-U, X, -DU) :- !, d(U, X, DU).
d(exp(U), X, exp(U) * DU) :- !, d(U, X, DU).
d(log(U), X, DU / U) :- !, d(U, X, DU).
d(X, X, 1) :- !.
d(_, _, 0).
simplify(X, X) :- atomic(X), !.
simplify(E, S) :- E =.. [Op, A, B], simplify(A, A1), simplify(B, B1), rule(Op, A1, B1, S), !.
simplify(E, E).
rule(+, 0, X, X).
rule(+, X, 0, X).
rule(*, 0, _, 0).
rule(*, _, 0, 0).
rule(*, 1, X, X).
rule(*, X, 1, X).
rule(Op, A, B, N) :- number(A), number(B), E =.. [Op, A, B], N is E.
rule(Op, A, B, E) :- E =.. [Op, A, B].
%?- d(((((((((x * x) * x) * x) * x) * x) * x) * x) * x) * x, x, D).
%?- d(((x / x) / x) / x, x, D).
%?- d(log(log(log(x))), x, D).
%?- d((x + 1) * ((^(x, 2)) + 2) * (^(x, 3)), x, D).
%?- d(3 * x + x * x, x, D), simplify(D, S).
%?- d(-x, x, D), print(D), nl.
