shortest(G, S, T, P) :- bfs([[S]], G, T, [S], R), reverse(R, P).
bfs([[T|P]|_], _, T, _, [T|P]) :- !.
bfs([[N|P]|Q], G, T, Seen, R) :- findall([M,N|P], (member(N-M, G), \+ memberchk(M, Seen)), Next), heads(Next, Ms), append(Seen, Ms, Seen1), append(Q, Next, Q1), bfs(Q1, G, T, Seen1, R).
heads([], []).
heads([[H|_]|T], [H|Hs]) :- heads(T, Hs).
