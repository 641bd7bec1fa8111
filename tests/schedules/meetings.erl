%% Small programs in which processes meet over all kinds of things; how many schedules each has is
%% what all interleavings say.
-module(meetings).
-compile([export_all, nowarn_export_all]).

forever() -> receive after infinity -> ok end.

down({_, Ref}) -> receive {'DOWN', Ref, _, _, Why} -> Why end.

%% Starting, links, monitors.

linked_pair() ->
    process_flag(trap_exit, true),
    P = spawn_link(fun() -> exit(one) end),
    Q = spawn_link(fun() -> exit(two) end),
    [receive {'EXIT', P, A} -> A end, receive {'EXIT', Q, B} -> B end].

linked_pair_in_any_order() ->
    process_flag(trap_exit, true),
    [spawn_link(fun() -> exit(Why) end) || Why <- [one, two]],
    [receive {'EXIT', _, Why} -> Why end || _ <- [1, 2]].

link_to_the_dying() ->
    process_flag(trap_exit, true),
    P = spawn(fun() -> ok end),
    catch link(P),
    receive {'EXIT', P, Why} -> Why end.

link_to_the_dying_untrapped() ->
    P = spawn(fun() -> exit(bad) end),
    down(spawn_monitor(fun() -> catch link(P), receive after 10 -> alive end end)).

unlinked_in_time() ->
    down(spawn_monitor(fun() ->
        P = spawn_link(fun() -> exit(bad) end),
        unlink(P),
        exit(survived)
    end)).

linked_chain() ->
    down(spawn_monitor(fun() ->
        spawn_link(fun() -> spawn_link(fun() -> exit(bad) end), forever() end),
        forever()
    end)).

linked_from_both_sides() ->
    process_flag(trap_exit, true),
    Me = self(),
    P = spawn(fun() -> link(Me), exit(bad) end),
    catch link(P),
    receive {'EXIT', P, Why} -> Why end.

monitors_of_one() ->
    P = spawn(fun() -> exit(bad) end),
    R1 = monitor(process, P),
    R2 = monitor(process, P),
    {receive {'DOWN', R1, _, _, A} -> A end, receive {'DOWN', R2, _, _, B} -> B end}.

monitor_twice_and_forget_one() ->
    P = spawn(fun() -> exit(bad) end),
    R1 = monitor(process, P),
    R2 = monitor(process, P),
    demonitor(R1, [flush]),
    receive {'DOWN', R, _, _, Why} -> {R =:= R2, Why} end.

two_watch_one() ->
    Me = self(),
    P = spawn(fun() -> receive go -> exit(gone) end end),
    [spawn(fun() -> Ref = monitor(process, P), Me ! ready,
                    receive {'DOWN', Ref, _, _, Why} -> Me ! {I, Why} end end) || I <- [1, 2]],
    [receive ready -> ok end || _ <- [1, 2]],
    P ! go,
    [receive {I, Why} -> {I, Why} end || _ <- [1, 2]].

monitor_of_the_gone() ->
    P = spawn(fun() -> ok end),
    R = monitor(process, P),
    receive {'DOWN', R, _, _, Why} -> Why end.

demonitor_between() ->
    Me = self(),
    P = spawn(fun() -> Me ! word end),
    R = monitor(process, P),
    receive word -> ok end,
    demonitor(R),
    receive {'DOWN', R, _, _, Why} -> Why after 0 -> none end.

down_with_a_tag() ->
    {P, _} = spawn_monitor(fun() -> ok end),
    R = monitor(process, P, [{tag, other}]),
    receive {other, R, _, _, _} -> tagged; {'DOWN', _, _, _, _} -> plain end.

%% One end, two messages to whoever takes any.
linked_and_watched() ->
    process_flag(trap_exit, true),
    P = spawn_link(fun() -> ok end),
    monitor(process, P),
    [receive M -> element(1, M) end || _ <- [1, 2]].

%% Exit signals.

exit_normal_from_another() ->
    P = spawn(fun() -> receive go -> ok end end),
    spawn(fun() -> exit(P, normal) end),
    P ! go,
    down({P, monitor(process, P)}).

exit_normal_to_oneself() ->
    down(spawn_monitor(fun() -> exit(self(), normal), exit(after_that) end)).

kill_the_trapping() ->
    P = spawn(fun() -> process_flag(trap_exit, true), forever() end),
    exit(P, kill),
    down({P, monitor(process, P)}).

killed_or_done() ->
    {P, R} = spawn_monitor(fun() -> exit(done) end),
    exit(P, kill),
    down({P, R}).

two_reasons() ->
    {P, R} = spawn_monitor(fun forever/0),
    [spawn(fun() -> exit(P, Why) end) || Why <- [one, kill]],
    down({P, R}).

