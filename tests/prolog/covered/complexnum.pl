real((X, _), X).
imaginary((_, Y), Y).
conjugate((X, Y), (X, Y1)) :- Y1 is -Y.
abs((X, Y), A) :- A is sqrt(X**2 + Y**2).
add((X1, Y1), (X2, Y2), (X, Y)) :- X is X1 + X2, Y is Y1 + Y2.
sub((X1, Y1), (X2, Y2), (X, Y)) :- X is X1 - X2, Y is Y1 - Y2.
mul((A, B), (C, D), (X, Y)) :- X is A*C - B*D, Y is B*C + A*D.
div((A, B), (C, D), (X, Y)) :- N is C*C + D*D, X is (A*C + B*D) / N, Y is (B*C - A*D) / N.
