%% What `front' calls. Nothing here is for others.
-module(back).
-export([product/1, ball/1, twice/1, passed_on/1, hidden/1, offered/1, scaled/2, clamped/1,
         left_alone/1]).

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
hidden(N) -> 100 div (N - 7) + clamped(2).

%% @doc This is for everybody.
offered(N) -> 100 div N.

%% @private
scaled(zero, N) -> N;
scaled(Unit, N) -> N * maps:get(Unit, #{a => 1, b => 2}).

%% @private What its spec allows is not what it is given.
-spec clamped(0..10) -> integer().
clamped(0) -> 1 div list_to_integer("0");
clamped(1) -> 2 div list_to_integer("0");
clamped(N) -> N.

%% @private Nobody calls it.
left_alone(N) -> 10 div N.
