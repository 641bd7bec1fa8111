%% What `front' calls. Nothing here is for others.
-module(back).
-export([product/1, ball/1, twice/1, passed_on/1, hidden/1, offered/1, scaled/2]).

%% @private Numbers only; an empty list is a mistake here.
product([X]) -> X;
product([X | Rest]) -> X * product(Rest).

%% @hidden
ball({ball, R}) when R =/= 42 -> 4 * R * R * R;
ball({cone, R}) -> R / 0.

twice(0) -> 1 div (scaled(zero, 1) - 1);
twice(N) -> 2 * N + hidden(N).

%% @private Nobody knows how it is called.
passed_on(N) -> 10 div N.

%% @private
hidden(N) -> 100 div (N - 7).

%% @doc This is for everybody.
offered(N) -> 100 div N.

%% @private
scaled(zero, N) -> N;
scaled(Unit, N) -> N * maps:get(Unit, #{a => 1, b => 2}).
