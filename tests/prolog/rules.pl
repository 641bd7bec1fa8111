% Single-sided unification.
size(empty, N) => N = 0.
size(node(L, R), N), compound(L) => size(L, A), size(R, B), N is A + B + 1.
size(node(_, R), N) => size(R, B), N is B + 1.
