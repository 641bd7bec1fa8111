:- use_module(library(plunit)).
:- use_module(bank).
:- begin_tests(bank).
test(new, B == 0) :- new(A), balance(A, B).
test(deposit, B == 10) :- new(A), deposit(A, 10, A1), balance(A1, B).
test(neg, error(type_error(positive_integer, _))) :- new(A), deposit(A, -1, _).
test(neg2, throws(error(type_error(not_less_than_one, -1), _))) :- new(A), deposit(A, -1, _).
test(neg3, error(type_error(integer, a), _)) :- new(A), deposit(A, a, _).
test(over, throws(error(insufficient_funds(0, 5), _))) :- new(A), withdraw(A, 5, _).
test(over2, error(insufficient_funds(_, _))) :- new(A), withdraw(A, 5, _).
test(transfer, [true(X-Y == 5-5)]) :- deposit(account(0), 10, A), new(B), transfer(A-B, 5, A1-B1, ok), balance(A1, X), balance(B1, Y).
:- end_tests(bank).
