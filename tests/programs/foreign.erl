%% Pids, ports and references of other nodes, on a node that is alone. Each test/0 function returns a
%% term that must be the same on BEAM.
-module(foreign).
-compile([export_all, nowarn_export_all]).

tests() ->
    [whose, equal, ordered, keys, hashes, sizes, written, told, told_by_name, aliases, linked,
     watched, watched_by_name, ended, strangers, timers, tables, ports, node_monitors, started,
     asked, listed, read, leaders, restarted].

pid() -> pid('a@h', 77, 0, 7).
port() -> port('a@h', 12, 7).
ref() -> ref('a@h', [5, 1, 9], 7).

pid(Node, Id, Serial, Creation) ->
    read([88, name(Node), <<Id:32, Serial:32, Creation:32>>]).
port(Node, Id, Creation) ->
    read([120, name(Node), <<Id:64, Creation:32>>]).
ref(Node, Words, Creation) ->
    read([<<90, (length(Words)):16>>, name(Node), <<Creation:32>>, [<<W:32>> || W <- Words]]).

name(Node) -> Name = atom_to_binary(Node), <<119, (byte_size(Name)), Name/binary>>.
read(Bytes) -> binary_to_term(iolist_to_binary([131 | Bytes])).

try_(Fun) -> try Fun() catch Class:Reason -> {Class, Reason} end.
mail() -> receive M -> [M | mail()] after 50 -> [] end.

whose() ->
    {[node(X) || X <- [pid(), port(), ref(), self(), make_ref()]], is_pid(pid()), is_port(port()),
     is_reference(ref())}.

equal() ->
    {pid() =:= pid(), pid() == pid('a@h', 77, 0, 8), pid() =:= pid('b@h', 77, 0, 7),
     port() =:= port(), ref() =:= ref(), ref('a@h', [1], 7) =:= ref('a@h', [1, 0, 0], 7),
     ref('a@h', [1], 7) =:= ref('a@h', [1, 0, 1], 7), pid(node(), 77, 0, 3) =:= pid(node(), 77, 0, 0)}.

ordered() ->
    Pids = [pid('b@h', 1, 1, 0), pid('a@h', 2, 1, 0), pid('a@h', 1, 2, 0), pid('a@h', 1, 1, 1),
            pid(node(), 1, 1, 0), pid(node(), 1, 1, 5), pid('z@h', 0, 0, 0)],
    Refs = [ref('b@h', [1, 1], 0), ref('a@h', [2, 1], 0), ref('a@h', [1, 2], 0), ref('a@h', [9], 0),
            ref(node(), [1, 1, 1], 0), ref(node(), [1, 1, 1], 4), ref('a@h', [0, 0, 0, 1], 0)],
    Ports = [port('b@h', 1, 0), port('a@h', 2, 0), port('a@h', 1, 1), port(node(), 7, 0)],
    All = Pids ++ Refs ++ Ports,
    {lists:sort(All) =:= lists:sort(lists:reverse(All)), places(Pids), places(Refs), places(Ports)}.

places(Items) ->
    Sorted = lists:sort(Items),
    [length(lists:takewhile(fun(It) -> It =/= Item end, Sorted)) || Item <- Items].

