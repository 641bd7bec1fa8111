theorem(_, [m, i]).
theorem(N, R) :- N > 0, M is N - 1, theorem(M, S), rules(S, R).
rules(S, R) :- rule1(S, R) ; rule2(S, R) ; rule3(S, R) ; rule4(S, R).
rule1(S, R) :- append(X, [i], S), append(X, [i, u], R).
rule2([m|T], [m|R]) :- append(T, T, R).
rule3([], _) :- fail.
rule3(R, T) :- append([i, i, i], S, R), append([u], S, T).
rule3([H|T], [H|R]) :- rule3(T, R).
rule4([], _) :- fail.
rule4(R, T) :- append([u, u], T, R).
rule4([H|T], [H|R]) :- rule4(T, R).
%?- theorem(5, [m, u, i, i, u]).
%?- findall(T, theorem(3, T), Ts), length(Ts, N), last(Ts, L).
