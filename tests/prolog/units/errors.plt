:- begin_tests(errs).
test(t1) :- foo, undefined_one.
test(t2) :- undefined_two, foo.
test(t3, X == 1) :- X is a.
test(t4, X == 1) :- helper(X).
test(t5) :- atom_length(X, X), true.
test(t6) :- true, arg(x, f(a), _).
test(t7) :- throw(my_error(1, "x")).
test(t8) :- throw("string").
test(t10) :- catch(throw(a), b, true).
test(t11) :- X = f(X, Y), Y = 1, fail.
test(t12, X == Y) :- X = f(_), Y = g(_).
test(t13, throws(foo)) :- throw(bar).
test(t14, error(type_error(_, _))) :- X is 1/0, X = 1.
test(t15, throws(E)) :- E = x, throw(E).
test(t16, error(existence_error(procedure, _))) :- nopred.
test(t17, error(evaluation_error(zero_divisor))) :- X is 1/0, X = 1.
test(t18, error(syntax_error(_))) :- atom_to_term('foo(', _, _).
test(t20) :- number_codes(_, "3x").
test(t22) :- assertz((foo :- 1)).
test(t23) :- assertz(atom(1)).
foo.
helper(X) :- X is foo + 1.
:- end_tests(errs).
