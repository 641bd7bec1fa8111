freq(L, As) :- empty_assoc(E), foldl(bump, L, E, A), assoc_to_list(A, As).
bump(K, A0, A) :- ( get_assoc(K, A0, N) -> true ; N = 0 ), N1 is N+1, put_assoc(K, A0, N1, A).
top(L, K) :- freq(L, [P|Ps]), best(Ps, P, K).
best([], K-_, K).
best([K-N|Ps], _-M, R) :- N > M, !, best(Ps, K-N, R).
best([_|Ps], B, R) :- best(Ps, B, R).
