:- module(queue, [empty/1, push/3, pop/3, list_queue/2, bfs/4]).
empty(Q-Q).
push(Q-[X|T], X, Q-T).
pop([X|Q]-T, X, Q-T) :- [X|Q] \== T.
list_queue(L, Q-T) :- append(L, T, Q).
:- meta_predicate bfs(+, +, 2, -).
bfs(S, G, E, P) :- bfs_([[S]], G, E, [S], R), reverse(R, P).
bfs_([[G|P]|_], G, _, _, [G|P]) :- !.
bfs_([[N|P]|Q], G, E, Seen, R) :- findall([M,N|P], (call(E, N, M), \+ memberchk(M, Seen)), Ns), findall(M, member([M|_], Ns), Ms), append(Seen, Ms, Seen1), append(Q, Ns, Q1), bfs_(Q1, G, E, Seen1, R).
