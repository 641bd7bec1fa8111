% The first of ninety-nine problems.
my_last(X, [X]).
my_last(X, [_|T]) :- my_last(X, T).
element_at(X, [X|_], 1).
element_at(X, [_|T], K) :- K > 1, K1 is K - 1, element_at(X, T, K1).
palindrome(L) :- reverse(L, L).
my_flatten(X, [X]) :- \+ is_list(X).
my_flatten([], []).
my_flatten([X|Xs], Zs) :- my_flatten(X, Y), my_flatten(Xs, Ys), append(Y, Ys, Zs).
compress([], []).
compress([X], [X]).
compress([X, X|Xs], Zs) :- compress([X|Xs], Zs).
compress([X, Y|Ys], [X|Zs]) :- X \= Y, compress([Y|Ys], Zs).
pack([], []).
pack([X|Xs], [Z|Zs]) :- transfer(X, Xs, Ys, Z), pack(Ys, Zs).
transfer(X, [], [], [X]).
transfer(X, [Y|Ys], [Y|Ys], [X]) :- X \= Y.
transfer(X, [X|Xs], Ys, [X|Zs]) :- transfer(X, Xs, Ys, Zs).
encode(L1, L2) :- pack(L1, L), transform(L, L2).
transform([], []).
transform([[X|Xs]|Ys], [[N, X]|Zs]) :- length([X|Xs], N), transform(Ys, Zs).
decode([], []).
decode([[1, X]|T], [X|R]) :- !, decode(T, R).
decode([[N, X]|T], [X|R]) :- N1 is N - 1, decode([[N1, X]|T], R).
dupli([], []).
dupli([X|Xs], [X, X|Ys]) :- dupli(Xs, Ys).
drop(L, N, R) :- drop(L, N, R, N).
drop([], _, [], _).
drop([_|Xs], N, Ys, 1) :- drop(Xs, N, Ys, N).
drop([X|Xs], N, [X|Ys], K) :- K > 1, K1 is K - 1, drop(Xs, N, Ys, K1).
split(L, 0, [], L).
split([X|Xs], N, [X|Ys], Zs) :- N > 0, N1 is N - 1, split(Xs, N1, Ys, Zs).
rotate(L, N, R) :- length(L, Len), K is N mod Len, split(L, K, A, B), append(B, A, R).
range(I, I, [I]).
range(I, K, [I|L]) :- I < K, I1 is I + 1, range(I1, K, L).
combination(0, _, []).
combination(K, L, [X|Xs]) :- K > 0, el(X, L, R), K1 is K - 1, combination(K1, R, Xs).
el(X, [X|L], L).
el(X, [_|L], R) :- el(X, L, R).
lsort(In, Out) :- maplist([L, N-L]>>length(L, N), In, Keyed), keysort(Keyed, Sorted), pairs_values(Sorted, Out).
%?- my_last(X, [a, b, c, d]).
%?- element_at(X, [a, b, c], 3).
%?- palindrome([x, a, m, a, x]).
%?- my_flatten([a, [b, [c, d], e]], X).
%?- compress([a, a, a, a, b, c, c, a, a, d, e, e, e, e], X).
%?- encode([a, a, a, a, b, c, c, a, a, d, e, e, e, e], X).
%?- decode([[4, a], [1, b], [2, c]], X).
%?- dupli([a, b, c], X).
%?- drop([a, b, c, d, e, f, g, h, i, k], 3, X).
%?- rotate([a, b, c, d, e, f, g, h], -2, X).
%?- range(4, 9, L).
%?- combination(3, [a, b, c, d], L).
%?- lsort([[a, b, c], [d, e], [f, g, h], [d, e], [i, j, k, l], [m, n], [o]], L).
%?- split([a, b, c], N, A, B).
