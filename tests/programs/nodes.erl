%% Programs on two nodes. Each test/0 function returns a term that must be the same on BEAM.
-module(nodes).
-compile([export_all, nowarn_export_all]).

tests() ->
    [names, spawned, spawn_kinds, registered_names, monitors, links, calls, pings, node_monitors,
     tables, servers, terms, node_info, leaders, globals, groups, halted].

names() -> {node(), lists:sort(nodes()), is_alive(), lists:sort(nodes([this,connected]))}.

other() -> hd(nodes()).

%% Where it was raised is another test's affair.
reason({'EXIT', {Reason, _}}) -> Reason.

spawned() ->
    Me = self(), B = other(),
    P = spawn(B, fun() -> Me ! {self(), node(), node(Me), node(self())} end),
    receive {P, N1, N2, N3} -> {N1, N2, N3, node(P)} end.

spawn_kinds() ->
    B = other(), process_flag(trap_exit, true),
    P1 = spawn_link(B, erlang, exit, [bye]),
    R1 = receive {'EXIT', P1, W1} -> W1 end,
    {P2, M2} = spawn_monitor(B, fun() -> exit(oops) end),
    R2 = receive {'DOWN', M2, process, P2, W2} -> W2 end,
    Req = spawn_request(B, fun() -> exit(fin) end, [link, monitor]),
    R3 = receive {spawn_reply, Req, ok, P3} -> node(P3) end,
    R4 = lists:sort([receive {'EXIT', P3, A} -> {exit, A} end, receive {'DOWN', Req, process, P3, D} -> {down, D} end]),
    R5 = (catch spawn_opt(B, fun() -> ok end, [bad])),
    R6 = (catch spawn_request(B, erlang, self, foo, [])),
    {R1, R2, R3, R4, element(1, element(2, R5)), element(1, element(2, R6))}.

registered_names() ->
    B = other(), Me = self(),
    register(here, self()),
    P = spawn(B, fun() -> register(here, self()), Me ! ready, receive X -> Me ! {got, X, whereis(here) =:= self()} end end),
    receive ready -> ok end,
    {here, B} ! hello,
    R = receive {got, X, T} -> {X, T} end,
    {nobody, B} ! lost,
    {R, whereis(here) =:= self(), node(P), reason(catch register(other, P))}.

monitors() ->
    B = other(), Me = self(),
    M1 = monitor(process, {nobody, B}),
    R1 = receive {'DOWN', M1, process, O1, W1} -> {O1, W1} end,
    P = spawn(B, fun() -> register(srv, self()), Me ! ok, receive stop -> exit(stopped) end end),
    receive ok -> ok end,
    M2 = monitor(process, {srv, B}),
    M3 = monitor(process, P),
    {srv, B} ! stop,
    R2 = receive {'DOWN', M2, process, O2, W2} -> {O2, W2} end,
    R3 = receive {'DOWN', M3, process, O3, W3} -> {O3 =:= P, W3} end,
    M4 = monitor(process, P),
    R4 = receive {'DOWN', M4, process, _, W4} -> W4 end,
    M5 = monitor(process, {x, 'no@where'}),
    R5 = receive {'DOWN', M5, process, O5, W5} -> {O5, W5} end,
    {R1, R2, R3, R4, R5}.

links() ->
    B = other(), process_flag(trap_exit, true), Me = self(),
    P = spawn(B, fun() -> link(Me), Me ! linked, receive die -> exit(dead) end end),
    receive linked -> ok end,
    P ! die,
    R1 = receive {'EXIT', P, W} -> W end,
    R2 = (catch link(P)),
    R3 = receive {'EXIT', P, W2} -> W2 end,
    Q = spawn(B, fun() -> process_flag(trap_exit, true), Me ! up, receive Z -> Me ! {q, Z} end end),
    receive up -> ok end,
    exit(Q, reason),
    R4 = receive {q, {'EXIT', F, Rs}} -> {F =:= Me, Rs} end,
    {R1, R2, R3, R4, reason(catch is_process_alive(Q))}.

calls() ->
    B = other(),
    {rpc:call(B, erlang, node, []), erpc:call(B, fun() -> {node(), nodes() =/= []} end),
     rpc:call(B, erlang, error, [boom]) =:= rpc:call(B, erlang, error, [boom]),
     reason(catch erpc:call(B, erlang, error, [boom])), (catch erpc:call(B, erlang, throw, [ball])),
     rpc:call(B, erlang, exit, [x]), rpc:multicall([node(), B], erlang, node, []),
     rpc:call('no@where', erlang, node, []), reason(catch erpc:call('no@where', erlang, node, [])),
     erpc:multicall([node(), B], erlang, node, []), rpc:block_call(B, erlang, node, [])}.

pings() -> {net_adm:ping(other()), net_adm:ping(node()), net_adm:ping('no@where')}.

