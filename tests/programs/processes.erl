%% Programs about processes. Each test/0 function returns a term that must be the same on BEAM.
-module(processes).
-compile([export_all, nowarn_export_all]).

tests() ->
    [order, selective, links, trapping, exit_reasons, exit_normal, kill, monitors, monitor_name, vain_monitors,
     demonitors, tags, aliases, reply_aliases, names, dictionary, timeouts, timers, absolute_timers,
     cancelled, units, unique, dates, spawn_options, spawn_requests, info, flags, errors_of_times,
     crashes, leaders, environment, nested_receive, ring, sleeping, hibernating, system,
     by_priority, low_priority, not_starved, priorities].

order() ->
    Self = self(),
    P = spawn(fun() -> [Self ! {n, N} || N <- lists:seq(1, 10)], Self ! done end),
    {is_pid(P), collect(done)}.

collect(Last) ->
    receive Last -> []; M -> [M | collect(Last)] after 1000 -> [timeout] end.

selective() ->
    [self() ! M || M <- [a, b, c, d]],
    X = receive c -> first end,
    Y = receive M when M =/= a -> M end,
    {X, Y, collect(d)}.

links() ->
    process_flag(trap_exit, true),
    P = spawn_link(fun() -> receive go -> exit(gone) end end),
    {links, L} = process_info(self(), links),
    P ! go,
    R = receive {'EXIT', P, Why} -> Why end,
    {lists:member(P, L), R, process_info(self(), links), catch link(P), drain(1, P)}.

drain(0, _) -> [];
drain(N, P) -> receive {'EXIT', P, Why} -> [Why | drain(N - 1, P)] after 100 -> [none] end.

trapping() ->
    Old = process_flag(trap_exit, true),
    Self = self(),
    exit(Self, normal),
    exit(Self, other),
    {Old, [receive {'EXIT', Self, R} -> R end || _ <- [1, 2]]}.

exit_reasons() ->
    [begin
         {P, R} = spawn_monitor(F),
         receive {'DOWN', R, process, P, Why} -> strip(Why) end
     end
     || F <- [
            fun() -> ok end, fun() -> exit(a) end, fun() -> error(b) end, fun() -> throw(c) end,
            fun() -> exit(kill) end, fun() -> exit(self(), kill), receive never -> ok end end,
            fun() -> exit(self(), normal), receive never -> ok after 10 -> alive end end,
            fun() -> 1 / zero() end, fun() -> 1 = zero() end, fun() -> exit(normal) end,
            fun() -> lists:nosuch() end
        ]].

zero() -> 0.

strip({Why, [{_, _, _, _} | _]}) -> {Why, trace};
strip(Why) -> Why.

exit_normal() ->
    P = spawn(fun() -> receive stop -> ok end end),
    exit(P, normal),
    A = is_process_alive(P),
    exit(P, reason),
    R = monitor(process, P),
    {A, receive {'DOWN', R, process, P, Why} -> lists:member(Why, [reason, noproc]) end}.

kill() ->
    process_flag(trap_exit, true),
    P = spawn_link(fun() -> process_flag(trap_exit, true), receive never -> ok end end),
    exit(P, kill),
    receive {'EXIT', P, Why} -> Why end.

monitors() ->
    P = spawn(fun() -> receive {die, R} -> exit(R) end end),
    R1 = monitor(process, P),
    R2 = monitor(process, P),
    {monitors, M} = process_info(self(), monitors),
    {monitored_by, By} = process_info(P, monitored_by),
    P ! {die, why},
    A = receive {'DOWN', R1, process, P, W1} -> W1 end,
    B = receive {'DOWN', R2, process, P, W2} -> W2 end,
    R3 = monitor(process, P),
    C = receive {'DOWN', R3, process, P, W3} -> W3 end,
    {length(M), By =:= [self(), self()], A, B, C}.

monitor_name() ->
    R = monitor(process, nobody_here),
    A = receive {'DOWN', R, process, Who, Why} -> {Who, Why} end,
    P = spawn(fun() -> receive stop -> exit(stopped) end end),
    register(somebody, P),
    R2 = monitor(process, somebody),
    somebody ! stop,
    {A, receive {'DOWN', R2, process, Who2, Why2} -> {Who2, Why2} end}.

