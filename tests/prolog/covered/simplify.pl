simp(X+0, Y) :- !, simp(X, Y).
simp(0+X, Y) :- !, simp(X, Y).
simp(X*1, Y) :- !, simp(X, Y).
simp(_*0, 0) :- !.
simp(X+Y, Z) :- !, simp(X, A), simp(Y, B), add(A, B, Z).
simp(X*Y, A*B) :- !, simp(X, A), simp(Y, B).
simp(X, X) :- atomic(X).
add(A, B, C) :- number(A), number(B), !, C is A+B.
add(A, B, A+B).