trap_after_the_signal() ->
    {P, R} = spawn_monitor(fun() -> process_flag(trap_exit, true), exit(trapping) end),
    exit(P, boom),
    down({P, R}).

trap_and_stop_trapping() ->
    {P, R} = spawn_monitor(fun() ->
        process_flag(trap_exit, true),
        process_flag(trap_exit, false),
        receive {'EXIT', _, Why} -> exit({heard, Why}) after 0 -> exit(quiet) end
    end),
    exit(P, boom),
    down({P, R}).

sender_dies_after_sending() ->
    Me = self(),
    {_, R} = spawn_monitor(fun() -> Me ! word, exit(bad) end),
    receive word -> ok end,
    receive {'DOWN', R, _, _, Why} -> Why after 0 -> alive end.

message_before_down() ->
    Me = self(),
    {_, R} = spawn_monitor(fun() -> Me ! word end),
    receive {'DOWN', R, _, _, _} -> receive word -> in_order after 0 -> lost end end.

signal_of_an_exit_and_a_message() ->
    process_flag(trap_exit, true),
    Me = self(),
    spawn_link(fun() -> Me ! word, exit(bad) end),
    receive A -> receive B -> {is_tuple(A), is_tuple(B)} end end.

is_it_alive() ->
    P = spawn(fun() -> ok end),
    [is_process_alive(P), is_process_alive(P)].

%% Names.

register_race() ->
    Me = self(),
    [spawn(fun() -> Me ! {I, catch register(one, self())}, forever() end) || I <- [1, 2]],
    [receive {I, true} -> I; {_, {'EXIT', _}} -> failed end || _ <- [1, 2]].

whereis_then_send() ->
    P = spawn(fun() -> register(one, self()), receive M -> M end end),
    case whereis(one) of undefined -> none; Q -> Q ! hello, P =:= Q end.

unregister_race() ->
    register(one, self()),
    [spawn(fun() -> catch unregister(one) end) || _ <- [1, 2]],
    forever().

send_to_the_unregistered() ->
    register(one, self()),
    spawn(fun() -> catch (one ! hello) end),
    unregister(one),
    receive hello -> yes after 0 -> no end.

name_of_the_dead() ->
    spawn(fun() -> register(one, self()) end),
    case whereis(one) of undefined -> no; P -> catch (one ! hello), is_pid(P) end.

name_handed_over() ->
    P = spawn(fun() -> register(one, self()), unregister(one) end),
    catch register(one, self()),
    {whereis(one) =:= self(), is_pid(P)}.

registered_names() ->
    spawn(fun() -> register(one, self()), forever() end),
    lists:member(one, registered()).

%% Tables.

insert_new_race() ->
    T = ets:new(t, [public]),
    Me = self(),
    [spawn(fun() -> Me ! ets:insert_new(T, {k, I}) end) || I <- [1, 2]],
    [receive B -> B end || _ <- [1, 2]].

counter_race() ->
    T = ets:new(t, [public]),
    ets:insert(T, {c, 0}),
    Me = self(),
    [spawn(fun() -> Me ! ets:update_counter(T, c, 1) end) || _ <- [1, 2]],
    [receive N -> N end || _ <- [1, 2]].

changes_of_nothing() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:take(T, k) end),
    spawn(fun() -> ets:delete(T, k) end),
    spawn(fun() -> ets:update_element(T, k, {2, b}) end),
    try ets:update_counter(T, k, 1) catch error:badarg -> none end.

changes_of_something() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {k, 1}) end),
    spawn(fun() -> ets:take(T, k) end),
    {ets:update_element(T, k, {2, b}), ets:lookup(T, k)}.

lookup_element_race() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {k, v}) end),
    try ets:lookup_element(T, k, 2) catch error:badarg -> none end.

delete_race() ->
    T = ets:new(t, [public]),
    ets:insert(T, {k, v}),
    spawn(fun() -> ets:delete(T, k) end),
    spawn(fun() -> ets:delete(T, l) end),
    ets:lookup(T, k).

table_deleted_under_the_reader() ->
    T = ets:new(t, [public]),
    Me = self(),
    spawn(fun() -> Me ! (catch ets:lookup(T, k)) end),
    ets:delete(T),
    receive [] -> empty; {'EXIT', _} -> gone end.

given_away() ->
    T = ets:new(t, [public]),
    P = spawn(fun() -> receive {'ETS-TRANSFER', _, _, _} -> ok after 0 -> ok end end),
    catch ets:give_away(T, P, gift),
    ets:info(T, size).

