% Problems on lists.
my_last(X, [X]).
my_last(X, [_|Xs]) :- my_last(X, Xs).
compress([], []).
compress([X], [X]) :- !.
compress([X, X|Xs], Ys) :- !, compress([X|Xs], Ys).
compress([X|Xs], [X|Ys]) :- compress(Xs, Ys).
pack([], []).
pack([X|Xs], [[X|G]|Gs]) :- grab(X, Xs, G, Rest), pack(Rest, Gs).
grab(X, [X|Xs], [X|G], Rest) :- !, grab(X, Xs, G, Rest).
grab(_, Rest, [], Rest).
rotate(L, N, R) :- length(L, Len), ( Len =:= 0 -> R = [] ; M is N mod Len, length(A, M), append(A, B, L), append(B, A, R) ).
combination(0, _, []) :- !.
combination(N, [X|Xs], [X|Ys]) :- M is N - 1, combination(M, Xs, Ys).
combination(N, [_|Xs], Ys) :- combination(N, Xs, Ys).
prime(2).
prime(N) :- N > 2, N mod 2 =\= 0, \+ ( between(3, N, D), D * D =< N, N mod D =:= 0 ).
:- begin_tests(lists99).
test(last, [nondet, X == c]) :- my_last(X, [a,b,c]).
test(last_choice, X == c) :- my_last(X, [a,b,c]).
test(last_none, fail) :- my_last(_, []).
test(compress, L == [a,b,c,a]) :- compress([a,a,b,c,c,a], L).
test(pack, L == [[a,a],[b],[c,c]]) :- pack([a,a,b,c,c], L).
test(rotate, [forall(member(N-R, [0-[a,b,c], 1-[b,c,a], -1-[c,a,b], 4-[b,c,a]])), X == R]) :- rotate([a,b,c], N, X).
test(combination, all(L == [[a,b],[a,c],[b,c]])) :- combination(2, [a,b,c], L).
test(primes, all(P == [2,3,5,7,11,13])) :- between(1, 15, P), prime(P).
test(wrong, all(P == [2,3,5,7,9])) :- between(1, 10, P), prime(P).
test(wrong_set, set(P == [7,5,3])) :- between(1, 10, P), prime(P).
:- end_tests(lists99).
