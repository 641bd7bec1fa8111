%% A worker on another node: who asks it may wait for ever, unless it watches.
-module(cluster).
-export([where/0, ask/0, ask_watched/0]).

where() -> {node(), [rpc:call(N, erlang, node, []) || N <- nodes()]}.

ask() ->
    Worker = start(fun(Fun) -> spawn_opt('b@host', Fun, []) end),
    Worker ! {self(), 21},
    receive {Worker, N} -> N end.

ask_watched() ->
    {Worker, Monitor} = start(fun(Fun) -> spawn_monitor('b@host', Fun) end),
    Worker ! {self(), 21},
    receive
        {Worker, N} -> demonitor(Monitor, [flush]), {ok, N};
        {'DOWN', Monitor, process, Worker, noconnection} -> {error, no_worker}
    end.

start(Spawn) -> Spawn(fun() -> receive {From, N} -> From ! {self(), N * 2} end end).