keys() ->
    Map = maps:from_list([{pid('a@h', N, 0, C), {N, C}} || N <- lists:seq(1, 40), C <- [1, 2]]),
    {map_size(Map), maps:get(pid('a@h', 7, 0, 2), Map), maps:is_key(pid('a@h', 7, 0, 3), Map),
     case Map of #{} -> maps:size(maps:remove(pid('a@h', 7, 0, 2), Map)) end}.

hashes() ->
    All = [pid(), port(), ref(), port('a@h', 1 bsl 60 + 99, 1), pid('a@h', 1 bsl 20 + 3, 9, 9)],
    {[erlang:phash2(X) || X <- All], [erlang:phash(X, 1 bsl 32) || X <- All], erlang:phash2(All)}.

sizes() -> [erts_debug:flat_size(X) || X <- [pid(), port(), ref(), ref('a@h', [1], 7), self()]].

written() ->
    All = [pid(), port(), ref(), ref('a@h', [1], 7), pid('a@h', 1 bsl 31, 1 bsl 30, 1 bsl 31),
           port('a@h', 1 bsl 63, 1), #{pid() => [ref()]}],
    {[term_to_binary(X) || X <- All], [binary_to_term(term_to_binary(X)) =:= X || X <- All],
     hd(pid_to_list(pid())), [erlang:external_size(X) || X <- All]}.

told() ->
    P = pid(),
    {P ! hello, erlang:send(P, hello, []), erlang:send(P, hello, [noconnect]),
     erlang:send(P, hello, [nosuspend]), erlang:send_nosuspend(P, hello),
     erlang:send_nosuspend(P, hello, [noconnect]), mail()}.

told_by_name() ->
    To = {somebody, 'a@h'},
    {To ! hello, erlang:send(To, hello, [noconnect]), ({somebody, node()} ! hello),
     try_(fun() -> {somebody, 7} ! hello end), mail()}.

aliases() -> {ref() ! hello, unalias(ref()), try_(fun() -> demonitor(ref()) end),
              try_(fun() -> demonitor(ref(), [flush]) end), try_(fun() -> port() ! hello end)}.

linked() ->
    {P, M} = spawn_monitor(fun() -> link(pid()), receive never -> ok end end),
    Why = receive {'DOWN', M, process, P, W} -> W end,
    process_flag(trap_exit, true),
    Linked = link(pid()),
    Mail = [case It of {'EXIT', From, R} -> {From =:= pid(), R} end || It <- mail()],
    {Why, Linked, Mail, unlink(pid()), try_(fun() -> link(port()) end),
     try_(fun() -> unlink(port()) end), process_info(self(), links)}.

watched() ->
    M = monitor(process, pid()),
    [{'DOWN', M, process, P, Why}] = mail(),
    {P =:= pid(), Why, demonitor(M), process_info(self(), monitors)}.

watched_by_name() ->
    {try_(fun() -> monitor(process, {somebody, 'a@h'}) end), try_(fun() -> monitor(port, port()) end),
     begin M = monitor(process, {somebody, node()}), [{'DOWN', M, process, Who, Why}] = mail(), {Who, Why} end}.

ended() -> {exit(pid(), kill), try_(fun() -> exit(port(), kill) end)}.

strangers() ->
    P = pid(),
    [try_(F) || F <- [fun() -> is_process_alive(P) end, fun() -> process_info(P) end,
                      fun() -> process_info(P, links) end, fun() -> register(name, P) end,
                      fun() -> register(name, port()) end, fun() -> garbage_collect(P) end,
                      fun() -> process_flag(P, save_calls, 0) end,
                      fun() -> erlang:suspend_process(P) end, fun() -> erlang:resume_process(P) end,
                      fun() -> erlang:trace(P, true, [call]) end,
                      fun() -> erlang:trace_info(P, flags) end,
                      fun() -> erlang:trace(port(), true, [call]) end]].

timers() ->
    [try_(F) || F <- [fun() -> erlang:send_after(0, pid(), x) end,
                      fun() -> erlang:start_timer(0, pid(), x) end,
                      fun() -> erlang:cancel_timer(ref()) end, fun() -> erlang:read_timer(ref()) end]].

tables() ->
    T = ets:new(t, []),
    ets:insert(T, [{pid(), 1}, {ref(), 2}, {port(), 3}]),
    {[try_(F) || F <- [fun() -> ets:give_away(T, pid(), x) end,
                       fun() -> ets:new(t, [{heir, pid(), x}]) end,
                       fun() -> ets:setopts(T, {heir, pid(), x}) end, fun() -> ets:info(ref()) end,
                       fun() -> ets:lookup(ref(), a) end]],
     [ets:lookup_element(T, X, 2) || X <- [pid(), ref(), port()]], ets:member(T, pid('a@h', 77, 0, 8))}.

ports() ->
    O = port(),
    [try_(F) || F <- [fun() -> erlang:port_info(O) end, fun() -> erlang:port_info(O, name) end,
                      fun() -> port_command(O, "x") end, fun() -> port_close(O) end,
                      fun() -> port_connect(O, self()) end, fun() -> port_control(O, 1, "") end]].

node_monitors() ->
    {[try_(F) || F <- [fun() -> monitor_node('a@h', true) end, fun() -> monitor_node('a@h', false) end,
                       fun() -> monitor_node(node(), true) end, fun() -> monitor_node(7, true) end,
                       fun() -> erlang:monitor_node('a@h', true, [what]) end]],
     net_kernel:monitor_nodes(true), erlang:disconnect_node('a@h'),
     net_kernel:connect_node('a@h'), mail()}.

started() ->
    Reply = spawn_request('a@h', erlang, self, []),
    Told = [case It of {spawn_reply, R, error, Why} -> {R =:= Reply, Why} end || It <- mail()],
    spawn_request('a@h', erlang, self, [], [{reply, no}]),
    spawn_request('a@h', erlang, self, [], [{reply, success_only}]),
    {Pid, Monitor} = spawn_monitor('a@h', erlang, self, []),
    Down = receive {'DOWN', Monitor, process, Pid, W} -> W end,
    {Told, mail(), Down, node(Pid), node(spawn('a@h', fun() -> ok end)),
     try_(fun() -> spawn(7, fun() -> ok end) end),
     try_(fun() -> spawn_request('a@h', 7, self, []) end)}.

asked() ->
    {try_(fun() -> gen_server:call(pid(), x) end) =/= x,
     try_(fun() -> gen_server:call({somebody, 'a@h'}, x) end), rpc:call('a@h', erlang, node, []),
     try_(fun() -> erpc:call('a@h', erlang, node, []) end), net_adm:ping('a@h'), net_adm:ping(node())}.

listed() ->
    _ = pid(),
    {nodes(), lists:member('a@h', nodes(known)), nodes(hidden), nodes(visible), nodes(this),
     nodes(connected), nodes([this, connected, this]), nodes([]), try_(fun() -> nodes(foo) end),
     is_alive(), node()}.

read() ->
    [try_(fun() -> list_to_pid(pid_to_list(pid())), known end),
     try_(fun() -> list_to_ref(ref_to_list(ref())), known end),
     try_(fun() -> list_to_port(port_to_list(port())), known end),
     try_(fun() -> list_to_ref("#Ref<0.3.2.1>") =:= ref(node(), [1, 2, 3], 0) end),
     [list_to_ref(ref_to_list(It)) =:= It || It <- references()],
     [binary_to_term(term_to_binary(It)) =:= It || It <- references()],
     try_(fun() -> binary_to_term(<<131, 88, 119, 7, "zqzq@zq", 0:96>>, [safe]) end)].

references() ->
    [make_ref(), ets:new(table, []), ets:match_spec_compile([]), atomics:new(1, [])].

leaders() ->
    Self = self(),
    spawn(fun() -> true = group_leader(pid(), self()), Self ! {leader, group_leader() =:= pid()} end),
    {group_leader(self(), pid()), receive {leader, It} -> It end}.

%% The node was another when it had these.
restarted() ->
    {P, O, R} = {pid(node(), 77, 0, 3), port(node(), 12, 3), ref(node(), [5, 1, 0], 3)},
    M = monitor(process, P),
    Watched = receive {'DOWN', M, process, P, W} -> W end,
    N = monitor(port, O),
    WatchedPort = receive {'DOWN', N, port, O, V} -> V end,
    Linked = try_(fun() -> link(P) end),
    process_flag(trap_exit, true),
    {node(P) =:= node(), pid_to_list(P), Watched, WatchedPort, Linked, link(P), link(O), mail(),
     [try_(F) || F <- [fun() -> is_process_alive(P) end, fun() -> process_info(P) end,
                       fun() -> process_info(P, links) end, fun() -> P ! hello end,
                       fun() -> O ! hello end, fun() -> R ! hello end, fun() -> exit(P, kill) end,
                       fun() -> register(x, P) end, fun() -> garbage_collect(P) end,
                       fun() -> erlang:send_after(0, P, x) end, fun() -> group_leader(self(), P) end,
                       fun() -> erlang:trace_info(P, flags) end, fun() -> erlang:port_info(O) end,
                       fun() -> unlink(O) end, fun() -> exit(O, kill) end,
                       fun() -> port_close(O) end, fun() -> demonitor(R) end,
                       fun() -> gen_server:call(P, x) end]]}.
