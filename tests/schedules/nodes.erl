%% Programs on two or three nodes, any but the first of which may go down.
-module(nodes).
-compile([export_all, nowarn_export_all]).

%% One node to work on, also if it is down by now.
other() -> b@h.

%% An answer, or nobody who gives one.
watched() ->
    Self = self(),
    {P, M} = spawn_monitor(other(), fun() -> receive {From, N} -> From ! {self(), N * 2} end end),
    P ! {Self, 21},
    receive
        {P, N} -> N;
        {'DOWN', M, process, P, Why} -> Why
    end.

%% Nobody hears that the answer will never come.
unwatched() ->
    Self = self(),
    P = spawn_opt(other(), fun() -> receive {From, N} -> From ! {self(), N * 2} end end, []),
    P ! {Self, 21},
    receive {P, N} -> N end.

linked() ->
    process_flag(trap_exit, true),
    P = spawn_link(other(), fun() -> ok end),
    receive {'EXIT', P, Why} -> Why end.

called() -> rpc:call(other(), erlang, abs, [-3]).

seen() -> {length(nodes()), length(nodes())}.

told() ->
    monitor_node(other(), true),
    receive {nodedown, _} -> down after 10 -> up end.

%% Two that hear of the same end.
both() ->
    Self = self(),
    Hear = fun(Tag) -> fun() -> monitor_node(other(), true), Self ! ready,
                                receive {nodedown, _} -> Self ! Tag after 10 -> Self ! none end end end,
    spawn(Hear(a)), spawn(Hear(b)),
    [receive ready -> ok end || _ <- [1, 2]],
    [next(), next()].

next() -> receive M -> M end.

%% A name that is there, not there, or on a node that is not.
named() ->
    Self = self(),
    spawn_opt(other(), fun() -> register(it, self()), Self ! up, receive stop -> ok end end, []),
    M = monitor(process, {it, other()}),
    receive {'DOWN', M, process, _, Why} -> Why; up -> up end.

%% A table that went with its node.
stored() ->
    Self = self(),
    spawn_opt(other(), fun() -> ets:new(t, [named_table, public]), Self ! up, receive stop -> ok end end, []),
    receive up -> ok after 10 -> ok end,
    rpc:call(other(), ets, info, [t, size]).
