% All binary trees with N inner nodes.
tree(0, leaf).
tree(N, node(L, R)) :-
    N > 0,
    M is N - 1,
    between(0, M, K),
    J is M - K,
    tree(K, L),
    tree(J, R).