demonitors() ->
    P = spawn(fun() -> ok end),
    timer:sleep(10),
    R = monitor(process, P),
    timer:sleep(1),
    A = demonitor(R, [flush, info]),
    R2 = monitor(process, spawn(fun() -> receive never -> ok end end)),
    B = demonitor(R2, [info]),
    C = demonitor(R2, [info]),
    {A, B, C, demonitor(R2), catch element(1, element(2, catch demonitor(foo))), collect_all()}.

collect_all() -> receive M -> [M | collect_all()] after 0 -> [] end.

%% That nobody is there is told at once of a name, and of a pid when the process waits.
vain_monitors() ->
    {Gone, First} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', First, _, _, _} -> ok end,
    Heard = fun(R) -> receive {'DOWN', R, _, _, Why} -> Why after 0 -> nothing end end,
    ByPid = monitor(process, Gone),
    self() ! other,
    Before = receive other -> Heard(ByPid) end,
    erlang:yield(),
    After = Heard(ByPid),
    Off = monitor(process, Gone),
    demonitor(Off),
    erlang:yield(),
    {Before, After, Heard(Off), Heard(monitor(process, nobody))}.

tags() ->
    R = monitor(process, nobody, [{tag, {my, tag}}]),
    receive {{my, tag}, R, process, W, Why} -> {W, Why} after 100 -> none end.

aliases() ->
    A = alias(),
    A ! one,
    X = receive one -> got after 100 -> none end,
    Y = unalias(A),
    A ! two,
    {X, Y, unalias(A), receive two -> got after 10 -> none end}.

reply_aliases() ->
    A = alias([reply]),
    A ! one, A ! two,
    X = collect_all(),
    Server = spawn(fun() -> receive {From, M} -> From ! {M, 1}, From ! {M, 2} end end),
    R = monitor(process, Server, [{alias, reply_demonitor}]),
    Server ! {R, R},
    {X, receive {R, 1} -> first end, receive {R, 2} -> second after 10 -> none end,
     receive {'DOWN', R, _, _, _} -> down after 10 -> none end}.

names() ->
    P = spawn(fun() -> receive stop -> ok end end),
    true = register(my_name, P),
    A = whereis(my_name) =:= P,
    B = process_info(P, registered_name),
    C = [element(1, element(2, catch register(N, Q)))
         || {N, Q} <- [{my_name, self()}, {other, P}, {undefined, self()}, {"x", self()},
                       {gone, spawn_dead()}]],
    D = lists:member(my_name, registered()),
    true = unregister(my_name),
    {A, B, C, D, whereis(my_name), element(1, element(2, catch unregister(my_name))),
     process_info(P, registered_name), element(1, element(2, catch my_name ! hi)),
     {my_name, node()} ! hi}.

spawn_dead() ->
    P = spawn(fun() -> ok end),
    R = monitor(process, P),
    receive {'DOWN', R, _, _, _} -> P end.

dictionary() ->
    A = [put(a, 1), put(a, 2), put(b, 2), get(a), get(c)],
    {A, lists:sort(get()), lists:sort(get_keys()), lists:sort(get_keys(2)), erase(a), erase(a),
     get(), erase(), get()}.

timeouts() ->
    A = receive x -> x after 0 -> none end,
    self() ! x,
    B = receive x -> x after 0 -> none end,
    C = receive y -> y after 5 -> late end,
    D = [element(1, element(2, catch (receive z -> z after T -> t end))) || T <- [-1, a, 1 bsl 32]],
    {A, B, C, D}.

timers() ->
    R = erlang:start_timer(5, self(), hello),
    erlang:send_after(20, self(), last),
    erlang:send_after(10, self(), middle),
    A = receive {timeout, R, M} -> M end,
    {A, collect(last), erlang:read_timer(R), erlang:cancel_timer(R)}.

