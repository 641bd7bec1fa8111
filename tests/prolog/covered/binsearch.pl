find(Array, Value, Index) :- length(Array, Len), High is Len - 1, search(Array, Value, 0, High, Index).
search(_, _, L, H, _) :- L > H, !, fail.
search(A, V, L, H, I) :- M is (L + H) // 2, nth0(M, A, X), compare(O, V, X), step(O, A, V, L, H, M, I).
step(=, _, _, _, _, M, M).
step(<, A, V, L, _, M, I) :- H is M - 1, search(A, V, L, H, I).
step(>, A, V, _, H, M, I) :- L is M + 1, search(A, V, L, H, I).
