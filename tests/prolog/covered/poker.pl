:- module(poker, [best/2, rank/2]).
best(Hands, Best) :-
    maplist(scored, Hands, Scored),
    keysort(Scored, Sorted),
    last(Sorted, Top-_),
    findall(H, member(Top-H, Sorted), Best).
scored(H, R-H) :- rank(H, R).

rank(Hand, Rank) :-
    maplist(card, Hand, Ns, Ss),
    msort(Ns, Sorted0), reverse(Sorted0, Sorted),
    groups(Sorted, Groups),
    kind(Groups, Sorted, Ss, K),
    Rank = r(K, Groups).

card(c(N, S), N, S).

groups(Ns, Groups) :-
    clumped_(Ns, Pairs),
    findall(C-N, member(N-C, Pairs), CNs),
    msort(CNs, G0), reverse(G0, Groups).
clumped_([], []).
clumped_([X|Xs], [X-N|Rest]) :- take_same(X, Xs, 1, N, Ys), clumped_(Ys, Rest).
take_same(X, [X|Xs], N0, N, Ys) :- !, N1 is N0 + 1, take_same(X, Xs, N1, N, Ys).
take_same(_, Xs, N, N, Xs).

kind(_, Ns, Ss, 8) :- straight(Ns), flush(Ss), !.
kind([4-_|_], _, _, 7) :- !.
kind([3-_, 2-_], _, _, 6) :- !.
kind(_, _, Ss, 5) :- flush(Ss), !.
kind(_, Ns, _, 4) :- straight(Ns), !.
kind([3-_|_], _, _, 3) :- !.
kind([2-_, 2-_|_], _, _, 2) :- !.
kind([2-_|_], _, _, 1) :- !.
kind(_, _, _, 0).

straight([14, 5, 4, 3, 2]).
straight([A, B, C, D, E]) :- A =:= B + 1, B =:= C + 1, C =:= D + 1, D =:= E + 1.
flush([S|Ss]) :- forall(member(T, Ss), T == S).
