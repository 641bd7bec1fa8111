queens(N, Qs) :- range(1, N, Ns), perm(Ns, Qs), safe(Qs).
range(N, N, [N]) :- !.
range(I, N, [I|T]) :- I < N, J is I + 1, range(J, N, T).
perm([], []).
perm(L, [H|T]) :- pick(H, L, R), perm(R, T).
pick(X, [X|T], T).
pick(X, [H|T], [H|R]) :- pick(X, T, R).
safe([]).
safe([Q|Qs]) :- no_attack(Q, Qs, 1), safe(Qs).
no_attack(_, [], _).
no_attack(Q, [P|Ps], D) :- Q =\= P + D, Q =\= P - D, E is D + 1, no_attack(Q, Ps, E).
