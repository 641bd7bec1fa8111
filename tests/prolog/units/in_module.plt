:- module(test_a3, []).
:- use_module(library(plunit)).
:- use_module(library(lists)).
:- use_module(library(clpfd)).
double(X, Y) :- Y #= X * 2.
:- begin_tests(mod).
test(d, Y == 4) :- double(2, Y).
test(d2, X == 2) :- double(X, 4).
test(d3, [fail]) :- double(_, 5).
test(d4, [true(L == [0,1,2])]) :- X in 0..2, findall(X, label([X]), L).
test(d5) :- X in 0..2, fd_dom(X, D), D == 0..2.
test(last, X == c) :- last([a,b,c], X).
:- end_tests(mod).
