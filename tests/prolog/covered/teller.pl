:- module(teller, [open_account/2, deposit/2, withdraw/2, transfer/3, balance/2, statement/2, reset/0]).
:- dynamic account/2, log/3.
open_account(Id, Initial) :-
    must_be(atom, Id),
    must_be(nonneg, Initial),
    (   account(Id, _)
    ->  permission_error(create, account, Id)
    ;   assertz(account(Id, Initial)),
        assertz(log(Id, open, Initial)) ).
deposit(Id, Amount) :-
    Amount > 0,
    retract(account(Id, B0)),
    B is B0 + Amount,
    assertz(account(Id, B)),
    assertz(log(Id, deposit, Amount)).
withdraw(Id, Amount) :-
    account(Id, B0),
    (   B0 < Amount -> throw(insufficient_funds(Id, B0, Amount)) ; true ),
    retract(account(Id, B0)),
    B is B0 - Amount,
    assertz(account(Id, B)),
    assertz(log(Id, withdraw, Amount)).
transfer(From, To, Amount) :-
    catch(withdraw(From, Amount), insufficient_funds(_, _, _), fail),
    !,
    deposit(To, Amount).
transfer(From, _, Amount) :-
    format(user_error, "cannot transfer ~w from ~w~n", [Amount, From]),
    fail.
balance(Id, B) :- account(Id, B), !.
balance(Id, _) :- existence_error(account, Id).
statement(Id, Lines) :-
    findall(L, ( log(Id, K, A), format(atom(L), "~a ~d", [K, A]) ), Lines).
reset :- retractall(account(_, _)), retractall(log(_, _, _)).
