%% Nodes of the real BEAM for programs that need several nodes.
%%
%% The agent starts them and is not one of them; they stop with it. There is no port mapper daemon:
%% `register_node/3` and `address_please/3` are called in place of `erl_epmd`. The file is parsed form by
%% form without a preprocessor, so it uses no macros and no includes.
-module(gimlet_nodes).
-export([on/4]).
-export([call/4, settle/1, fall/2, echo/0]).
-export([start_link/0, register_node/2, register_node/3, listen_port_please/2, address_please/3]).
-export([port_please/2, port_please/3, names/1]).

%% Applies a function on the first of some new nodes, which have this code loaded. Its last argument is a
%% map from the nodes' names to processes through which the nodes are reached.
on(Named, Code, {Module, Function, Args}, Limit) ->
    {Names, _} = lists:unzip(Named),
    Nodes = [binary_to_atom(Name) || Name <- Names],
    Starting = [start(binary_to_atom(Name), Port) || {Name, Port} <- Named],
    Peers = [Peer || {ok, Peer} <- Starting],
    case [ok || Peer <- Peers, is_up(Peer, Limit)] of
        Up when length(Up) =:= length(Nodes) ->
            prepare(Nodes, Peers, Code),
            Echo = fun(Peer) -> peer:call(Peer, erlang, spawn, [gimlet_nodes, echo, []]) end,
            Echoes = maps:from_list(lists:zip(Names, [Echo(Peer) || Peer <- Peers])),
            peer:call(hd(Peers), Module, Function, Args ++ [Echoes], infinity);
        _ ->
            {unusable, <<"nodes do not start">>}
    end.

%% Each node listens on the given port, since a sandbox may allow no others. The script `erl` would need
%% a shell.
start(Node, Port) ->
    Listen = integer_to_list(Port),
    Args = [
        "-epmd_module", "gimlet_nodes", "-setcookie", "gimlet", "-boot", "no_dot_erlang",
        "-kernel", "inet_dist_listen_min", Listen, "inet_dist_listen_max", Listen
    ],
    Options = #{connection => standard_io, shutdown => close, wait_boot => {self(), Node}},
    peer:start(Options#{args => Args, exec => filename:join(os:getenv("BINDIR"), "erlexec")}).

is_up(Peer, Limit) ->
    receive {_, {started, _, Peer}} -> true; {_, {boot_failed, _, Peer}} -> false
    after Limit -> false
    end.

prepare(Nodes, Peers, Code) ->
    All = lists:zip(Nodes, Peers),
    [peer:call(Peer, code, set_path, [code:get_path()]) || Peer <- Peers],
    [load(Peer, Loaded) || Peer <- Peers, Loaded <- Code],
    Ports = maps:from_list([{atom_to_list(Node), listens(Node, Peer)} || {Node, Peer} <- All]),
    [peer:call(Peer, persistent_term, put, [gimlet_ports, Ports]) || Peer <- Peers],
    [peer:call(Peer, net_kernel, connect_node, [To]) || {Node, Peer} <- All, To <- Nodes, Node < To],
    [peer:call(Peer, persistent_term, erase, [gimlet_port]) || Peer <- Peers].

load(Peer, {Module, Path, Beam}) ->
    _ = peer:call(Peer, code, unstick_mod, [Module]),
    peer:call(Peer, code, load_binary, [Module, unicode:characters_to_list(Path), Beam]).

listens(Node, Peer) ->
    [_, Host] = string:split(atom_to_list(Node), "@"),
    Domain = case lists:member($., Host) of true -> longnames; false -> shortnames end,
    {ok, _} = peer:call(Peer, net_kernel, start, [Node, #{name_domain => Domain}]),
    peer:call(Peer, persistent_term, get, [gimlet_port]).

%% On the nodes ----------------------------------------------------------------------------

%% Makes a call without a schedule.
call(Module, Function, Args, _) ->
    Made = fun() ->
        exit({gimlet_nodes,
            try {value, apply(Module, Function, Args)}
            catch Class:Reason:Trace -> {raised, Class, Reason, trim(Trace)}
            end})
    end,
    {_, Ref} = spawn_monitor(Made),
    receive
        {'DOWN', Ref, process, _, {gimlet_nodes, End}} -> End;
        {'DOWN', Ref, process, _, Reason} -> {exited, Reason}
    end.

trim(Trace) -> lists:takewhile(fun(Frame) -> element(1, Frame) =/= gimlet_nodes end, Trace).

%% Waits until everything sent from one node to another has arrived: signals between two nodes keep their
%% order.
settle(Echoes) ->
    Ask = make_ref(),
    [Echo ! {settle, self(), Ask, Echoes -- [Echo]} || Echo <- Echoes],
    [heard(Echo, Ask) || Echo <- Echoes],
    ok.

%% Stops a node, and waits until the others know.
fall(Echo, Others) ->
    Ask = make_ref(),
    Echo ! halt,
    [It ! {misses, self(), Ask, node(Echo)} || It <- Others],
    [heard(It, Ask) || It <- Others],
    settle(Others).

heard(Echo, Ask) ->
    Monitor = monitor(process, Echo),
    receive
        {Echo, Ask} -> demonitor(Monitor, [flush]);
        {'DOWN', Monitor, process, _, _} -> true
    end.

echo() ->
    receive
        {heard, From, Ask} ->
            From ! {self(), Ask};
        {settle, From, Ask, Others} ->
            Me = self(),
            spawn(fun() ->
                [Echo ! {heard, self(), Ask} || Echo <- Others],
                [heard(Echo, Ask) || Echo <- Others],
                From ! {Me, Ask}
            end);
        {misses, From, Ask, Node} ->
            Me = self(),
            spawn(fun() -> gone(Node), From ! {Me, Ask} end);
        halt ->
            erlang:halt(0, [{flush, false}])
    end,
    echo().

%% Waits until this process is told that the node is down: monitors of nodes are notified last, after
%% links and monitors of processes.
gone(Node) ->
    monitor_node(Node, true),
    receive {nodedown, Node} -> ok end,
    case lists:member(Node, nodes(connected)) of
        true -> gone(Node);
        false -> ok
    end.

%% In place of erl_epmd --------------------------------------------------------------------

start_link() -> ignore.

register_node(Name, Port) -> register_node(Name, Port, inet).

register_node(_, Port, _) ->
    persistent_term:put(gimlet_port, Port),
    {ok, 1}.

listen_port_please(_, _) -> {ok, 0}.

address_please(Name, Host, _) ->
    Node = lists:flatten([Name, $@, Host]),
    case persistent_term:get(gimlet_ports, #{}) of
        #{Node := Port} -> {ok, {127, 0, 0, 1}, Port, 5};
        #{} -> {error, nxdomain}
    end.

port_please(_, _) -> noport.

port_please(_, _, _) -> noport.

names(_) -> {error, address}.