inherited() ->
    Me = self(),
    P = spawn(fun() -> ets:new(t, [named_table, {heir, Me, left}]), Me ! made end),
    receive made -> ok end,
    {catch ets:lookup(t, k), receive {'ETS-TRANSFER', t, P, left} -> mine after 0 -> no end}.

ordered_first() ->
    T = ets:new(t, [public, ordered_set]),
    [spawn(fun() -> ets:insert(T, {I, x}) end) || I <- [1, 2]],
    ets:first(T).

ordered_next() ->
    T = ets:new(t, [public, ordered_set]),
    ets:insert(T, {1, x}),
    spawn(fun() -> ets:insert(T, {2, x}) end),
    ets:next(T, 1).

select_and_insert() ->
    T = ets:new(t, [public]),
    [spawn(fun() -> ets:insert(T, {I, x}) end) || I <- [1, 2]],
    lists:sort(ets:select(T, [{{'$1', x}, [], ['$1']}])).

select_delete_race() ->
    T = ets:new(t, [public]),
    ets:insert(T, [{1, x}, {2, x}]),
    spawn(fun() -> ets:select_delete(T, [{{1, x}, [], [true]}]) end),
    ets:member(T, 1).

bag_of_two() ->
    T = ets:new(t, [public, bag]),
    [spawn(fun() -> ets:insert(T, {k, I}) end) || I <- [1, 2]],
    ets:lookup(T, k).

take_race() ->
    T = ets:new(t, [public]),
    ets:insert(T, {k, v}),
    Me = self(),
    [spawn(fun() -> Me ! ets:take(T, k) end) || _ <- [1, 2]],
    [receive L -> L end || _ <- [1, 2]].

size_of_a_table() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {k, v}) end),
    ets:info(T, size).

private_table() ->
    T = ets:new(t, [private]),
    Me = self(),
    spawn(fun() -> Me ! (catch ets:lookup(T, k)) end),
    ets:insert(T, {k, v}),
    receive {'EXIT', _} -> refused; L -> L end.

%% Receives and time.

after_zero() ->
    Me = self(),
    spawn(fun() -> Me ! a end),
    receive a -> got after 0 -> none end.

after_some() ->
    Me = self(),
    [spawn(fun() -> Me ! X end) || X <- [a, b]],
    receive a -> got after 10 -> none end.

after_zero_twice() ->
    Me = self(),
    spawn(fun() -> Me ! a, Me ! b end),
    [receive X -> X after 0 -> none end || _ <- [1, 2]].

selective() ->
    Me = self(),
    [spawn(fun() -> Me ! {X, 1}, Me ! {X, 2} end) || X <- [a, b]],
    [receive {b, N} -> N end, receive {a, N2} -> N2 end, receive {_, N3} -> N3 end].

guarded() ->
    Me = self(),
    [spawn(fun() -> Me ! X end) || X <- [1, 2, 3]],
    receive X when X > 1 -> X end.

pairs_keep_their_order() ->
    Me = self(),
    spawn(fun() -> Me ! 1, Me ! 2 end),
    spawn(fun() -> Me ! 3 end),
    [receive X -> X end || _ <- [1, 2, 3]].

forwarded() ->
    Me = self(),
    P = spawn(fun() -> receive X -> Me ! X end end),
    P ! long_way,
    Me ! short_way,
    [receive X -> X end || _ <- [1, 2]].

timer_and_timeout() ->
    erlang:send_after(5, self(), tick),
    receive tick -> tick after 10 -> none end.

timer_started_and_read() ->
    R = erlang:start_timer(5, self(), x),
    {is_integer(erlang:read_timer(R)), receive {timeout, R, x} -> x after 0 -> none end}.

timer_cancelled_by_another() ->
    Me = self(),
    R = erlang:send_after(5, Me, tick),
    spawn(fun() -> Me ! {left, erlang:cancel_timer(R) =/= false} end),
    receive {left, B} -> {B, receive tick -> tick after 0 -> none end} end.

two_timers() ->
    erlang:send_after(5, self(), a),
    erlang:send_after(5, self(), b),
    [receive X -> X end || _ <- [1, 2]].

timer_to_the_dead() ->
    {P, R} = spawn_monitor(fun() -> receive tick -> exit(ticked) after 0 -> exit(quiet) end end),
    erlang:send_after(1, P, tick),
    down({P, R}).

%% What can be asked, and what is shared by all.

queue_length() ->
    Me = self(),
    [spawn(fun() -> Me ! x end) || _ <- [1, 2]],
    element(2, process_info(Me, message_queue_len)).

dictionary_is_ones_own() ->
    put(k, 1),
    spawn(fun() -> put(k, 2) end),
    get(k).

leader_of_another() ->
    Me = self(),
    P = spawn(fun() -> receive go -> Me ! {led, group_leader() =:= Me} end end),
    spawn(fun() -> group_leader(Me, P) end),
    P ! go,
    receive {led, It} -> It end.

