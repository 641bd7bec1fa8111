% Numbers are 0 and s(N).
ackermann(0, N, s(N)).
ackermann(s(M), 0, V) :- ackermann(M, s(0), V).
ackermann(s(M), s(N), V) :- ackermann(s(M), N, W), ackermann(M, W, V).
