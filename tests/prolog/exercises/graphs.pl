:- table path/2.
edge(a, b). edge(b, c). edge(c, a). edge(c, d).
path(X, Y) :- edge(X, Y).
path(X, Y) :- path(X, Z), edge(Z, Y).
walk(A, B, P) :- walk(A, B, [A], Q), reverse(Q, P).
walk(B, B, V, V).
walk(A, B, V, P) :- edge(A, C), \+ memberchk(C, V), walk(C, B, [C|V], P).
w(a, b, 4). w(a, c, 1). w(c, b, 2). w(b, d, 5). w(c, d, 8).
dijkstra(S, T, D, P) :- dijkstra([0-[S]], T, [], D, R), reverse(R, P).
dijkstra([D-[T|Path]|_], T, _, D, [T|Path]) :- !.
dijkstra([_-[N|_]|Q], T, Seen, D, P) :- memberchk(N, Seen), !, dijkstra(Q, T, Seen, D, P).
dijkstra([D0-[N|Path]|Q], T, Seen, D, P) :-
    findall(D1-[M, N|Path], ( w(N, M, W), D1 is D0 + W ), New), append(Q, New, Q1), keysort(Q1, Q2), dijkstra(Q2, T, [N|Seen], D, P).
:- table fibt/2.
fibt(0, 0).
fibt(1, 1).
fibt(N, F) :- N > 1, A is N - 1, B is N - 2, fibt(A, X), fibt(B, Y), F is X + Y.
:- table conn(_, _, min).
conn(X, Y, 1) :- edge(X, Y).
conn(X, Y, N) :- conn(X, Z, M), edge(Z, Y), N is M + 1.
bfs(S, T, P) :- bfs([[S]], T, [S], R), reverse(R, P).
bfs([[T|P]|_], T, _, [T|P]) :- !.
bfs([[N|P]|Q], T, Seen, R) :- findall(M, ( edge(N, M), \+ memberchk(M, Seen) ), Ms0), sort(Ms0, Ms), findall([M, N|P], member(M, Ms), New), append(Seen, Ms, Seen1), append(Q, New, Q1), bfs(Q1, T, Seen1, R).
%?- setof(Y, path(a, Y), L).
%?- path(d, X).
%?- walk(a, d, P).
%?- dijkstra(a, d, D, P).
%?- fibt(100, F).
%?- setof(Y-N, conn(a, Y, N), L).
%?- bfs(a, d, P).
