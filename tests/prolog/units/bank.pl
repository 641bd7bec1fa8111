:- module(bank, [new/1, deposit/3, withdraw/3, balance/2, transfer/4]).
:- use_module(library(error)).
new(account(0)).
balance(account(B), B).
deposit(account(B0), N, account(B)) :- must_be(positive_integer, N), B is B0 + N.
withdraw(account(B0), N, account(B)) :- must_be(positive_integer, N), ( N =< B0 -> B is B0 - N ; throw(error(insufficient_funds(B0, N), withdraw/3)) ).
transfer(A0-B0, N, A-B, ok) :- withdraw(A0, N, A), deposit(B0, N, B).
