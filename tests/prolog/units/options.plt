:- begin_tests(one, [setup(nb_setval(k, 1)), cleanup(nb_setval(k, 0))]).
test(k, V == 1) :- nb_getval(k, V).
:- end_tests(one).
:- begin_tests(two, [blocked(reason)]).
test(a) :- fail.
:- end_tests(two).
:- begin_tests(three, [condition(fail)]).
test(a) :- fail.
:- end_tests(three).
:- begin_tests(four).
helper(X, Y) :- Y is X * 2.
test(h, Y == 4) :- helper(2, Y).
test(h, Y == 6) :- helper(3, Y).
test(h2, [true(Y =:= 7)]) :- helper(3, Y).
:- end_tests(four).
:- begin_tests(five, [setup(fail)]).
test(b) :- true.
:- end_tests(five).
:- begin_tests(six).
:- end_tests(six).
:- begin_tests(seven).
test(x, all(X-Y == [])) :- member(X-Y, []).
test(y, all(X = [_,_])) :- member(X, [a,b]).
test(y2, all(X =@= [_,_])) :- member(X, [_,_]).
test(z, [true((X > 1, X < 3))]) :- X = 2.
test(zz, [true((X > 1, X < 3))]) :- X = 5.
test(v, [true(X > 1)]) :- X = 0.
test(u, X == "abc") :- string_concat("a", "bc", X).
test(u2, X == "abd") :- string_concat("a", "bc", X).
test(u3, X == 'A b') :- X = 'A c'.
test(u4, X == f(_)) :- X = f(Y), Y = 1.
test(u5, [true(X == Y)]) :- X = f(_), Y = f(_).
:- end_tests(seven).
