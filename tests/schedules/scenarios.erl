%% Small programs, one for each kind of thing that processes do to each other, whose number of
%% different schedules is known.
-module(scenarios).
-compile([export_all, nowarn_export_all]).

%% Monitors. A child ends while its parent loses interest in it.

demonitor_plain() -> lose_interest([]).
demonitor_flush() -> lose_interest([flush]).
demonitor_info() -> lose_interest([info]).
demonitor_both() -> lose_interest([flush, info]).

demonitor_wrongly() ->
    {_, Ref} = spawn_monitor(fun() -> ok end),
    catch demonitor(Ref, [flash]).

%% An alias is over, whether its process ended first or nobody waits for it any more.
alias_that_is_over() ->
    Pid = spawn(fun() -> receive stop -> ok end end),
    Ref = monitor(process, Pid, [{alias, demonitor}]),
    Pid ! stop,
    demonitor(Ref, [flush]),
    is_process_alive(Pid).

lose_interest(Options) ->
    {_, Ref} = spawn_monitor(fun() -> ok end),
    case down(Ref) of
        yes -> early;
        no -> {demonitor(Ref, Options), down(Ref)}
    end.

down(Ref) ->
    receive {'DOWN', Ref, _, _, _} -> yes after 0 -> no end.

%% What a flush takes away might have been received before.
flushed_too_late() ->
    Me = self(),
    {_, Ref} = spawn_monitor(fun() -> ok end),
    spawn(fun() -> Me ! hello end),
    First = receive It -> It end,
    demonitor(Ref, [flush]),
    {is_tuple(First), down(Ref)}.

monitor_name() ->
    spawn(fun() -> register(somebody, self()) end),
    Ref = monitor(process, somebody),
    receive {'DOWN', Ref, process, _, Why} -> Why end.

%% Exit signals. The first one counts.

killed_by_one_of_three() ->
    Pid = spawn(fun forever/0),
    [spawn(fun() -> exit(Pid, Why) end) || Why <- [a, b, c]],
    ok.

killed_while_busy() ->
    T = ets:new(t, [public]),
    Pid = spawn(fun() -> ets:insert(T, {a}), ets:insert(T, {b}) end),
    exit(Pid, kill),
    forever().

normal_signals_hurt_nobody() ->
    Pid = spawn(fun() -> self() ! go, receive go -> ok end end),
    exit(Pid, normal).

trapped() ->
    Me = self(),
    Pid = spawn(fun() ->
                    process_flag(trap_exit, true),
                    Me ! receive {'EXIT', _, Why} -> Why after 0 -> nothing end
                end),
    exit(Pid, boom),
    receive It -> It after 6000 -> dead end.

%% Who traps exits may be gone before the one it is linked to.
trapped_through_a_link() ->
    Me = self(),
    spawn(fun() ->
              process_flag(trap_exit, true),
              spawn_link(fun() -> exit(bad) end),
              Me ! receive {'EXIT', _, Why} -> Why after 0 -> nothing end
          end),
    receive It -> It end.

alive_or_not() ->
    Pid = spawn(fun forever/0),
    spawn(fun() -> exit(Pid, kill) end),
    is_process_alive(Pid).

%% A process that is gone before the one it was linked to fails.
linked() ->
    process_flag(trap_exit, true),
    spawn_link(fun() -> spawn_link(fun() -> ok end), exit(bad) end),
    receive {'EXIT', _, Why} -> Why end.

%% What can be asked of a process.

named_or_not() ->
    Pid = spawn(fun() -> register(somebody, self()) end),
    process_info(Pid, registered_name).

several_questions() ->
    Pid = spawn(fun() -> register(somebody, self()) end),
    process_info(Pid, [registered_name, trap_exit]).

queue_of_the_flushing() ->
    Pid = spawn(fun() ->
                    {_, Ref} = spawn_monitor(fun() -> ok end),
                    demonitor(Ref, [flush]),
                    forever()
                end),
    element(2, process_info(Pid, message_queue_len)).

links_of_a_parent() ->
    Me = self(),
    spawn(fun() -> link(Me), forever() end),
    length(element(2, process_info(self(), links))).