absolute_timers() ->
    Now = erlang:monotonic_time(millisecond),
    erlang:send_after(Now + 30, self(), later, [{abs, true}]),
    erlang:send_after(Now - 100, self(), at_once, [{abs, true}]),
    receive A -> A end,
    Between = erlang:monotonic_time(millisecond),
    receive B -> B end,
    Then = erlang:monotonic_time(millisecond),
    {A, B, Between < Now + 30, Then >= Now + 30}.

cancelled() ->
    R = erlang:send_after(100000, self(), x),
    Left = erlang:read_timer(R),
    A = erlang:cancel_timer(R),
    R2 = erlang:send_after(100000, self(), x),
    B = erlang:cancel_timer(R2, [{info, false}]),
    R3 = erlang:send_after(100000, self(), x),
    C = erlang:cancel_timer(R3, [{async, true}]),
    D = receive {cancel_timer, R3, T} -> is_integer(T) after 1000 -> none end,
    {is_integer(Left), is_integer(A), erlang:cancel_timer(R), B, C, D,
     erlang:read_timer(R3, [{async, true}]),
     receive {read_timer, R3, V} -> V after 1000 -> none end}.

units() ->
    T = erlang:monotonic_time(),
    S = erlang:system_time(),
    {erlang:convert_time_unit(1500, millisecond, second),
     erlang:convert_time_unit(-1500, millisecond, second),
     erlang:convert_time_unit(1, second, native), erlang:convert_time_unit(7, 3, 2),
     is_integer(T), T < 0, is_integer(S),
     erlang:system_time(second) >= S div 1000000000,
     erlang:monotonic_time() >= T,
     erlang:time_offset(second) =:= erlang:time_offset() div 1000000000,
     [element(1, element(2, catch erlang:monotonic_time(U))) || U <- [0, -1, foo, 1.0]],
     tuple_size(os:timestamp()), tuple_size(erlang:timestamp()), erlang:now() < erlang:now(),
     is_integer(os:perf_counter()), is_integer(os:system_time(millisecond)),
     os:perf_counter(second) < 1 bsl 40}.

unique() ->
    L = [erlang:unique_integer() || _ <- [1, 2, 3]],
    M = [erlang:unique_integer([monotonic]) || _ <- [1, 2, 3]],
    P = [erlang:unique_integer([positive]) || _ <- [1, 2, 3]],
    {length(lists:usort(L)), M =:= lists:sort(M), lists:all(fun(X) -> X > 0 end, P),
     erlang:unique_integer([monotonic, positive]) < erlang:unique_integer([positive, monotonic]),
     element(1, element(2, catch erlang:unique_integer([foo])))}.

dates() ->
    {{Y, _, _}, {_, _, _}} = calendar:universal_time(),
    {Y >= 2024, tuple_size(date()), tuple_size(time()),
     calendar:gregorian_seconds_to_datetime(63871200000),
     erlang:universaltime_to_posixtime({{2000, 2, 29}, {1, 2, 3}}),
     erlang:posixtime_to_universaltime(-1),
     calendar:system_time_to_rfc3339(1700000000, [{offset, "Z"}]),
     calendar:rfc3339_to_system_time("2023-11-14T22:13:20Z"),
     [element(1, element(2, catch erlang:universaltime_to_posixtime(D)))
      || D <- [{{2001, 2, 29}, {0, 0, 0}}, {{2001, 13, 1}, {0, 0, 0}}, {{2001, 1, 1}, {24, 0, 0}}, x]]}.

spawn_options() ->
    {P, R} = spawn_opt(fun() -> receive stop -> exit(bye) end end,
                       [monitor, {priority, high}, {min_heap_size, 500}]),
    A = process_info(P, priority),
    P ! stop,
    {A, receive {'DOWN', R, process, P, W} -> W end,
     [reason(G) || G <- [
         fun() -> spawn(foo) end, fun() -> spawn_monitor(fun(_) -> ok end) end,
         fun() -> spawn_opt(fun() -> ok end, [link | foo]) end,
         fun() -> spawn_opt(fun() -> ok end, foo) end, fun() -> spawn_opt(?MODULE, zero, [], [foo]) end,
         fun() -> spawn_opt(?MODULE, zero, [], [{priority, odd}]) end,
         fun() -> spawn_opt(?MODULE, zero, [], [{min_heap_size, -1}]) end,
         fun() -> spawn(?MODULE, zero, foo) end
     ]]}.

