%% Inputs that decide between ends, where one input alone has tens of thousands of schedules.
-module(inputs).
-export([crashes/1, races/1]).

%% Fails with 42, in every schedule.
crashes(N) ->
    write_all(8),
    if N =:= 42 -> error(boom); true -> ok end.

%% Fails with 77, and only if two counts are lost or more.
races(N) when is_integer(N) ->
    T = ets:new(t, [public]),
    P = self(),
    ets:insert(T, {k, 0}),
    Count = fun() -> [{k, V}] = ets:lookup(T, k), ets:insert(T, {k, V + 1}), P ! done end,
    [spawn(Count) || _ <- lists:seq(1, 4)],
    [receive done -> ok end || _ <- lists:seq(1, 4)],
    case {N, ets:lookup(T, k)} of
        {77, [{k, V}]} when V < 3 -> error(lost);
        _ -> ok
    end.

write_all(N) ->
    T = ets:new(t, [public]),
    P = self(),
    [spawn(fun() -> ets:insert(T, {k, I}), P ! done end) || I <- lists:seq(1, N)],
    [receive done -> ok end || _ <- lists:seq(1, N)].
