qsort([], R, R).
qsort([X|L], R, R0) :- partition(L, X, L1, L2), qsort(L2, R1, R0), qsort(L1, R, [X|R1]).
partition([], _, [], []).
partition([X|L], Y, [X|L1], L2) :- X =< Y, !, partition(L, Y, L1, L2).
partition([X|L], Y, L1, [X|L2]) :- partition(L, Y, L1, L2).
msort_([], []) :- !.
msort_([X], [X]) :- !.
msort_(L, S) :- length(L, N), H is N // 2, length(A, H), append(A, B, L), msort_(A, SA), msort_(B, SB), merge(SA, SB, S).
merge([], L, L) :- !.
merge(L, [], L) :- !.
merge([X|Xs], [Y|Ys], [X|Zs]) :- X @=< Y, !, merge(Xs, [Y|Ys], Zs).
merge(Xs, [Y|Ys], [Y|Zs]) :- merge(Xs, Ys, Zs).
bubble(L, S) :- append(A, [X, Y|B], L), X > Y, !, append(A, [Y, X|B], M), bubble(M, S).
bubble(L, L).
isort(L, S) :- foldl(insert, L, [], S).
insert(X, [], [X]).
insert(X, [Y|Ys], [X, Y|Ys]) :- X =< Y, !.
insert(X, [Y|Ys], [Y|Zs]) :- insert(X, Ys, Zs).
%?- qsort([27, 74, 17, 33, 94, 18, 46, 83, 65, 2, 32, 53, 28, 85, 99, 47, 28, 82, 6, 11], R, []).
%?- msort_([3, 1, 2, 3, a, "b", f(x), 0.5], S).
%?- bubble([3, 1, 2], S).
%?- isort([5, 3, 9, 1], S).
%?- predsort([O, A, B]>>( compare(O, A, B) ), [c, a, b, a], L).
%?- sort(1, @>=, [f(1, a), f(2, b), f(1, c)], L).
