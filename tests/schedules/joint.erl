%% Inputs and schedules that matter together.
-module(joint).
-export([start/1, guarded/1, both/1, waits/1, many/1, forced/1, mixed/1, crowd/1]).

%% Figure 3 of the paper.
start(N) ->
    S = self(),
    _ = spawn(fun() -> client(1, S) end),
    server(N).

server(N) ->
    receive
        {Pid, M} when M < N -> Pid ! ok, server(N);
        {Pid, M} when M >= N -> Pid ! last
    end.

client(N, Pid) ->
    Pid ! {self(), N},
    receive
        ok -> client(N + 1, Pid);
        last -> ok
    end.

%% Which message can be taken depends on the input.
guarded(X) ->
    Me = self(),
    spawn(fun() -> Me ! {a, X} end),
    spawn(fun() -> Me ! {b, 7} end),
    receive {Tag, V} when V > 5 -> Tag end.

%% Fails for one input, in one of two orders.
both(X) ->
    Me = self(),
    spawn(fun() -> Me ! one end),
    spawn(fun() -> Me ! two end),
    First = receive M -> M end,
    receive _ -> ok end,
    case {First, X} of
        {two, 42} -> error(found);
        _ -> ok
    end.

%% Waits for ever with most inputs.
waits(X) ->
    self() ! {a, X},
    receive {a, 17} -> ok end.

%% The number of processes is an input.
many(N) when is_integer(N), N >= 0, N < 4 ->
    Me = self(),
    [spawn(fun() -> Me ! I end) || I <- lists:seq(1, N)],
    [receive I -> I end || _ <- lists:seq(1, N)];
many(_) -> no.

%% Both messages come from one process, so the first is passed over only with some inputs.
forced(X) ->
    Me = self(),
    spawn(fun() -> Me ! {a, X}, Me ! {b, 7} end),
    receive {Tag, V} when V > 5 -> {Tag, weight(X)} end.

weight(X) when X > 3 -> big;
weight(_) -> small.

%% Messages and a table, and what is done with them depends on the input.
mixed(X) ->
    Me = self(),
    T = ets:new(t, [public]),
    spawn(fun() -> Me ! {a, X} end),
    spawn(fun() -> Me ! {b, 7}, ets:insert(T, {k, 1}) end),
    spawn(fun() -> ets:insert(T, {k, X}), Me ! {c, 3} end),
    First = receive {Tag, V} when V > 5 -> Tag end,
    Seen = case ets:lookup(T, k) of
               [{k, N}] when N > 10 -> large;
               [_] -> small;
               [] -> nothing
           end,
    Second = receive {Next, _} -> Next after 0 -> none end,
    case {First, Seen, Second} of
        {a, large, c} when X < 13 -> error(found);
        It -> It
    end.

%% Many see what is written, or what was there before, and only some inputs make a difference.
crowd(X) ->
    T = ets:new(t, [public]),
    ets:insert(T, {k, 0}),
    {_, W} = spawn_monitor(fun() -> ets:insert(T, {k, X}) end),
    Read = fun() -> exit(ets:lookup_element(T, k, 2) > 10) end,
    All = [element(2, spawn_monitor(Read)) || _ <- lists:seq(1, 12)],
    Seen = [receive {'DOWN', R, _, _, It} -> It end || R <- [W | All]],
    length([It || It <- Seen, It =:= true]).
