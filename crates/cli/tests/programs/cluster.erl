%% A worker on another node: who asks it may wait for ever, unless it watches.
-module(cluster).
-export([where/0, ask/0, ask_watched/0]).
-export([overtaken/0, called/0, killed_from_afar/0, started_too_late/0, asks_once/0]).
-export([where_is_the_answer/1]).

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

%% A registered worker doubles for whoever comes first, then it is gone.
overtaken() ->
    Self = self(),
    spawn('b@host', fun() ->
        register(worker, self()),
        Self ! up,
        receive {From, N} -> From ! N * 2 end
    end),
    receive up -> ok end,
    spawn('b@host', fun() -> worker ! {Self, 1} end),
    {worker, 'b@host'} ! {Self, 21},
    receive N -> 42 = N end.

called() ->
    Table = spawn('b@host', fun Keep() -> receive {From, N} -> From ! N, Keep() end end),
    Self = self(),
    spawn(fun() -> Self ! rpc:call('b@host', erlang, is_process_alive, [Table]) end),
    exit(Table, kill),
    receive true -> ok end.

killed_from_afar() ->
    process_flag(trap_exit, true),
    Linked = spawn_link('b@host', fun() -> receive {stop, Why} -> exit(Why) end end),
    Linked ! {stop, bored},
    receive {'EXIT', Linked, Why} -> error({Why, node(Linked)}) end.

started_too_late() ->
    Self = self(),
    {Worker, Monitor} = spawn_monitor('b@host', fun() -> Self ! up end),
    receive
        up -> ok;
        {'DOWN', Monitor, process, Worker, Why} -> error(Why)
    end.

asks_once() ->
    Worker = start(fun(Fun) -> spawn('b@host', Fun) end),
    Worker ! {self(), 1},
    receive {Worker, 2} -> ok after 1000 -> error(no_answer) end.

where_is_the_answer(List) ->
    case rpc:call('b@host', erlang, hd, [List]) of
        42 -> error(node(self()));
        _ -> ok
    end.
