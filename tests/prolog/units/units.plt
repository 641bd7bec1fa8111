:- use_module(library(plunit)).
:- begin_tests(a, [setup(true)]).
test(x) :- true.
test(bl, [blocked(later)]) :- true.
test(fx, [fixme(soon)]) :- fail.
test(fx2, [fixme(soon)]) :- true.
test(err) :- atom_length(_, _).
test(err2) :- throw(foo(bar)).
test(wrong, all(X == [1,2])) :- member(X,[1,2,3]).
test(we, throws(foo)) :- throw(bar).
test(ne, throws(foo)) :- true.
test(fs, [fail]) :- true.
test(ass) :- assertion(1 =:= 2).
test(sf, [setup(fail)]) :- true.
test(cmp, X =:= a) :- X = 1.
test(fa, [forall(member(X,[1,2])), true(X == 1)]) :- true.
test(out) :- true.
test(set, set(X == [a,b])) :- member(X,[b,a,a]).
:- end_tests(a).
:- begin_tests(b).
test(x) :- true.
:- end_tests(b).
