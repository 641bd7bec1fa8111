queens(N, Qs) :- range(1, N, Ns), permute(Ns, Qs), safe(Qs).
permute([], []).
permute(L, [H|T]) :- select(H, L, R), permute(R, T).
safe([]).
safe([Q|Qs]) :- \+ attack(Q, Qs), safe(Qs).
attack(X, Xs) :- attack(X, 1, Xs).
attack(X, N, [Y|_]) :- X is Y + N ; X is Y - N.
attack(X, N, [_|Ys]) :- N1 is N + 1, attack(X, N1, Ys).
range(N, N, [N]) :- !.
range(M, N, [M|Ns]) :- M < N, M1 is M + 1, range(M1, N, Ns).
%?- queens(6, Qs).
%?- findall(Q, queens(5, Q), Qs), length(Qs, N).
