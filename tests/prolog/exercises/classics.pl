% tak, deriv, queens, zebra exist already; others here.
% --- nand-like truth tables, boyer-like rewriting, reducer-like combinators, meta_qsort, simple parser
reduce(X, Y) :- step(X, Z), !, reduce(Z, Y).
reduce(X, X).
step(app(app(app(s, F), G), X), app(app(F, X), app(G, X))) :- !.
step(app(app(k, X), _), X) :- !.
step(app(i, X), X) :- !.
step(app(F, X), app(G, X)) :- step(F, G), !.
step(app(F, X), app(F, Y)) :- step(X, Y).
skk(X, Y) :- reduce(app(app(app(s, k), k), X), Y).

interp(true) :- !.
interp((A, B)) :- !, interp(A), interp(B).
interp(G) :- builtin(G), !, call(G).
interp(G) :- rule(G, B), interp(B).
builtin(_ =< _). builtin(_ > _). builtin(_ is _). builtin(_ < _).
rule(qsort([], R, R), true).
rule(qsort([X|L], R, R0), ( part(L, X, L1, L2), qsort(L2, R1, R0), qsort(L1, R, [X|R1]) )).
rule(part([], _, [], []), true).
rule(part([X|L], Y, [X|L1], L2), ( X =< Y, part(L, Y, L1, L2) )).
rule(part([X|L], Y, L1, [X|L2]), ( X > Y, part(L, Y, L1, L2) )).

rewrite(T0, T) :- T0 =.. [F|As0], maplist(rewrite, As0, As), T1 =.. [F|As], ( eq(T1, T2) -> rewrite(T2, T) ; T = T1 ).
eq(and(P, Q), if(P, if(Q, t, f), f)).
eq(or(P, Q), if(P, t, if(Q, t, f))).
eq(not(P), if(P, f, t)).
eq(implies(P, Q), if(P, if(Q, t, f), t)).
eq(if(if(A, B, C), D, E), if(A, if(B, D, E), if(C, D, E))).
taut(T) :- rewrite(T, N), tautology(N, [], []).
tautology(t, _, _) :- !.
tautology(f, _, _) :- !, fail.
tautology(if(C, A, B), T, F) :- !,
    (   memberchk(C, T) -> tautology(A, T, F)
    ;   memberchk(C, F) -> tautology(B, T, F)
    ;   tautology(A, [C|T], F), tautology(B, T, [C|F])
    ).
tautology(X, T, _) :- memberchk(X, T).

sentence(s(NP, VP)) --> np(NP, N), vp(VP, N).
np(np(D, NN), N) --> det(D, N), noun(NN, N).
np(np(PN), sg) --> pn(PN).
vp(vp(V, NP), N) --> tv(V, N), np(NP, _).
vp(vp(V), N) --> iv(V, N).
det(the, _) --> [the]. det(a, sg) --> [a]. det(all, pl) --> [all].
noun(man, sg) --> [man]. noun(man, pl) --> [men]. noun(apple, sg) --> [apple]. noun(apple, pl) --> [apples].
pn(john) --> [john].
tv(eat, sg) --> [eats]. tv(eat, pl) --> [eat].
iv(sleep, sg) --> [sleeps]. iv(sleep, pl) --> [sleep].

fast_mu([m,i], [m,i], _) :- !.
mu_rule(S, T) :- append(P, [i], S), append(P, [i,u], T).
mu_rule([m|T], [m|R]) :- append(T, T, R).
mu_rule(S, T) :- append(P, [i,i,i|R], S), append(P, [u|R], T).
mu_rule(S, T) :- append(P, [u,u|R], S), append(P, R, T).
mu_search(Goal, D, [Goal]) :- D >= 0, Goal == [m,i].
mu(D, Goal, Path) :- mu(D, [m,i], Goal, Path).
mu(_, G, G, [G]).
mu(D, S, G, [S|P]) :- D > 0, mu_rule(S, T), D1 is D-1, mu(D1, T, G, P).

ackermann(0, N, R) :- !, R is N+1.
ackermann(M, 0, R) :- !, M1 is M-1, ackermann(M1, 1, R).
ackermann(M, N, R) :- M1 is M-1, N1 is N-1, ackermann(M, N1, R1), ackermann(M1, R1, R).
collatz(1, [1]) :- !.
collatz(N, [N|T]) :- ( N mod 2 =:= 0 -> M is N // 2 ; M is 3*N+1 ), collatz(M, T).
primes(N, Ps) :- numlist(2, N, L), sieve(L, Ps).
sieve([], []).
sieve([P|Xs], [P|Ps]) :- exclude([X]>>(0 is X mod P), Xs, Ys), sieve(Ys, Ps).
perfect(N) :- between(2, 500, N), aggregate_all(sum(D), ( H is N // 2, between(1, H, D), N mod D =:= 0 ), N).
simplify(X+0, Y) :- !, simplify(X, Y).
simplify(0+X, Y) :- !, simplify(X, Y).
simplify(X*1, Y) :- !, simplify(X, Y).
simplify(_*0, 0) :- !.
simplify(X+Y, Z) :- !, simplify(X, X1), simplify(Y, Y1), ( X1+Y1 \== X+Y -> simplify(X1+Y1, Z) ; Z = X1+Y1 ).
simplify(X, X).
hanoi(0, _, _, _) :- !.
hanoi(N, A, B, C) :- M is N-1, hanoi(M, A, C, B), format("~w->~w ", [A,B]), hanoi(M, C, B, A).
solve_water(P) :- bfs([[0-0]], [0-0], P0), reverse(P0, P).
bfs([[S|Ps]|_], _, [S|Ps]) :- S = 4-_, !.
bfs([[S|Ps]|Q], Seen, P) :- findall([T,S|Ps], ( pour(S, T), \+ memberchk(T, Seen) ), Next), findall(T, member([T|_], Next), Ts), append(Seen, Ts, Seen1), append(Q, Next, Q1), bfs(Q1, Seen1, P).
pour(_-Y, 5-Y). pour(X-_, X-3). pour(_-Y, 0-Y). pour(X-_, X-0).
pour(X-Y, X1-Y1) :- D is min(X, 3-Y), D > 0, X1 is X-D, Y1 is Y+D.
pour(X-Y, X1-Y1) :- D is min(Y, 5-X), D > 0, X1 is X+D, Y1 is Y-D.
%?- skk(a, X)
%?- interp(qsort([27,74,17,33,94,18,46,83,65,2], S, []))
%?- taut(implies(and(p,q),or(p,q)))
%?- taut(implies(or(p,q),and(p,q)))
%?- taut(or(p,not(p)))
%?- phrase(sentence(T), [the,man,eats,the,apple])
%?- phrase(sentence(T), [all,men,sleep])
%?- phrase(sentence(T), [a,men,sleep])
%?- findall(S, (phrase(sentence(_), S), length(S, L), L =< 2), Ss), length(Ss, N)
%?- mu(5, [m,u,i,i,u], P)
%?- ackermann(2, 4, R)
%?- collatz(27, L), length(L, N), max_list(L, M)
%?- primes(100, Ps)
%?- findall(N, perfect(N), L)
%?- simplify(x*1+0+y*0, S)
%?- hanoi(4, l, r, c)
%?- solve_water(P)
