qsort([], []).
qsort([H|T], Sorted) :-
    split(H, T, Small, Big),
    qsort(Small, S),
    qsort(Big, B),
    append(S, [H|B], Sorted).
split(_, [], [], []).
split(P, [X|Xs], [X|S], B) :- X =< P, split(P, Xs, S, B).
split(P, [X|Xs], S, [X|B]) :- X > P, split(P, Xs, S, B).
