fib(0, s(0)).
fib(s(0), s(0)).
fib(s(s(N)), F) :- fib(s(N), A), fib(N, B), add(A, B, F).
add(0, Y, Y).
add(s(X), Y, s(Z)) :- add(X, Y, Z).
