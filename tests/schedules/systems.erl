-module(systems).
-export([pool_lent/0, pool_taken_back/0, pool_checked/0,
         lock_kept/0, lock_given_back/0,
         restarted/0, restarted_and_known/0, intensity/0,
         cache_lost/0, cache_inherited/0,
         registered_twice/0, registered_once/0,
         groups/0, groups_settled/0,
         door/0, door_mended/0]).
-export([init/1, callback_mode/0, handle_call/3, handle_cast/2, handle_info/2, handle_event/4, start_worker/1,
         start_pool/0]).

%% Systems as people build them with OTP. Each has a race that is known, and a version without it.

%% A pool of one worker -------------------------------------------------------------------------------
%%
%% Who borrowed the worker and ends without giving it back is watched, or is not.

start_pool() -> gen_server:start(?MODULE, {pool, unwatched}, []).

%% Nobody takes the worker back from who ended: the next one waits for ever.
pool_lent() -> borrowed(unwatched).

pool_taken_back() -> borrowed(watched).

borrowed(How) ->
    {ok, Pool} = gen_server:start(?MODULE, {pool, How}, []),
    Me = self(),
    P = spawn(fun() ->
        {ok, W} = gen_server:call(Pool, borrow, infinity),
        Me ! borrowed,
        gen_server:cast(Pool, {give_back, W})
    end),
    receive borrowed -> exit(P, kill) end,
    {ok, _} = gen_server:call(Pool, borrow, infinity),
    done.

%% With a timeout: who gave up gets a worker all the same, and nobody has it then.
pool_checked() ->
    {ok, Pool} = gen_server:start(?MODULE, {pool, watched}, []),
    {ok, W} = gen_server:call(Pool, borrow, infinity),
    Me = self(),
    spawn(fun() -> {ok, _} = gen_server:call(Pool, borrow, infinity), Me ! second end),
    gen_server:cast(Pool, {give_back, W}),
    receive second -> done end.

