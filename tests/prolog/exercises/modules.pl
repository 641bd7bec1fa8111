:- module(shapes, [area/2, describe/1, total/2]).
:- use_module(library(lists)).
:- use_module(library(apply)).
:- discontiguous area/2.
area(circle(R), A) :- A is pi * R ** 2.
kind(circle(_), round).
area(square(S), A) :- A is S * S.
kind(square(_), angular).
area(rect(W, H), A) :- A is W * H.
kind(rect(_, _), angular).
describe(S) :- kind(S, K), area(S, A), format("~w: ~2f~n", [K, A]).
total(Ss, T) :- maplist(area, Ss, As), sum_list(As, T).
:- if(current_prolog_flag(bounded, false)).
big(yes).
:- else.
big(no).
:- endif.
:- if(\+ catch(current_prolog_flag(no_such_flag, _), _, fail)).
flag(absent).
:- elif(true).
flag(odd).
:- else.
flag(present).
:- endif.
:- set_prolog_flag(double_quotes, codes).
as_codes("ab").
:- set_prolog_flag(double_quotes, atom).
as_atom("ab").
:- set_prolog_flag(double_quotes, string).
as_string("ab").
:- op(700, xfx, ===>).
:- op(200, xfy, **).
:- op(9, fx, #).
rule(a ===> b).
rule(# x ===> y).
:- initialization(assertz(started)).
:- dynamic started/0, conf/2.
conf(a, 1).
%?- total([square(2), rect(3, 4)], T).
%?- describe(circle(1)).
%?- shapes:big(X), shapes:flag(Y).
%?- shapes:as_codes(X), shapes:as_atom(Y), shapes:as_string(Z).
%?- shapes:conf(X, Y).
%?- shapes:kind(rect(1, 2), K).