atomics_race() ->
    A = atomics:new(1, []),
    Me = self(),
    [spawn(fun() -> Me ! atomics:add_get(A, 1, 1) end) || _ <- [1, 2]],
    [receive N -> N end || _ <- [1, 2]].

atomics_compare() ->
    A = atomics:new(1, []),
    Me = self(),
    [spawn(fun() -> Me ! atomics:compare_exchange(A, 1, 0, I) end) || I <- [1, 2]],
    [receive N -> N end || _ <- [1, 2]].

counters_race() ->
    C = counters:new(2, []),
    [spawn(fun() -> counters:add(C, I, 1) end) || I <- [1, 2]],
    counters:get(C, 1).

terms_that_stay() ->
    spawn(fun() -> persistent_term:put(k, 1) end),
    spawn(fun() -> persistent_term:put(l, 1) end),
    persistent_term:get(k, none).

halted_in_the_middle() ->
    spawn(fun() -> halt(1) end),
    ets:new(t, [named_table]).

%% Each takes the name for a process of its own, and ends the other's.
started_anew() -> [spawn(fun() -> start_anew(server) end) || _ <- [1, 2]].

start_anew(Name) ->
    case whereis(Name) of
        undefined -> ok;
        Old -> unregister(Name), Old ! stop
    end,
    register(Name, spawn(fun() -> ets:new(Name, [named_table]), stopped_or_not() end)).

stopped_or_not() -> receive stop -> stopped after 0 -> not_stopped end.

%% OTP.

called_and_cast() ->
    {ok, P} = gen_server:start(?MODULE, 0, []),
    spawn(fun() -> gen_server:cast(P, add) end),
    gen_server:call(P, get).

called_by_two() ->
    {ok, P} = gen_server:start(?MODULE, 0, []),
    spawn(fun() -> gen_server:call(P, next) end),
    gen_server:call(P, next).

called_and_stopped() ->
    {ok, P} = gen_server:start(?MODULE, 0, []),
    spawn(fun() -> gen_server:stop(P) end),
    try gen_server:call(P, get) catch exit:{Why, _} -> Why end.

%% What a step touches depends on what came before it.

looked_at_before_it_took() ->
    P = spawn(fun() -> self() ! w, receive w -> ok end end),
    {_, _} = Look = spawn_monitor(fun() -> exit(process_info(P, message_queue_len)) end),
    exit(P, boom),
    down(Look).

names_given_in_vain() ->
    P = spawn_monitor(fun() -> catch register(given, self()) end),
    Q = spawn_monitor(fun() -> catch register(given, self()) end),
    R = spawn_monitor(fun() -> catch register(given, element(1, P)) end),
    Names = registered(),
    [down(It) || It <- [P, Q, R]],
    lists:member(given, Names).

init(N) -> {ok, N}.
handle_call(next, _, N) -> {reply, N, N + 1};
handle_call(get, _, N) -> {reply, N, N}.
handle_cast(add, N) -> {noreply, N + 1}.

%% One of two watchers may know of an end before the other one.
told_one_by_one() ->
    Me = self(),
    Pid = spawn(fun() -> receive stop -> ok end end),
    Watch = fun() ->
        Ref = monitor(process, Pid),
        Me ! ready,
        Me ! {self(), receive message -> message; {'DOWN', Ref, _, _, _} -> ended end}
    end,
    Watchers = [First, Second] = [begin It = spawn(Watch), receive ready -> It end end || _ <- "ab"],
    spawn(fun() -> First ! message, Second ! message end),
    Pid ! stop,
    [receive {It, Heard} -> Heard end || It <- Watchers].

%% Its tables go before its name does.
losing_one_thing_after_another() ->
    Me = self(),
    Pid = spawn(fun() ->
        [ets:new(It, [named_table]) || It <- [one, two]],
        register(owner, self()),
        Me ! ready,
        receive stop -> ok end
    end),
    receive ready -> Pid ! stop end,
    [whereis(owner) =:= Pid | [ets:info(It, size) || It <- [two, one]]].

%% Who reads first sees nothing, who reads last does; nobody need be left for that who could go on.
written_between_reads() ->
    ets:new(between, [named_table, public]),
    Me = self(),
    Read = fun(N) ->
        ets:insert(between, {N, here}),
        Me ! {N, ets:lookup(between, key)}
    end,
    spawn(fun() -> ets:insert(between, {key, value}), Me ! written end),
    [spawn(fun() -> Read(N) end) || N <- [1, 2]],
    receive written -> [receive {N, Seen} -> length(Seen) end || N <- [1, 2]] end.
