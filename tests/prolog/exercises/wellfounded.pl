% Negation of tabled calls that are complete.
:- table reach/2, win/1, path/3, conn(_, _, min), a/1, b/1, even/1, odd/1.
edge(1, 2). edge(2, 3). edge(4, 5). edge(3, 1).
reach(X, Y) :- edge(X, Y).
reach(X, Y) :- reach(X, Z), edge(Z, Y).
apart(X, Y) :- member(X, [1, 2, 4]), member(Y, [3, 5]), tnot(reach(X, Y)).
move(a, b). move(b, c). move(a, d). move(d, e). move(e, f).
win(X) :- move(X, Y), tnot(win(Y)).
conn(X, Y, 1) :- edge(X, Y).
conn(X, Y, N) :- conn(X, Z, M), edge(Z, Y), N is M + 1.
a(X) :- b(X).
a(1).
b(X) :- a(Y), Y < 5, X is Y + 1.
even(0).
even(N) :- odd(M), M < 8, N is M + 1.
odd(N) :- even(M), M < 8, N is M + 1.
%?- findall(X-Y, apart(X, Y), L).
%?- findall(X, ( member(X, [a, b, c, d, e, f]), win(X) ), L).
%?- aggregate_all(set(X-N), conn(1, X, N), L).
%?- aggregate_all(set(X), a(X), L).
%?- aggregate_all(set(X), even(X), L).
%?- aggregate_all(set(X-Y), reach(X, Y), L).
%?- tnot(foo(1)).
%?- tnot(_).
%?- tnot(reach(1, 5)).
%?- tnot(reach(1, 2)).
