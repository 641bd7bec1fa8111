rotate_prune(Tree, Res) :- rotate(Tree, Turned), prune(Turned, Res).
rotate(leaf(N), leaf(N)).
rotate(tree(L, N, R), tree(RL, N, RR)) :- rotate(L, RL), rotate(R, RR).
rotate(tree(L, N, R), tree(RR, N, RL)) :- rotate(L, RL), rotate(R, RR).
prune(leaf(X), leaf(X)).
prune(tree(_, 0, _), leaf(0)).
prune(tree(L, s(X), R), tree(PL, s(X), PR)) :- prune(L, PL), prune(R, PR).
