%% Programs on OTP's behaviours. Each function in tests/0 returns a term that must be the same on
%% BEAM. One module is a server of every kind; the state says which.
-module(behaviours).
-compile([export_all, nowarn_export_all]).

tests() ->
    [calls, casts, call_timeouts, server_crash, named_server, stopping, start_errors, replies_late,
     server_timeout, continued, statem, statem_timeouts, events, supervised, simple_supervised,
     too_many_restarts, proc_libs, applications, environments, logged, remote_calls, global_names,
     system_messages, tasks, enter_loop, groups, in_ets].

%% gen_server -------------------------------------------------------------------------------

init({stack, List}) -> {ok, List};
init(refuse) -> {stop, refused};
init(ignore) -> ignore;
init(crash) -> error(crashed);
init({tick, Who}) -> {ok, Who, 10};
init({continue, Who}) -> {ok, Who, {continue, begun}};
init({supervisor, Flags, Children}) -> {ok, {Flags, Children}};
init({events, Who}) -> {ok, Who};
init({door, Code}) -> {ok, locked, #{code => Code, tries => []}}.

handle_call(pop, _, [X | Rest]) -> {reply, X, Rest};
handle_call(pop, _, []) -> {reply, empty, []};
handle_call(state, _, S) -> {reply, S, S};
handle_call(late, From, S) -> self() ! {answer, From}, {noreply, S};
handle_call(never, _, S) -> {noreply, S};
handle_call({sleep, T}, _, S) -> timer:sleep(T), {reply, slept, S};
handle_call(crash, _, _) -> error(asked_to);
handle_call(stop, _, S) -> {stop, normal, stopped, S};
handle_call({stop, Why}, _, S) -> {stop, Why, S};
handle_call(self, _, S) -> {reply, self(), S}.

handle_cast({push, X}, S) -> {noreply, [X | S]};
handle_cast({tell, Who}, S) -> Who ! {state, S}, {noreply, S}.

handle_info({answer, From}, S) -> gen_server:reply(From, at_last), {noreply, S};
handle_info(timeout, Who) -> Who ! ticked, {noreply, Who};
handle_info(Other, S) when is_list(S) -> {noreply, [Other | S]};
handle_info(_, S) -> {noreply, S}.

handle_continue(begun, Who) -> Who ! continued, {noreply, Who}.

terminate(_, S) when is_pid(S) -> S ! terminated;
terminate(_, _) -> ok.

code_change(_, S, _) -> {ok, S}.

start(State) -> {ok, P} = gen_server:start(?MODULE, State, []), P.

calls() ->
    P = start({stack, [a, b]}),
    {gen_server:call(P, pop), gen_server:call(P, pop), gen_server:call(P, pop),
     gen_server:call(P, late), gen_server:call(P, self) =:= P}.

casts() ->
    P = start({stack, []}),
    [gen_server:cast(P, {push, N}) || N <- [1, 2, 3]],
    P ! hello,
    {gen_server:call(P, state), gen_server:cast(nobody, x), gen_server:abcast(nobody, x)}.

call_timeouts() ->
    P = start({stack, []}),
    A = (catch gen_server:call(P, never, 10)),
    B = (catch gen_server:call(P, {sleep, 50}, 10)),
    {'EXIT', {timeout, {gen_server, call, [P | _]}}} = A,
    {'EXIT', {timeout, _}} = B,
    C = gen_server:call(P, state),
    {C, receive M -> M after 100 -> nothing end, catch gen_server:call(nobody, x)}.

server_crash() ->
    process_flag(trap_exit, true),
    {ok, P} = gen_server:start_link(?MODULE, {stack, []}, []),
    {'EXIT', {{Why, [{M, F, A, _} | _]}, {gen_server, call, _}}} = (catch gen_server:call(P, crash)),
    B = receive {'EXIT', P, {R, _}} -> R after 1000 -> none end,
    {Why, M, F, A, B, is_process_alive(P), catch element(1, element(2, catch gen_server:call(P, x)))}.

named_server() ->
    {ok, P} = gen_server:start({local, my_server}, ?MODULE, {stack, [1]}, []),
    A = gen_server:start({local, my_server}, ?MODULE, {stack, [1]}, []),
    B = gen_server:call(my_server, pop),
    C = gen_server:call({my_server, node()}, state),
    ok = gen_server:stop(my_server),
    {A =:= {error, {already_started, P}}, B, C, whereis(my_server)}.

stopping() ->
    process_flag(trap_exit, true),
    {ok, P} = gen_server:start_link(?MODULE, {stack, []}, []),
    A = gen_server:call(P, stop),
    B = receive {'EXIT', P, R} -> R after 100 -> none end,
    {ok, Q} = gen_server:start_link(?MODULE, {stack, []}, []),
    {'EXIT', {C, _}} = (catch gen_server:call(Q, {stop, odd})),
    D = receive {'EXIT', Q, R2} -> R2 after 100 -> none end,
    {ok, S} = gen_server:start(?MODULE, {tick, self()}, []),
    ok = gen_server:stop(S, shutdown, 1000),
    {A, B, C, D, receive terminated -> terminated after 100 -> none end}.

start_errors() ->
    process_flag(trap_exit, true),
    A = gen_server:start(?MODULE, refuse, []),
    B = gen_server:start_link(?MODULE, refuse, []),
    C = receive {'EXIT', _, R} -> R after 100 -> none end,
    {error, {D, [_ | _]}} = gen_server:start(?MODULE, crash, []),
    {A, B, C, D, gen_server:start(?MODULE, ignore, [])}.

replies_late() ->
    P = start({stack, []}),
    R = gen_server:send_request(P, late),
    A = gen_server:wait_response(R, 1000),
    R2 = gen_server:send_request(P, never),
    {A, gen_server:wait_response(R2, 10), gen_server:wait_response(gen_server:send_request(P, state), infinity)}.

server_timeout() ->
    start({tick, self()}),
    receive ticked -> ticked after 1000 -> none end.

continued() ->
    start({continue, self()}),
    receive continued -> continued after 1000 -> none end.

%% gen_statem -------------------------------------------------------------------------------

callback_mode() -> [state_functions, state_enter].

locked(enter, _, _) -> keep_state_and_data;
locked({call, From}, {press, D}, #{code := Code, tries := T} = Data) ->
    case lists:reverse([D | T]) of
        Code -> {next_state, open, Data#{tries := []}, [{reply, From, opened}, {state_timeout, 20, lock}]};
        Tried when length(Tried) < length(Code) -> {keep_state, Data#{tries := [D | T]}, [{reply, From, more}]};
        _ -> {keep_state, Data#{tries := []}, [{reply, From, wrong}]}
    end;
locked({call, From}, which, _) -> {keep_state_and_data, [{reply, From, locked}]};
locked({call, _}, later, _) -> {keep_state_and_data, [postpone]};
locked(cast, _, _) -> keep_state_and_data.

open(enter, Old, Data) -> {keep_state, Data#{from => Old}};
open({call, From}, which, #{from := F}) -> {keep_state_and_data, [{reply, From, {open, F}}]};
open({call, From}, later, _) -> {keep_state_and_data, [{reply, From, now}]};
open(state_timeout, lock, Data) -> {next_state, locked, Data};
open(cast, stop, _) -> stop.

statem() ->
    {ok, P} = gen_statem:start(?MODULE, {door, [1, 2]}, []),
    A = [gen_statem:call(P, {press, N}) || N <- [1, 3, 1, 2]],
    B = gen_statem:call(P, which),
    timer:sleep(50),
    C = gen_statem:call(P, which),
    {A, B, C, gen_statem:stop(P), is_process_alive(P)}.

statem_timeouts() ->
    {ok, P} = gen_statem:start(?MODULE, {door, [1]}, []),
    R = gen_statem:send_request(P, later),
    A = gen_statem:wait_response(R, 10),
    opened = gen_statem:call(P, {press, 1}),
    {A, gen_statem:wait_response(R, 1000), gen_statem:cast(P, stop)}.

%% gen_event --------------------------------------------------------------------------------

handle_event(Event, Who) when is_pid(Who) -> Who ! {event, Event}, {ok, Who};
handle_event(_, S) -> {ok, S}.

handle_call(which, Who) -> {ok, is_pid(Who), Who};
handle_call(remove, _) -> {remove_handler, removed}.

events() ->
    {ok, M} = gen_event:start({local, my_events}),
    ok = gen_event:add_handler(M, ?MODULE, {events, self()}),
    ok = gen_event:add_handler(M, {?MODULE, second}, {events, self()}),
    gen_event:notify(my_events, one),
    ok = gen_event:sync_notify(M, two),
    A = lists:sort([receive {event, E} -> E after 100 -> none end || _ <- lists:seq(1, 4)]),
    B = gen_event:which_handlers(M),
    C = gen_event:call(M, ?MODULE, which),
    D = gen_event:call(M, ?MODULE, remove),
    E2 = gen_event:delete_handler(M, {?MODULE, second}, why),
    {A, lists:sort(B), C, D, E2, gen_event:which_handlers(M), gen_event:call(M, none, x),
     gen_event:stop(M)}.

%% supervisor -------------------------------------------------------------------------------

child(Id, State) ->
    #{id => Id, start => {gen_server, start_link, [{local, Id}, ?MODULE, State, []]}}.

supervised() ->
    Flags = #{strategy => one_for_one, intensity => 3, period => 5},
    {ok, S} = supervisor:start_link(?MODULE, {supervisor, Flags, [child(first, {stack, []}),
                                                                  child(second, {stack, [x]})]}),
    P = whereis(first),
    exit(P, kill),
    timer:sleep(10),
    Q = whereis(first),
    A = supervisor:count_children(S),
    {ok, T} = supervisor:start_child(S, child(third, {stack, []})),
    B = [Id || {Id, _, _, _} <- supervisor:which_children(S)],
    C = supervisor:terminate_child(S, third),
    D = supervisor:delete_child(S, third),
    E = supervisor:start_child(S, child(bad, refuse)),
    unlink(S), exit(S, shutdown), timer:sleep(10),
    {is_pid(Q), P =/= Q, A, is_pid(T), B, C, D, element(1, E), is_process_alive(S), whereis(first)}.

simple_supervised() ->
    Flags = #{strategy => simple_one_for_one},
    Child = #{id => worker, start => {gen_server, start_link, [?MODULE]}, restart => temporary},
    {ok, S} = supervisor:start_link(?MODULE, {supervisor, Flags, [Child]}),
    Ps = [begin {ok, P} = supervisor:start_child(S, [{stack, [N]}, []]), P end || N <- [1, 2, 3]],
    A = [gen_server:call(P, pop) || P <- Ps],
    exit(hd(Ps), kill),
    timer:sleep(10),
    {A, supervisor:count_children(S)}.

too_many_restarts() ->
    process_flag(trap_exit, true),
    Flags = #{strategy => one_for_all, intensity => 1, period => 5},
    {ok, S} = supervisor:start_link(?MODULE, {supervisor, Flags, [child(one, {stack, []}),
                                                                  child(two, {stack, []})]}),
    [begin exit(whereis(one), kill), timer:sleep(10) end || _ <- [1, 2]],
    receive {'EXIT', S, Why} -> {Why, whereis(one), whereis(two)} after 1000 -> none end.

%% proc_lib and friends ---------------------------------------------------------------------

proc_libs() ->
    Self = self(),
    A = proc_lib:start(?MODULE, acked, [Self]),
    P = proc_lib:spawn(fun() -> Self ! {call, get('$initial_call'), get('$ancestors') =:= [Self]} end),
    B = receive {call, C, D} -> {is_tuple(C), D} end,
    {Q, R} = proc_lib:spawn_opt(fun() -> exit(odd) end, [monitor]),
    E = receive {'DOWN', R, process, Q, W} -> W end,
    F = proc_lib:start(?MODULE, dies, [], 1000),
    {A, is_pid(P), B, E, F, proc_lib:translate_initial_call(start({stack, []}))}.

acked(Who) -> proc_lib:init_ack(Who, {ok, ready}).

dies() -> exit(early).

applications() ->
    A = [application:get_env(kernel, K) || K <- [no_such_key, logger_level]],
    B = application:get_env(no_such_app, key, default),
    C = application:start(no_such_app_at_all),
    D = application:start(stdlib),
    E = [element(1, X) || X <- application:which_applications()],
    F = application:ensure_all_started(crypto_no),
    G = application:get_application(lists),
    {A, B, element(1, C), D, lists:sort(E), element(1, F), G,
     application:get_key(stdlib, applications)}.

environments() ->
    ok = application:load({application, my_app, [{vsn, "1"}, {modules, [?MODULE]}, {registered, []},
                                                 {applications, [kernel, stdlib]}, {env, [{a, 1}]}]}),
    ok = application:set_env(my_app, b, 2),
    A = lists:sort(application:get_all_env(my_app)),
    B = application:start(my_app),
    C = lists:keymember(my_app, 1, application:which_applications()),
    {A, B, C, application:get_application(?MODULE), application:unset_env(my_app, a),
     application:get_env(my_app, a), application:stop(my_app), application:unload(my_app)}.

logged() ->
    ok = logger:set_primary_config(level, info),
    A = logger:add_handler(mine, ?MODULE, #{config => self()}),
    logger:info("hello ~p", [there]),
    logger:debug("not ~p", [me]),
    error_logger:error_msg("bad ~p", [thing]),
    B = [receive {logged, L, M} -> {L, M} after 100 -> none end || _ <- [1, 2]],
    {A, B, maps:get(level, logger:get_primary_config()), logger:remove_handler(mine)}.

log(#{level := L, msg := M}, #{config := Who}) -> Who ! {logged, L, M}.

remote_calls() ->
    {rpc:call(node(), lists, reverse, [[1, 2]]), rpc:call(node(), erlang, error, [bad]) =/= ok,
     erpc:call(node(), lists, sum, [[1, 2]]), catch erpc:call(node(), erlang, throw, [x]),
     erpc:multicall([node()], lists, max, [[1, 2]]), rpc:multicall(lists, min, [[1, 2]])}.

global_names() ->
    A = global:register_name(my_global, self()),
    B = global:whereis_name(my_global) =:= self(),
    global:send(my_global, hi),
    C = receive hi -> hi after 100 -> none end,
    {A, B, C, global:registered_names(), global:unregister_name(my_global),
     global:whereis_name(my_global)}.

system_messages() ->
    P = start({stack, [s]}),
    A = sys:get_state(P),
    B = sys:replace_state(P, fun(S) -> [new | S] end),
    ok = sys:suspend(P),
    C = (catch gen_server:call(P, state, 10)),
    ok = sys:resume(P),
    {status, P, {module, M}, _} = sys:get_status(P),
    {A, B, element(1, C), M, gen_server:call(P, pop)}.

tasks() ->
    Pids = [spawn_monitor(fun() -> exit({result, N * N}) end) || N <- lists:seq(1, 5)],
    [receive {'DOWN', R, process, P, {result, X}} -> X end || {P, R} <- Pids].

enter_loop() ->
    P = proc_lib:spawn(fun() -> gen_server:enter_loop(?MODULE, [], [looped]) end),
    gen_server:call(P, pop).

groups() ->
    {ok, _} = pg:start_link(),
    ok = pg:join(my_group, self()),
    A = pg:get_members(my_group) =:= [self()],
    {A, pg:which_groups(), pg:leave(my_group, self()), pg:get_members(my_group)}.

in_ets() ->
    T = ets:new(t, [public]),
    {P, R} = spawn_monitor(fun() -> ets:insert(T, {from, child}), ets:new(own, [named_table]) end),
    receive {'DOWN', R, process, P, _} -> ok end,
    {ets:tab2list(T), ets:info(own)}.
