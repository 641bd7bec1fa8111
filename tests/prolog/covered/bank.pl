:- dynamic account/2.
open_account(Name, Initial) :- \+ account(Name, _), Initial >= 0, assertz(account(Name, Initial)).
deposit(Name, Amount) :- Amount > 0, retract(account(Name, B0)), B is B0 + Amount, assertz(account(Name, B)).
withdraw(Name, Amount) :- account(Name, B0), Amount =< B0, retract(account(Name, B0)), B is B0 - Amount, assertz(account(Name, B)).
transfer(A, B, N) :- withdraw(A, N), deposit(B, N).
session(Ops, Balance) :- retractall(account(_, _)), open_account(me, 0), run(Ops), account(me, Balance).
run([]).
run([d(N)|T]) :- deposit(me, N), run(T).
run([w(N)|T]) :- withdraw(me, N), run(T).