node_monitors() ->
    B = other(),
    true = monitor_node(B, true), true = monitor_node(B, true),
    ok = net_kernel:monitor_nodes(true, [nodedown_reason]),
    R0 = monitor_node('no@where', true),
    R1 = receive {nodedown, 'no@where'} -> gone end,
    M = monitor(process, {user, B}),
    process_flag(trap_exit, true),
    P = spawn_link(B, timer, sleep, [infinity]),
    R2 = erlang:disconnect_node(B),
    R3 = receive {'EXIT', P, W} -> W end,
    R4 = receive {'DOWN', M, process, O, W2} -> {O, W2} end,
    R5 = [receive {nodedown, B} -> down end || _ <- [1,2]],
    R6 = receive {nodedown, B, I} when is_list(I) -> proplists:is_defined(nodedown_reason, I) end,
    R7 = lists:member(B, nodes()),
    R8 = net_adm:ping(B),
    R9 = receive {nodeup, B, _} -> up end,
    {R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, lists:member(B, nodes())}.

tables() ->
    B = other(),
    ets:new(t, [named_table, public]), ets:insert(t, {a, 1}),
    persistent_term:put(k, here),
    rpc:call(B, persistent_term, put, [k, there]),
    {rpc:call(B, ets, info, [t]), persistent_term:get(k), rpc:call(B, persistent_term, get, [k]),
     rpc:call(B, ets, lookup, [t, a]) =/= ets:lookup(t, a)}.

init([]) -> {ok, []}.
handle_call(where, _, S) -> {reply, node(), S};
handle_call(die, _, _) -> exit(dying).
handle_cast({to, P}, S) -> P ! {cast, node()}, {noreply, S}.
handle_info(_, S) -> {noreply, S}.

servers() ->
    B = other(),
    {ok, P} = rpc:call(B, gen_server, start, [{local, srv}, ?MODULE, [], []]),
    R1 = gen_server:call({srv, B}, where),
    R2 = gen_server:call(P, where),
    gen_server:cast({srv, B}, {to, self()}),
    R3 = receive {cast, N} -> N end,
    R4 = (catch gen_server:call({srv, B}, die)),
    R5 = (catch gen_server:call({srv, B}, where)),
    R6 = (catch gen_server:call({srv, 'no@where'}, where)),
    {Rs, Bad} = gen_server:multi_call([node(), B], nosuch, where),
    {R1, R2, R3, element(1,element(2,R4)), R5, R6, Rs, lists:sort(Bad)}.

halted() ->
    B = other(),
    monitor_node(B, true),
    R1 = reason(catch erpc:call(B, erlang, halt, [])),
    R2 = receive {nodedown, B} -> down end,
    {R1, R2, nodes(), net_adm:ping(B), rpc:call(B, erlang, node, [])}.

terms() ->
    B = other(),
    P = rpc:call(B, erlang, self, []),
    R = rpc:call(B, erlang, make_ref, []),
    Bin = rpc:call(B, erlang, term_to_binary, [P]),
    {node(P), node(R), binary_to_term(Bin) =:= P, rpc:call(B, erlang, binary_to_term, [term_to_binary(P)]) =:= P,
     hd(pid_to_list(P)) =:= $<, list_to_pid(pid_to_list(P)) =:= P, element(1, list_to_tuple(string:split(pid_to_list(self()), "."))) =:= "<0"}.

globals() ->
    B = other(), Me = self(),
    ok = global:sync(), ok = rpc:call(B, global, sync, []),
    yes = global:register_name(me, self()),
    R1 = rpc:call(B, global, whereis_name, [me]) =:= self(),
    P = spawn(B, fun() -> global:register_name(it, self()), Me ! ok, receive X -> Me ! {it, X} end end),
    receive ok -> ok end,
    R2 = global:whereis_name(it) =:= P,
    global:send(it, 7),
    R3 = receive {it, 7} -> got end,
    R4 = global:trans({l, self()}, fun() -> done end),
    {R1, R2, R3, R4, global:registered_names() =/= []}.

groups() ->
    B = other(), Me = self(),
    pg:start(pg),
    rpc:call(B, erlang, apply, [fun() -> P = spawn(fun() -> pg:start(pg), Me ! {started, self()}, receive s -> s end end), P end, []]),
    receive {started, _} -> ok end,
    ok = pg:join(g, self()),
    timer:sleep(100),
    {rpc:call(B, pg, get_members, [g]) =:= [self()], length(pg:get_members(g))}.

leaders() ->
    B = other(), Me = self(),
    spawn(B, fun() -> io:format("from ~p~n", [node()]), Me ! done end),
    receive done -> ok end,
    rpc:call(B, io, format, ["rpc ~p~n", [x]]).

node_info() -> {erlang:nodes(visible) =:= nodes(), nodes(hidden), nodes(this) =:= [node()], true, reason(catch nodes(foo)),
   [{N =:= other(), maps:keys(I)} || {N, I} <- erlang:nodes(connected, #{connection_id => true, node_type => true})]}.