memory_is_nobodys_business() ->
    Pid = spawn(fun() -> self() ! a, forever() end),
    is_tuple(process_info(Pid, memory)).

how_many() ->
    spawn(fun() -> ok end),
    length(processes()).

led() ->
    Me = self(),
    Pid = spawn(fun forever/0),
    spawn(fun() -> group_leader(Me, Pid) end),
    process_info(Pid, group_leader) =:= {group_leader, Me}.

%% Names.

sent_to_a_name() ->
    Pid = spawn(fun() -> receive M -> M end end),
    spawn(fun() -> register(somebody, Pid) end),
    catch (somebody ! hello).

same_name_twice() ->
    [spawn(fun() -> catch register(somebody, self()), forever() end) || _ <- [1, 2, 3]],
    forever().

%% Tables.

same_object_three_times() ->
    T = ets:new(t, [public]),
    [spawn(fun() -> ets:insert(T, {k, v}) end) || _ <- [1, 2, 3]],
    forever().

%% Who finds nothing to count begins, and may come too late.
counted_or_begun() ->
    T = ets:new(t, [public]),
    Count = fun() ->
        try ets:update_counter(T, k, 1)
        catch error:badarg -> ets:insert_new(T, {k, 1})
        end
    end,
    [spawn(Count) || _ <- [1, 2, 3]],
    forever().

%% Those who come too late do not mind each other.
written_when_it_is_gone() ->
    T = ets:new(t, [public]),
    [spawn(fun() -> ets:insert(T, {k, N}) end) || N <- [1, 2, 3]].

by_name_or_by_reference() ->
    t = ets:new(t, [public, named_table]),
    Reference = ets:whereis(t),
    Me = self(),
    spawn(fun() -> Me ! now end),
    T = receive now -> t after 0 -> receive now -> Reference end end,
    spawn(fun() -> catch ets:insert(T, {k, v}) end).

first_of_three() ->
    T = ets:new(t, [public]),
    [spawn(fun() -> ets:insert_new(T, {k, N}) end) || N <- [1, 2, 3]],
    forever().

new_table_twice() ->
    [spawn(fun() -> catch ets:new(t, [named_table]), forever() end) || _ <- [1, 2]],
    forever().

table_of_the_dead() ->
    spawn(fun() -> ets:new(t, [named_table, public]) end),
    catch ets:insert(t, {k, v}).

where_is_the_table() ->
    ets:new(t, [named_table, public]),
    spawn(fun() -> ets:whereis(t) end),
    ets:insert(t, {k, v}),
    forever().

table_with_an_heir() ->
    Me = self(),
    spawn(fun() -> ets:new(t, [{heir, Me, gift}]) end),
    receive {'ETS-TRANSFER', _, _, gift} -> yes after 10 -> no end.

%% Time.

timer_or_message() ->
    erlang:send_after(10, self(), late),
    Me = self(),
    spawn(fun() -> Me ! soon end),
    receive It -> It end.

timer_that_is_cancelled() ->
    Ref = erlang:send_after(10, self(), late),
    Left = erlang:cancel_timer(Ref),
    {is_integer(Left), receive late -> yes after 0 -> no end}.

%% A process that is gone has not told so yet.
gone_and_not_told() ->
    {Pid, Ref} = spawn_monitor(fun() -> ok end),
    {is_process_alive(Pid), down(Ref)}.

%% Who looks later sees more.
who_looked_first() -> two_in_order(fun erlang:monotonic_time/0).
who_asked_first() -> two_in_order(fun() -> erlang:unique_integer([monotonic]) end).
in_the_same_second() -> two_in_order(fun() -> erlang:system_time(second) end).

two_in_order(Look) ->
    Me = self(),
    [One, Other] = [spawn(fun() -> Me ! {self(), Look()} end) || _ <- "ab"],
    receive {One, First} -> receive {Other, Second} -> First =< Second end end.

%% The end of everything: what comes after it does not happen.
halted() ->
    spawn(fun() -> ets:new(t, [named_table]) end),
    halt(0).

forever() -> receive after infinity -> ok end.