%% Why a fun fails.
reason(F) ->
    try F() of Value -> {value, Value}
    catch error:Reason -> Reason
    end.

spawn_requests() ->
    R = spawn_request(fun() -> receive stop -> ok end end, [monitor]),
    P = receive {spawn_reply, R, ok, Pid} -> Pid after 1000 -> none end,
    P ! stop,
    D = receive {'DOWN', R, process, P, W} -> W after 1000 -> none end,
    R2 = spawn_request(?MODULE, zero, [], [{reply_tag, started}]),
    E = receive {started, R2, ok, P2} -> is_pid(P2) after 1000 -> none end,
    {is_reference(R), is_pid(P), D, E}.

info() ->
    Self = self(),
    P = spawn(fun waits/0),
    timer:sleep(10),
    P ! {some, message},
    P ! another,
    timer:sleep(10),
    Items = [current_function, initial_call, status, message_queue_len, messages, links, monitors,
             monitored_by, trap_exit, priority, dictionary, error_handler],
    All = process_info(P, Items),
    exit(P, kill),
    timer:sleep(10),
    {All, process_info(P, status), process_info(P), process_info(Self, current_function),
     element(1, element(2, catch process_info(Self, nonsense))),
     element(1, element(2, catch process_info(x))),
     [K || {K, _} <- process_info(Self), K =/= registered_name]}.

waits() ->
    put(key, value),
    receive never -> ok end.

flags() ->
    {process_flag(trap_exit, true), process_flag(trap_exit, false), process_flag(priority, low),
     process_flag(priority, normal), process_flag(message_queue_data, off_heap),
     process_flag(message_queue_data, on_heap), process_flag(min_heap_size, 1000),
     [element(1, element(2, catch process_flag(F, V)))
      || {F, V} <- [{trap_exit, 1}, {priority, foo}, {nonsense, true}]]}.

errors_of_times() ->
    [element(1, element(2, catch F()))
     || F <- [
            fun() -> erlang:send_after(-1, self(), x) end,
            fun() -> erlang:send_after(1 bsl 70, self(), x) end,
            fun() -> erlang:send_after(a, self(), x) end,
            fun() -> erlang:send_after(1, "x", x) end,
            fun() -> erlang:send_after(1, self(), x, [foo]) end,
            fun() -> erlang:cancel_timer(foo) end,
            fun() -> erlang:cancel_timer(make_ref(), [foo]) end,
            fun() -> erlang:read_timer(make_ref(), [{info, true}]) end
        ]].

crashes() ->
    process_flag(trap_exit, true),
    P = spawn_link(fun() -> lists:map(fun(X) -> atom_to_list(X) end, [a, 0]) end),
    receive {'EXIT', P, {Why, [{M, F, A, _} | _]}} -> {Why, M, F, A} end.

leaders() ->
    L = group_leader(),
    Self = self(),
    P = spawn(fun() -> Self ! {leader, group_leader()} end),
    A = receive {leader, X} -> X =:= L end,
    {A, is_pid(P), group_leader(Self, Self), group_leader() =:= Self}.

environment() ->
    {os:getenv("GIMLET_NO_SUCH"), os:getenv("GIMLET_NO_SUCH", default),
     os:putenv("GIMLET_X", "value"), os:getenv("GIMLET_X"), os:unsetenv("GIMLET_X"),
     os:getenv("GIMLET_X"), os:type(), element(1, element(2, catch os:putenv("A=B", "c")))}.

nested_receive() ->
    [self() ! M || M <- [1, 2, 3]],
    receive X -> receive Y when Y > X + 1 -> {X, Y, collect_all()} end end.

