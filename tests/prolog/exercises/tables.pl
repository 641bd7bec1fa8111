:- use_module(library(tabling)).
:- table fib/2.
fib(0, 0).
fib(1, 1).
fib(N, F) :- N > 1, A is N-1, B is N-2, fib(A, X), fib(B, Y), F is X+Y.
:- table conn/2.
conn(X, Y) :- conn(X, Z), edge(Z, Y).
conn(X, Y) :- edge(X, Y).
edge(a,b). edge(b,c). edge(c,a). edge(c,d).
:- table sp(_,_,min).
sp(X, Y, 1) :- edge(X, Y).
sp(X, Y, N) :- sp(X, Z, M), edge(Z, Y), N is M+1.
:- table path(_,_,lattice(shortest/3)).
shortest(P1, P2, P) :- length(P1, L1), length(P2, L2), ( L1 =< L2 -> P = P1 ; P = P2 ).
path(X, Y, [X,Y]) :- edge(X, Y).
path(X, Y, P) :- path(X, Z, P0), edge(Z, Y), append(P0, [Y], P).
:- table even/1, odd/1.
even(0).
even(N) :- N > 0, M is N-1, odd(M).
odd(N) :- N > 0, M is N-1, even(M).
:- table expr//1, term//1.
expr(X) --> expr(X0), "+", term(Y), { X is X0+Y }.
expr(X) --> expr(X0), "-", term(Y), { X is X0-Y }.
expr(X) --> term(X).
term(X) --> term(X0), "*", num(Y), { X is X0*Y }.
term(X) --> num(X).
num(N) --> [D], { code_type(D, digit(N)) }.
:- table cnt(_,max).
cnt(a, 1). cnt(a, 5). cnt(b, 2). cnt(a, 3).
:- table fst(_,first), lst(_,last), sm(_,sum).
fst(a,1). fst(a,2). lst(a,1). lst(a,2). sm(a,1). sm(a,2).
:- table lcs/3.
lcs([], _, 0) :- !.
lcs(_, [], 0) :- !.
lcs([H|T1], [H|T2], N) :- !, lcs(T1, T2, M), N is M+1.
lcs([H1|T1], [H2|T2], N) :- lcs(T1, [H2|T2], N1), lcs([H1|T1], T2, N2), N is max(N1,N2).
:- dynamic d/1.
:- table p/1, q/1.
p(X) :- q(X). p(1).
q(X) :- p(Y), X is Y+1, X < 5.
:- table nat(_) as subsumptive.
nat(0).
nat(N) :- nat(M), M < 5, N is M+1.
%?- fib(50, F)
%?- fib(200, F)
%?- setof(Y, conn(a,Y), S)
%?- setof(Y-N, sp(a,Y,N), S)
%?- path(a, d, P)
%?- even(20)
%?- odd(20)
%?- phrase(expr(X), `1+2*3-4`)
%?- cnt(a, X)
%?- fst(a, X)
%?- lst(a, X)
%?- sm(a, X)
%?- atom_chars(abcbdab, A), atom_chars(bdcaba, B), lcs(A, B, N)
%?- setof(X, p(X), S)
%?- abolish_all_tables, fib(10, F)
%?- setof(X, nat(X), S)
