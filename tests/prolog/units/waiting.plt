% Goals that wait, and what is printed of them.
later(X, L) :- freeze(X, L = [seen(X)]).
:- begin_tests(waiting).
test(freeze, L == [seen(1)]) :- later(X, L), X = 1.
test(unwoken, L == []) :- later(_, L).
test(dif, fail) :- dif(X, a), X = a.
test(dif2, X == b) :- dif(X, a), X = b.
test(residue, X == f(Y)) :- dif(Y, 1), X = f(_).
test(when, S == 3) :- when((nonvar(A), nonvar(B)), S is A + B), A = 1, B = 2.
test(goals, G == [dif(X, a)]) :- dif(X, a), copy_term(X, X, G).
test(cleanup, throws(oops)) :- setup_call_cleanup(true, throw(oops), true).
test(all, all(X == [1, 3])) :- dif(X, 2), member(X, [1, 2, 3]).
:- end_tests(waiting).
