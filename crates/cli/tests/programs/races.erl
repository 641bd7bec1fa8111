%% Races for `gimlet test --schedules`.
-module(races).
-export([lost_update/0, waits/1, mended/0, overtakes/1, divides/1, is_small/1]).

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

%% Fails if the second process is first, and only with a list that holds something above 100.
-spec overtakes([integer()]) -> ok.
overtakes(L) ->
    Me = self(),
    spawn(fun() -> Me ! {first, lists:sum(L)} end),
    spawn(fun() -> Me ! {second, L} end),
    receive
        {first, _} -> ok;
        {second, Items} -> [below(It) || It <- Items], ok
    end.

below(N) when N > 100 -> exit(too_large);
below(_) -> ok.

%% With --pre is_small/1 no input is above 9.
divides(N) ->
    Me = self(),
    spawn(fun() -> Me ! {divide, 10} end),
    receive {divide, By} -> N div (N - By) end.

is_small(N) -> is_integer(N) andalso N < 10.
