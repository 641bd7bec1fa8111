:- table fib/2.
fib(0, 0). fib(1, 1).
fib(N, F) :- N > 1, A is N-1, B is N-2, fib(A, X), fib(B, Y), F is X+Y.
:- table path(_,_,min).
e(a,b,1). e(b,c,2). e(a,c,5). e(c,a,1). e(c,d,1).
path(X,Y,C) :- e(X,Y,C).
path(X,Y,C) :- path(X,Z,C1), e(Z,Y,C2), C is C1+C2.
:- table conn/2.
conn(X,Y) :- conn(X,Z), e(Z,Y,_).
conn(X,Y) :- e(X,Y,_).
:- table a//0.
a --> a, "x".
a --> "x".
:- table even/1, odd/1.
even(0).
even(N) :- N > 0, M is N-1, odd(M).
odd(N) :- N > 0, M is N-1, even(M).
:- table lp(_,lattice(longer/3)).
longer(A,B,C) :- length(A,LA), length(B,LB), ( LA >= LB -> C = A ; C = B ).
lp(X,[X]).
lp(X,[X|P]) :- d(X,Y), lp(Y,P).
d(1,2). d(2,3). d(1,3).
:- table cnt(_,max), mx(_,po(better/2)).
cnt(X,N) :- member(X-N,[a-1,a-3,b-2]).
mx(X,N) :- member(X-N,[a-1,a-3,b-2]).
better(A,B) :- A < B.
:- begin_tests(tabled).
test(fib, F == 354224848179261915075) :- fib(100, F).
test(path, C == 3) :- path(a,c,C).
test(paths, L == [a-4,b-1,c-3,d-4]) :- findall(Y-C, path(a,Y,C), L0), msort(L0, L).
test(conn, L == [a,b,c,d]) :- findall(Y, conn(a,Y), L0), sort(L0, L).
test(dcg, true) :- phrase(a, `xxx`).
test(dcgfail, fail) :- phrase(a, `xxy`).
test(even) :- even(10).
test(odd, fail) :- odd(10).
test(lp, P == [1,2,3]) :- lp(1,P).
test(cnt, set(X-N == [a-3,b-2])) :- cnt(X,N).
test(mx, set(X-N == [a-3,b-2])) :- mx(X,N).
test(abolish, F == 55) :- abolish_all_tables, fib(10, F).
:- end_tests(tabled).
