%% What processes and the system can be set to, and what that does.
-module(settings).
-export([tests/0]).
-export([sizes/0, limits/0, words/0, of_others/0, at_birth/0, birth_defects/0, killed/0, spared/0,
         by_messages/0, of_all/0, of_system/0, watched/0, first/0, myself/0, natives/0, schedulers/0, depth/0]).

tests() ->
    [sizes, limits, words, of_others, at_birth, birth_defects, killed, spared, by_messages, of_all,
     of_system, watched, first, myself, natives, schedulers, depth].

caught(F) -> try F() catch C:R -> {C, R} end.

flags(Settings) -> [caught(fun() -> process_flag(F, V) end) || {F, V} <- Settings].

sizes() ->
    flags([{min_heap_size, 0}, {min_heap_size, 1000}, {min_heap_size, 1000000},
           {min_heap_size, 834000}, {min_heap_size, 233}, {min_heap_size, a}, {min_heap_size, -1},
           {min_bin_vheap_size, 1}, {min_bin_vheap_size, 50000}, {min_bin_vheap_size, 46422},
           {fullsweep_after, -1}, {fullsweep_after, 7}, {fullsweep_after, 65535}]).

limits() ->
    flags([{max_heap_size, V} || V <- [100000, #{size => 50000, kill => false, x => 1}, 0, 0, -1, a,
           232, #{size => 232}, #{}, #{kill => true}, #{size => 233, kill => a},
           #{size => 233, error_logger => a}, #{size => 1 bsl 64}]]).

words() ->
    flags([{message_queue_data, mixed}, {message_queue_data, off_heap}, {message_queue_data, on_heap},
           {sensitive, 1}, {save_calls, 10001}, {save_calls, a}, {async_dist, a},
           {error_handler, 1}, {error_handler, a}, {error_handler, error_handler}, {priority, 1},
           {priority, huge}, {trap_exit, 1}, {scheduler, -1}, {no_such_flag, 1}]).

of_others() ->
    P = spawn(fun() -> receive stop -> ok end end),
    Res = [caught(fun() -> process_flag(Q, F, V) end)
           || {Q, F, V} <- [{P, save_calls, 3}, {P, save_calls, 0}, {P, save_calls, a},
                            {P, trap_exit, true}, {a, save_calls, 0}]],
    exit(P, kill),
    Res.

at_birth() ->
    P = spawn_opt(fun() -> receive stop -> ok end end,
                  [{min_heap_size, 1000}, {max_heap_size, 10000}, {fullsweep_after, 3},
                   {min_bin_vheap_size, 50000}, {message_queue_data, off_heap}]),
    Res = process_info(P, [min_heap_size, max_heap_size, fullsweep_after, min_bin_vheap_size,
                           message_queue_data, garbage_collection]),
    exit(P, kill),
    Res.

birth_defects() ->
    [caught(fun() -> is_pid(spawn_opt(fun() -> ok end, Options)) end)
     || Options <- [[{max_heap_size, 5}], [{max_heap_size, #{kill => true}}],
                    [{max_heap_size, #{size => 1000, x => 1}}],
                    [{max_heap_size, 300}, {min_heap_size, 1000}],
                    [{min_heap_size, 1000}, {max_heap_size, 300}], [{min_heap_size, -1}],
                    [{priority, huge}], [{message_queue_data, a}], [{fullsweep_after, a}]]].

grow(L) -> grow([L | L]).

%% Grows, but lets everything go again.
churn(0) -> done;
churn(N) -> _ = lists:seq(1, 50), churn(N - 1).

outcome(F, Options) ->
    {P, M} = spawn_opt(F, [monitor | Options]),
    receive {'DOWN', M, process, P, Why} -> Why after 5000 -> exit(P, kill), alive end.

killed() ->
    [outcome(fun() -> grow([]) end, [{max_heap_size, #{size => 5000, error_logger => false}}]),
     outcome(fun() ->
                 process_flag(max_heap_size, #{size => 5000, error_logger => false}),
                 grow([])
             end, []),
     outcome(fun() ->
                 process_flag(trap_exit, true),
                 process_flag(max_heap_size, #{size => 5000, error_logger => false}),
                 put(big, lists:seq(1, 10000)),
                 garbage_collect(),
                 receive stop -> ok end
             end, [])].

spared() ->
    [outcome(fun() -> exit(churn(10000)) end,
             [{max_heap_size, #{size => 20000, error_logger => false}}]),
     outcome(fun() -> exit(length(lists:seq(1, 10000))) end, [{max_heap_size, 0}]),
     outcome(fun() -> exit(length(lists:seq(1, 10000))) end,
             [{max_heap_size, #{size => 1000, kill => false, error_logger => false}}])].

by_messages() ->
    P = spawn_opt(fun() -> receive stop -> ok end end,
                  [{max_heap_size, #{size => 1024, error_logger => false}}]),
    M = monitor(process, P),
    [P ! lists:duplicate(N, N) || N <- lists:seq(1, 100)],
    process_info(P, messages),
    garbage_collect(P),
    receive {'DOWN', M, process, P, Why} -> Why after 5000 -> alive end.

of_all() ->
    Old = erlang:system_flag(max_heap_size, #{size => 5000, error_logger => false}),
    A = outcome(fun() -> grow([]) end, []),
    B = erlang:system_flag(max_heap_size, Old),
    {A, B, erlang:system_flag(max_heap_size, Old)}.

of_system() ->
    Set = fun(F, V) -> caught(fun() -> erlang:system_flag(F, V) end) end,
    [Set(F, V) || {F, V} <- [
        {max_heap_size, 12}, {min_heap_size, 12}, {min_heap_size, 1000}, {min_heap_size, 233},
        {min_heap_size, a}, {fullsweep_after, -1}, {fullsweep_after, 5}, {fullsweep_after, 65535},
        {backtrace_depth, -1}, {backtrace_depth, 3000}, {backtrace_depth, 8},
        {outstanding_system_requests_limit, 10}, {outstanding_system_requests_limit, 4},
        {outstanding_system_requests_limit, 0}, {scheduler_wall_time, 1}, {schedulers_online, 0},
        {multi_scheduling, a}, {no_such_flag, 1}]].

watched() ->
    Mine = fun({P, Options}) when P =:= self() -> Options; (Other) -> Other end,
    Set = fun(Options) -> Mine(caught(fun() -> erlang:system_monitor(self(), Options) end)) end,
    Res = [Mine(erlang:system_monitor()), Set([{long_gc, 10}, busy_port]),
           Set([{long_gc, 10}, {long_schedule, 3}, busy_dist_port, {large_heap, 1000}]),
           Set([foo]), Set([{long_gc, a}]), Mine(erlang:system_monitor(undefined)),
           Mine(erlang:system_monitor())],
    Res.

%% The process that started everything.
first() ->
    P = whereis(init),
    {P, is_process_alive(P), process_info(P, [registered_name, initial_call, status, parent]),
     group_leader(group_leader(), P), init ! hello}.

%% Nobody hears of his own end.
myself() ->
    M = monitor(process, self()),
    {monitored_by, By} = process_info(self(), monitored_by),
    {process_info(self(), monitors), lists:member(self(), By), demonitor(M, [info]), demonitor(M)}.

natives() ->
    [erlang:is_builtin(M, F, A)
     || {M, F, A} <- [{erlang, self, 0}, {erlang, yield, 0}, {erlang, apply, 3}, {erlang, apply, 2},
                      {erlang, apply, 1}, {lists, member, 2}, {lists, map, 2}, {code, load_binary, 3},
                      {erl_ddll, demonitor, 1}, {no_such_module, f, 0}, {ets, insert, 2},
                      {ets, tab2list, 1}]].

schedulers() ->
    Items = [schedulers, schedulers_online, schedulers_active, schedulers_state, run_queues, os_type,
             sequential_tracer, constant_pool_support, ets_realloc_moves, break_ignored,
             {cpu_topology, defined}, {cpu_topology, nonsense}],
    Before = [{I, caught(fun() -> erlang:system_info(I) end)} || I <- Items],
    erlang:system_flag(multi_scheduling, block_normal),
    During = erlang:system_info(schedulers_state),
    erlang:system_flag(multi_scheduling, unblock_normal),
    Same = erlang:system_info(cpu_topology) =:= erlang:system_info({cpu_topology, used}),
    {Before, During, Same, erlang:system_info(os_version) =:= os:version()}.

depth() ->
    Old = erlang:system_flag(backtrace_depth, 0),
    {current_stacktrace, None} = process_info(self(), current_stacktrace),
    1 = erlang:system_flag(backtrace_depth, 1) + 1,
    {current_stacktrace, One} = process_info(self(), current_stacktrace),
    erlang:system_flag(backtrace_depth, Old),
    {Old, None, length(One)}.
