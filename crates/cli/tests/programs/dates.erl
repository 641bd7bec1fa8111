%% What types can't say is said by preconditions.
-module(dates).
-export([day/2, valid/2, checked/2, odd/2, helper/1, hidden/1]).

-gimlet({pre, checked/2, valid/2}).
-gimlet({skip, helper/1}).
-gimlet({pre, hidden/1, positive/1}).

-spec day(1..12, 1..31) -> ok.
day(Month, Day) when Day =< 31 -> true = Day =< last(Month), ok.

-spec checked(1..12, 1..31) -> ok.
checked(Month, Day) -> day(Month, Day).

valid(Month, Day) -> Day =< last(Month).

odd(X, Y) -> X + Y.

last(2) -> 28;
last(Month) when Month =:= 4; Month =:= 6; Month =:= 9; Month =:= 11 -> 30;
last(_) -> 31.

helper(X) -> 1 div X.

hidden(X) -> 1 div X.

%% Not exported, and asked all the same.
positive(X) -> is_integer(X) andalso X > 0.
