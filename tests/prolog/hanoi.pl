hanoi(0, _, _, _, []).
hanoi(N, From, To, By, Moves) :-
    N > 0,
    M is N - 1,
    hanoi(M, From, By, To, Before),
    hanoi(M, By, To, From, After),
    append(Before, [From-To|After], Moves).
