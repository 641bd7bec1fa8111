:- use_module(library(ordsets)).
:- use_module(library(pairs)).
step(Live0, Live) :-
    findall(N, ( member(C, Live0), neighbour(C, N) ), Ns),
    msort(Ns, Sorted), clumped_pairs(Sorted, Counts),
    findall(C, ( member(C-K, Counts), lives(C, K, Live0) ), Live1),
    list_to_ord_set(Live1, Live).
neighbour(X-Y, A-B) :- member(DX, [-1, 0, 1]), member(DY, [-1, 0, 1]), ( DX =\= 0 ; DY =\= 0 ), \+ ( DX =:= 0, DY =:= 0 ), A is X + DX, B is Y + DY.
clumped_pairs([], []).
clumped_pairs([X|Xs], [X-N|R]) :- same(X, Xs, 1, N, Ys), clumped_pairs(Ys, R).
same(X, [Y|Ys], N0, N, R) :- X == Y, !, N1 is N0 + 1, same(X, Ys, N1, N, R).
same(_, Ys, N, N, Ys).
lives(_, 3, _) :- !.
lives(C, 2, Live) :- ord_memberchk(C, Live).
generations(0, L, L) :- !.
generations(N, L0, L) :- N > 0, step(L0, L1), N1 is N - 1, generations(N1, L1, L).
