:- dynamic stack/1, fact/2, gr/2, dr/2, er/2, fr/2, counter/1, seen/1.
counter(0).
fact(a, 1). fact(b, 2). fact(c, 3).
gr(a, 1). gr(b, 2).
dr(a, 1). dr(b, 2).
er(a, 1). er(b, 2).
fr(a, 1). fr(b, 2).
next(N) :- retract(counter(M)), N is M + 1, assertz(counter(N)).
push(X) :- asserta(stack(X)).
pop(X) :- retract(stack(X)), !.
% The clauses of a call are those there were when it began.
grow(L) :- findall(X, ( gr(X, N), M is N * 10, assertz(gr(X, M)) ), L).
drain(L) :- findall(X-N, retract(dr(X, N)), L).
dfs(X, P) :- retractall(seen(_)), dfs_(X, P).
dfs_(X, [X]) :- assertz(seen(X)).
dfs_(X, [X|P]) :- edge(X, Y), \+ seen(Y), dfs_(Y, P).
edge(a, b). edge(b, c). edge(a, d). edge(c, a).
fib(N, F) :- memo(N, F), !.
fib(N, F) :- N < 2, !, F = N.
fib(N, F) :- A is N - 1, B is N - 2, fib(A, X), fib(B, Y), F is X + Y, asserta(memo(N, F)).
:- dynamic memo/2.
%?- next(A), next(B), counter(C).
%?- push(a), push(b), pop(X), pop(Y).
%?- grow(L), findall(X-N, gr(X, N), Fs).
%?- drain(L), \+ dr(_, _).
%?- dfs(a, P).
%?- fib(90, F).
%?- retract(er(X, 2)), findall(Y, er(Y, _), Ys).
%?- fr(X, N), retract(fr(X, N)).
%?- clause(next(N), B).
%?- abolish(foo/3), catch(foo(1, 2, 3), error(E, _), true).
%?- assertz((sq(X, Y) :- Y is X * X)), sq(5, Z).
%?- assertz(hr(d, 4)), asserta(hr(z, 0)), findall(X, hr(X, _), L), predicate_property(hr(_, _), number_of_clauses(N)).
%?- assertz(ir(1)), retractall(ir(_)), ( ir(_) -> R = some ; R = none ).
%?- catch(assertz((foo :- 1)), error(E, _), true).
%?- catch(assertz(atom(_)), error(E, _), true).
%?- recordz(k, a), recordz(k, b), findall(X, recorded(k, X), L).
%?- flag(f, Old, Old + 1), flag(f, V, V).
%?- setof(X-N, fact(X, N), L), bagof(N, X^fact(X, N), Ns), findall(X, ( fact(X, N), N > 1 ), Xs).
%?- (bagof(X, fact(X, N), L), N > 1).
%?- forall(fact(X, N), ( atom(X), integer(N) )).
%?- aggregate_all(count, fact(_, _), C), aggregate_all(max(N-X), fact(X, N), M).
