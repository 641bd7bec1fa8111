% State in the database, set up and cleaned for each test.
:- dynamic balance/2.
open_account(Who) :- \+ balance(Who, _), assertz(balance(Who, 0)).
pay(Who, N) :- retract(balance(Who, B)), C is B + N, assertz(balance(Who, C)).
take(Who, N) :- balance(Who, B), ( B < N -> throw(error(too_little(Who, B), take/2)) ; M is -N, pay(Who, M) ).
clear :- retractall(balance(_, _)).
:- begin_tests(bank_state).
test(open, [cleanup(clear), B == 0]) :- open_account(ann), balance(ann, B).
test(again, [setup(open_account(ann)), cleanup(clear), fail]) :- open_account(ann).
test(pay, [setup(open_account(ann)), cleanup(clear), true(B == 7)]) :- pay(ann, 3), pay(ann, 4), balance(ann, B).
test(take, [setup((open_account(ann), pay(ann, 5))), cleanup(clear), throws(error(too_little(ann, 5), _))]) :- take(ann, 9).
test(all, [setup(forall(member(W, [ann, bob]), open_account(W))), cleanup(clear), all(W == [ann, bob])]) :- balance(W, 0).
test(gone, fail) :- balance(_, _).
test(left, [setup(open_account(zed))]) :- balance(zed, 0).
test(seen, W == zed) :- balance(W, _).
test(broken, [setup(throw(nothing))]) :- true.
:- end_tests(bank_state).
