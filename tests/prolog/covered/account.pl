:- dynamic balance/2.
open_account(Id) :- \+ balance(Id, _), assertz(balance(Id, 0)).
deposit(Id, Amount) :- Amount > 0, retract(balance(Id, B)), B1 is B + Amount, assertz(balance(Id, B1)).
withdraw(Id, Amount) :- Amount > 0, balance(Id, B), B >= Amount, retract(balance(Id, B)), B1 is B - Amount, assertz(balance(Id, B1)).
scenario(Ops, Final) :- retractall(balance(_, _)), open_account(acc), run(Ops), balance(acc, Final).
run([]).
run([deposit(N)|T]) :- deposit(acc, N), run(T).
run([withdraw(N)|T]) :- ( withdraw(acc, N) -> true ; throw(error(insufficient_funds, N)) ), run(T).
