%% Inputs and schedules that matter together.
-module(joint).
-export([start/1, guarded/1, both/1, waits/1, many/1, forced/1]).

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
