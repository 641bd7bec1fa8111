edge(a, b). edge(b, c). edge(c, d). edge(a, d).
path(X, Y, P) :- path(X, Y, [X], R), reverse(R, P).
path(X, X, V, V).
path(X, Y, V, P) :- edge(X, Z), \+ memberchk(Z, V), path(Z, Y, [Z|V], P).
shortest(X, Y, P, N) :- findall(L-Q, ( path(X, Y, Q), length(Q, L) ), Ls), keysort(Ls, [N-P|_]).
reach(X, L) :- setof(Y, P^path(X, Y, P), L).
cnt(X, N) :- aggregate_all(count, edge(X, _), N).
degree(X, deg(I, O)) :- findall(Y, edge(X, Y), Os), findall(Y, edge(Y, X), Is), length(Os, O), length(Is, I).
