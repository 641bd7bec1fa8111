:- begin_tests(ok1).
test(a) :- true.
:- end_tests(ok1).
:- begin_tests(ok2).
test(b, X == 1) :- X = 1.
test(bb, X == 1) :- member(X,[1,2]).
:- end_tests(ok2).
:- begin_tests(ok3).
test(b, [X == 1, blocked(x)]) :- X = 2.
:- end_tests(ok3).
