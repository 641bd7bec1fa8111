% Binary trees of a given depth, with a choice of leaves.
generate(Depth, Tree, Leaves) :- grow(Depth, Tree), count(Tree, Leaves).
grow(0, leaf).
grow(s(N), node(L, R)) :- grow(N, L), grow(N, R).
grow(s(N), stem(T)) :- grow(N, T).
count(leaf, s(0)).
count(stem(T), N) :- count(T, N).
count(node(L, R), N) :- count(L, A), count(R, B), add(A, B, N).
add(0, Y, Y).
add(s(X), Y, s(Z)) :- add(X, Y, Z).
