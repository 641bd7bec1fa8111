create(H, M, clock(H1, M1)) :- T is (H * 60 + M) mod 1440, H1 is T // 60, M1 is T mod 60.
add(clock(H, M), Mins, C) :- M1 is M + Mins, create(H, M1, C).
show(clock(H, M), S) :- format(string(S), "~|~`0t~d~2+:~|~`0t~d~2+", [H, M]).
equal(A, B) :- A = clock(H, M), B = clock(H, M).
