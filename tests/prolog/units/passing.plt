:- begin_tests(ok).
test(a) :- true.
test(b, X == 1) :- X = 1.
:- end_tests(ok).
