:- module(clock, [create_clock/2, add_minutes/3, display/2, valid/1]).
%! create_clock(+HM, -Clock) is det.
create_clock(hm(H, M), clock(T)) :- integer(H), integer(M), T is (H * 60 + M) mod 1440.
add_minutes(clock(T), M, clock(T1)) :- T1 is (T + M) mod 1440.
display(clock(T), S) :- H is T // 60, M is T mod 60, format(string(S), "~|~`0t~d~2+:~|~`0t~d~2+", [H, M]).
valid(clock(T)) :- must_be(integer, T), T >= 0, T < 1440.
