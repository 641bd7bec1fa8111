%% Races for `gimlet test --schedules`.
-module(races).
-export([lost_update/0, waits/1, mended/0]).

%% Two processes add one each to what they have read.
lost_update() ->
    T = ets:new(t, [public]),
    ets:insert(T, {n, 0}),
    Me = self(),
    [spawn(fun() ->
        [{n, N}] = ets:lookup(T, n),
        ets:insert(T, {n, N + 1}),
        Me ! done
     end) || _ <- [1, 2]],
    [receive done -> ok end || _ <- [1, 2]],
    [{n, 2}] = ets:lookup(T, n),
    ok.

mended() ->
    T = ets:new(t, [public]),
    ets:insert(T, {n, 0}),
    Me = self(),
    [spawn(fun() -> ets:update_counter(T, n, 1), Me ! done end) || _ <- [1, 2]],
    [receive done -> ok end || _ <- [1, 2]],
    [{n, 2}] = ets:lookup(T, n),
    ok.

%% Waits for ever with one input only.
waits(X) ->
    Me = self(),
    spawn(fun() -> Me ! {value, X} end),
    receive {value, V} when V =/= 7 -> ok end.
