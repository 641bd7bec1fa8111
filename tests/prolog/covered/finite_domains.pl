:- use_module(library(clpfd)).
factorial(0, 1).
factorial(N, F) :- N #> 0, N1 #= N - 1, F #= N * F1, factorial(N1, F1).
len([], 0).
len([_|T], N) :- N #> 0, N #= N0 + 1, len(T, N0).
max3(A, B, C, M) :- M #= max(A, max(B, C)).
tri(A, B, C) :- A #> 0, B #> 0, C #> 0, A + B #> C, A + C #> B, B + C #> A.
sign(X, pos) :- X #> 0.
sign(0, zero).
sign(X, neg) :- X #< 0.
pyth(N, A-B-C) :- [A,B,C] ins 1..N, A #< B, A*A + B*B #= C*C, label([A,B,C]).