init({pool, How}) -> {ok, {How, [worker], #{}, queue:new()}};
init({cache, T}) -> {ok, T};
init({lock, Mode}) -> {ok, free, {Mode, 0}};
init({door, Mode}) -> {ok, closed, Mode};
init({supervisor, Intensity}) ->
    Child = #{id => worker, start => {?MODULE, start_worker, [worker]}},
    {ok, {#{strategy => one_for_one, intensity => Intensity, period => 10}, [Child]}}.

handle_call(borrow, {Who, _}, {How, [W | Rest], Lent, Queue}) ->
    {reply, {ok, W}, {How, Rest, lend(How, W, Who, Lent), Queue}};
handle_call(borrow, From, {How, [], Lent, Queue}) ->
    {noreply, {How, [], Lent, queue:in(From, Queue)}};
handle_call({put, K, V}, _, T) -> ets:insert(T, {K, V}), {reply, ok, T}.

handle_cast({give_back, W}, {How, Free, Lent, Queue}) ->
    case maps:take(W, Lent) of
        {R, Left} -> demonitor(R, [flush]), next({How, [W | Free], Left, Queue});
        error when How =:= unwatched -> next({How, [W | Free], Lent, Queue});
        error -> {noreply, {How, Free, Lent, Queue}}
    end.

handle_info({'DOWN', R, process, _, _}, {How, Free, Lent, Queue}) ->
    [W] = [W || {W, Ref} <- maps:to_list(Lent), Ref =:= R],
    next({How, [W | Free], maps:remove(W, Lent), Queue}).

next({How, [W | Free], Lent, Queue} = State) ->
    case queue:out(Queue) of
        {empty, _} -> {noreply, State};
        {{value, {Who, _} = From}, Left} ->
            gen_server:reply(From, {ok, W}),
            {noreply, {How, Free, lend(How, W, Who, Lent), Left}}
    end.

lend(unwatched, _, _, Lent) -> Lent;
lend(watched, W, Who, Lent) -> Lent#{W => monitor(process, Who)}.

%% A lock as a state machine --------------------------------------------------------------------------
%%
%% Who waits is postponed. A lock that is kept too long is free again: whoever kept it must not give it back for
%% somebody else.

callback_mode() -> handle_event_function.

handle_event({call, From}, lock, free, {Mode, N}) ->
    {next_state, locked, {Mode, N + 1}, [{reply, From, {ok, N + 1}}, {state_timeout, 10, over}]};
handle_event({call, _}, lock, locked, _) ->
    {keep_state_and_data, [postpone]};
handle_event(state_timeout, over, locked, Data) ->
    {next_state, free, Data};
handle_event({call, From}, {unlock, N}, locked, {_, N} = Data) ->
    {next_state, free, Data, [{reply, From, ok}]};
handle_event({call, From}, {unlock, _}, locked, {trusting, _} = Data) ->
    {next_state, free, Data, [{reply, From, ok}]};
handle_event({call, From}, {unlock, _}, _, {_, _}) ->
    {keep_state_and_data, [{reply, From, late}]};
%% A door: whoever pushes when it is locked waits until it is not.
handle_event({call, From}, push, closed, _) -> {keep_state_and_data, [{reply, From, opened}]};
handle_event({call, From}, lock_door, closed, Mode) ->
    {next_state, shut, Mode, [{reply, From, ok}]};
handle_event({call, _}, push, shut, postponing) -> {keep_state_and_data, [postpone]};
handle_event({call, From}, push, shut, failing) -> {keep_state_and_data, [{reply, From, locked}]};
handle_event({call, From}, unlock_door, shut, Mode) ->
    {next_state, closed, Mode, [{reply, From, ok}]}.

lock_kept() -> locked(trusting).

lock_given_back() -> locked(counting).

%% Nobody is let in while the second one is inside, as long as nobody's time is over.
locked(Mode) ->
    {ok, Lock} = gen_statem:start(?MODULE, {lock, Mode}, []),
    Me = self(),
    spawn(fun() ->
        {ok, N} = gen_statem:call(Lock, lock),
        gen_statem:call(Lock, {unlock, N}),
        Me ! first
    end),
    {ok, N} = gen_statem:call(Lock, lock),
    Answer = gen_statem:call(Lock, {unlock, N}),
    receive first -> ok end,
    case {Mode, Answer} of
        {trusting, late} -> exit(gave_back_for_another);
        _ -> ok
    end.

door() -> pushed(failing).

door_mended() -> pushed(postponing).

pushed(Mode) ->
    {ok, Door} = gen_statem:start(?MODULE, {door, Mode}, []),
    Me = self(),
    spawn(fun() -> Me ! gen_statem:call(Door, push) end),
    ok = gen_statem:call(Door, lock_door),
    ok = gen_statem:call(Door, unlock_door),
    receive opened -> ok; locked -> exit(locked_out) end.

%% A supervised worker --------------------------------------------------------------------------------

start_worker(Name) ->
    Parent = self(),
    Ref = make_ref(),
    P = spawn_link(fun() -> register(Name, self()), Parent ! Ref, worker() end),
    receive Ref -> {ok, P} end.

worker() ->
    receive
        {From, ping} -> From ! pong, worker();
        crash -> exit(crashed)
    end.

%% Whoever asks by name while the worker is started again finds nobody.
restarted() ->
    {ok, Sup} = supervisor:start_link(?MODULE, {supervisor, 1}),
    worker ! crash,
    worker ! {self(), ping},
    receive pong -> ok after 10 -> ok end,
    stop(Sup).

restarted_and_known() ->
    {ok, Sup} = supervisor:start_link(?MODULE, {supervisor, 1}),
    worker ! crash,
    catch worker ! {self(), ping},
    receive pong -> ok after 10 -> ok end,
    stop(Sup).

%% More crashes than the supervisor bears end it, and whoever started it.
intensity() ->
    {ok, _} = supervisor:start_link(?MODULE, {supervisor, 0}),
    worker ! crash,
    receive after infinity -> ok end.

stop(Sup) ->
    unlink(Sup),
    R = monitor(process, Sup),
    exit(Sup, shutdown),
    receive {'DOWN', R, _, _, _} -> ok end.

%% A cache and its heir -------------------------------------------------------------------------------

cache_lost() -> cached([]).

cache_inherited() -> cached([{heir, self(), cache}]).

%% The owner fails while somebody reads.
cached(Options) ->
    Me = self(),
    {Owner, R} = spawn_monitor(fun() ->
        T = ets:new(cache, [public | Options]),
        ets:insert(T, {k, 1}),
        Me ! {table, T},
        receive stop -> ok end
    end),
    receive {table, T} -> ok end,
    spawn(fun() -> Owner ! stop end),
    [{k, 1}] = ets:lookup(T, k),
    receive {'DOWN', R, _, _, _} -> ok end.

%% A registry -----------------------------------------------------------------------------------------

registered_twice() -> registered(fun(Name) ->
    case whereis(Name) of
        undefined -> register(Name, self());
        _ -> false
    end
end).

registered_once() -> registered(fun(Name) -> catch register(Name, self()) end).

%% Whoever gets a name first has it.
registered(Take) ->
    Me = self(),
    Start = fun() -> spawn_monitor(fun() -> Take(service), Me ! done, receive stop -> ok end end) end,
    Started = [Start(), Start()],
    [receive done -> ok; {'DOWN', _, _, _, Why} -> exit({not_started, Why}) end || _ <- Started],
    ok.

%% Process groups -------------------------------------------------------------------------------------

%% A member that ended is one for a while: whoever heard of the end may have heard of it first.
groups() -> joined(fun(P) ->
    R = monitor(process, P),
    P ! stop,
    receive {'DOWN', R, _, _, _} -> ok end
end).

groups_settled() -> joined(fun(P) -> pg:leave(systems, group, P) end).

joined(Leave) ->
    {ok, Scope} = pg:start(systems),
    P = spawn(fun() -> receive stop -> ok end end),
    ok = pg:join(systems, group, P),
    Leave(P),
    Members = pg:get_members(systems, group),
    gen_server:stop(Scope),
    case Members of
        [] -> ok;
        [P] -> exit(not_gone)
    end.
