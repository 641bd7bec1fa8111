:- use_module(library(plunit)).
:- dynamic fact/1, log/1.
:- begin_tests(basic).
test(add) :- X is 1 + 1, X =:= 2.
test(fails, fail) :- member(x, [a]).
test(fails2, [fail]) :- member(a, [a]).
test(eq, X == 3) :- X is 1 + 2.
test(eq2, [true(X == 4)]) :- X is 1 + 2.
test(unify, X = f(_)) :- X = f(a).
test(variant, X =@= f(_,_)) :- X = f(_,_).
test(arith, X =:= 3.0) :- X is 3.
test(all, all(X == [1,2,3])) :- member(X, [1,2,3]).
test(all_wrong, all(X == [1,2])) :- member(X, [1,2,3]).
test(all2, all(X-Y == [1-a,2-b])) :- member(X-Y, [1-a,2-b]).
test(set, set(X == [1,2,3])) :- member(X, [3,2,1,1]).
test(nondet, [nondet]) :- member(_, [1,2]).
test(choice) :- member(_, [1,2]).
test(choice2, X == 1) :- member(X, [1,2]).
test(throws, throws(oops)) :- throw(oops).
test(error, error(type_error(_,_))) :- atom_length(f(x), _).
test(error2, error(type_error(integer, a), _)) :- succ(a, _).
test(error3, throws(error(type_error(_,_), _))) :- X is foo + 1, X = 1.
test(error4, [error(instantiation_error)]) :- atom_length(_, _).
test(nothrow, throws(oops)) :- true.
test(nothrow2, error(type_error(_,_))) :- fail.
test(unexpected) :- throw(oops).
test(unexpected2) :- atom_length(_, _).
test(unexpected3) :- undefined_here(1).
test(failing) :- fail.
test(wrong, X == 5) :- X = 4.
test(wrong2, [X == 5, nondet]) :- member(X, [4,5]).
test(setup, [setup(assertz(fact(1))), cleanup(retractall(fact(_)))]) :- fact(1).
test(aftercleanup, [fail]) :- fact(_).
test(setupfail, [setup(fail)]) :- true.
test(setuperr, [setup(throw(x))]) :- true.
test(cleanfail, [cleanup(fail)]) :- true.
test(cleanerr, [cleanup(throw(x))]) :- true.
test(cond, [condition(fail)]) :- fail.
test(cond2, [condition(true)]) :- true.
test(blocked, [blocked(because)]) :- fail.
test(blocked2, blocked('not ready')) :- fail.
test(fixme, [fixme(later)]) :- fail.
test(fixme2, [fixme('to do')]) :- true.
test(forall, [forall(member(X-Y,[1-2,2-3])), true(Z == Y)]) :- Z is X + 1.
test(forall2, [forall(member(X,[1,2,3])), fail]) :- X > 5.
test(forall3, [forall(member(X,[1,2,3]))]) :- X < 3.
test(forall4, [forall(member(X,[1,2,3])), Y == X]) :- Y is X mod 3.
test(sto, [sto(rational_trees)]) :- true.
test(assertion) :- assertion(1 =:= 1).
test(assertion3) :- assertion(foo(_)), true.
test("string name") :- true.
test('quoted name') :- true.
test(out2) :- format(user_error, "err~n", []).
:- end_tests(basic).
