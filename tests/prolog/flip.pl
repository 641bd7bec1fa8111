flipflip(X, Y) :- flip(X, Z), flip(Z, Y).
flip(leaf(X), leaf(X)).
flip(tree(L, I, R), tree(FR, I, FL)) :- flip(L, FL), flip(R, FR).
