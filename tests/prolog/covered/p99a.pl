last_but_one(X, [X,_]) :- !.
last_but_one(X, [_|T]) :- last_but_one(X, T).
element_at(X, [X|_], 1) :- !.
element_at(X, [_|T], K) :- K > 1, K1 is K-1, element_at(X, T, K1).
compress([], []).
compress([X], [X]).
compress([X,X|T], R) :- !, compress([X|T], R).
compress([X,Y|T], [X|R]) :- compress([Y|T], R).
dropn(L, N, R) :- dropn(L, N, N, R).
dropn([], _, _, []).
dropn([_|T], N, 1, R) :- !, dropn(T, N, N, R).
dropn([X|T], N, K, [X|R]) :- K > 1, K1 is K-1, dropn(T, N, K1, R).
slice(L, I, K, R) :- findall(X, (nth1(N, L, X), N >= I, N =< K), R).
rotate(L, N, R) :- length(L, Len), Len > 0, M is N mod Len, length(A, M), append(A, B, L), append(B, A, R).