ring() ->
    Self = self(),
    Last = lists:foldl(fun(_, Next) -> spawn(fun() -> pass(Next) end) end, Self, lists:seq(1, 50)),
    Last ! 0,
    receive N -> N end.

pass(Next) -> receive N -> Next ! N + 1 end.

sleeping() ->
    T = erlang:monotonic_time(millisecond),
    ok = timer:sleep(50),
    D = erlang:monotonic_time(millisecond) - T,
    {ok, Ref} = timer:send_after(10, hi),
    {ok, _} = timer:apply_after(20, erlang, send, [self(), there]),
    A = receive hi -> hi end,
    B = receive there -> there end,
    {ok, I} = timer:send_interval(5, tick),
    [receive tick -> ok end || _ <- [1, 2, 3]],
    {ok, cancel} = timer:cancel(I),
    {Time, Value} = timer:tc(fun() -> value end),
    {D >= 50, A, B, timer:cancel(Ref), is_integer(Time), Value, timer:hms(1, 2, 3)}.

hibernating() ->
    Self = self(),
    P = spawn(fun() -> erlang:hibernate(?MODULE, woken, [Self]) end),
    timer:sleep(10),
    S = process_info(P, status),
    P ! wake,
    {S, receive {awake, M} -> M after 1000 -> none end}.

woken(Who) -> receive M -> Who ! {awake, M} end.

system() ->
    {erlang:system_info(otp_release), erlang:system_info(version), erlang:system_info(wordsize),
     erlang:system_info({wordsize, external}), erlang:system_info(process_limit),
     erlang:system_info(atom_limit), is_integer(erlang:system_info(schedulers)),
     erlang:system_info(system_architecture), erlang:system_info(machine),
     is_integer(erlang:memory(total)), tuple_size(erlang:statistics(reductions)),
     element(1, element(2, catch erlang:system_info(nonsense))),
     element(1, element(2, catch erlang:statistics(nonsense))), erlang:is_alive(), node()}.

%% Who may run next, when one process wakes several at once and nobody else can run them meanwhile.
by_priority() ->
    Old = process_flag(priority, max),
    Self = self(),
    erlang:system_flag(multi_scheduling, block_normal),
    [spawn_opt(fun() -> Self ! {ran, P} end, [{priority, P}])
     || P <- [normal, high, normal, high, max]],
    Ran = [receive {ran, P} -> P after 1000 -> late end || _ <- lists:seq(1, 5)],
    erlang:system_flag(multi_scheduling, unblock_normal),
    process_flag(priority, Old),
    {Old, Ran}.

%% One of low priority has one turn in eight.
low_priority() ->
    process_flag(priority, max),
    Self = self(),
    erlang:system_flag(multi_scheduling, block_normal),
    Pids = [spawn_opt(fun() -> counting(Self, P, 0) end, [{priority, P}]) || P <- [low, normal]],
    receive after 400 -> ok end,
    [P ! stop || P <- Pids],
    [{low, Low}, {normal, Normal}] =
        lists:sort([receive {N, Of} -> {Of, N} end || _ <- Pids]),
    erlang:system_flag(multi_scheduling, unblock_normal),
    process_flag(priority, normal),
    Share = Normal / Low,
    4 < Share andalso Share < 16.

counting(To, P, N) ->
    receive stop -> To ! {N, P} after 0 -> counting(To, P, N + 1) end.

%% One that is busy at a high priority leaves the other scheduler to the others.
not_starved() ->
    Self = self(),
    Busy = spawn_opt(fun Loop() -> Loop() end, [{priority, high}]),
    spawn(fun() -> Self ! done end),
    Res = receive done -> ok after 2000 -> starved end,
    exit(Busy, kill),
    Res.

%% Flags and birth, and what is no priority.
priorities() ->
    Old = [process_flag(priority, P) || P <- [low, high, max, normal]],
    Bad = [try process_flag(priority, P) catch C:R -> {C, R} end || P <- [lowest, 1]],
    P = spawn_opt(fun() -> receive stop -> ok end end, [{priority, low}]),
    Seen = process_info(P, priority),
    P ! stop,
    {Old, Bad, Seen}.
