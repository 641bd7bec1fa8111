my_last(X, [X]).
my_last(X, [_|L]) :- my_last(X, L).
last_but_one(X, [X,_]).
last_but_one(X, [_,Y|Ys]) :- last_but_one(X, [Y|Ys]).
element_at(X, [X|_], 1).
element_at(X, [_|L], K) :- K > 1, K1 is K - 1, element_at(X, L, K1).
my_length([], 0).
my_length([_|L], N) :- my_length(L, N1), N is N1 + 1.
my_reverse(L1, L2) :- my_rev(L1, L2, []).
my_rev([], L2, L2) :- !.
my_rev([X|Xs], L2, Acc) :- my_rev(Xs, L2, [X|Acc]).
is_palindrome(L) :- reverse(L, L).
