%% Five races of OTP code, each with its bug and mended.
-module(otp_races).
-behaviour(gen_server).
-export([cast_call_bug/0, cast_call_mended/0, restart_bug/0, restart_mended/0,
         name_bug/0, name_mended/0, timer_bug/0, timer_mended/0, pool_bug/0, pool_mended/0]).
-export([init/1, handle_call/3, handle_cast/2, start_worker/0, work/0]).

%% A cast of one process and a call of another.

cast_call_bug() ->
    {ok, S} = gen_server:start(?MODULE, counter, []),
    spawn(fun() -> gen_server:cast(S, increment) end),
    1 = gen_server:call(S, read).

cast_call_mended() ->
    {ok, S} = gen_server:start(?MODULE, counter, []),
    gen_server:cast(S, increment),
    1 = gen_server:call(S, read).

%% A worker that a supervisor starts again is not there for a while.

restart_bug() ->
    {ok, _} = supervisor:start_link(?MODULE, supervisor),
    exit(whereis(worker), kill),
    worker ! hello,
    ok.

restart_mended() ->
    {ok, S} = supervisor:start_link(?MODULE, supervisor),
    Old = whereis(worker),
    Ref = monitor(process, Old),
    exit(Old, kill),
    receive {'DOWN', Ref, process, Old, killed} -> ok end,
    [{worker, New, worker, _}] = children(S, Old),
    New ! hello,
    ok.

children(S, Old) ->
    case supervisor:which_children(S) of
        [{worker, Old, _, _}] -> children(S, Old);
        Children -> Children
    end.

start_worker() ->
    proc_lib:start_link(?MODULE, work, []).

work() ->
    register(worker, self()),
    proc_lib:init_ack({ok, self()}),
    receive stop -> ok end.

%% Look first, register then.

name_bug() ->
    [spawn(fun() ->
        case whereis(the_one) of
            undefined -> register(the_one, self());
            _ -> ok
        end,
        receive stop -> ok end
     end) || _ <- [1, 2]],
    ok.

name_mended() ->
    [spawn(fun() ->
        try register(the_one, self()) of
            true -> receive stop -> ok end
        catch error:badarg -> ok
        end
     end) || _ <- [1, 2]],
    ok.

%% A timer that fired before it was cancelled has left its message.

timer_bug() ->
    Ref = erlang:start_timer(10, self(), first),
    erlang:cancel_timer(Ref),
    self() ! second,
    second = receive {timeout, _, What} -> What; What -> What end,
    ok.

timer_mended() ->
    Ref = erlang:start_timer(10, self(), first),
    case erlang:cancel_timer(Ref) of
        false -> receive {timeout, Ref, first} -> ok end;
        _ -> ok
    end,
    self() ! second,
    second = receive {timeout, _, What} -> What; What -> What end,
    ok.

%% Two things from one pool, taken in different orders.

pool_bug() -> pool([a, b], [b, a]).

pool_mended() -> pool([a, b], [a, b]).

pool(First, Second) ->
    {ok, Pool} = gen_server:start(?MODULE, pool, []),
    Me = self(),
    [spawn(fun() ->
        [ok = gen_server:call(Pool, {take, It}, infinity) || It <- Order],
        [ok = gen_server:call(Pool, {give, It}, infinity) || It <- Order],
        Me ! done
     end) || Order <- [First, Second]],
    [receive done -> ok end || _ <- [1, 2]],
    ok.

%% Callbacks

init(counter) -> {ok, 0};
init(pool) -> {ok, #{}};
init(supervisor) ->
    Worker = #{id => worker, start => {?MODULE, start_worker, []}},
    {ok, {#{strategy => one_for_one, intensity => 3, period => 10}, [Worker]}}.

handle_call(read, _, N) -> {reply, N, N};
handle_call({take, It}, From, Taken) ->
    case Taken of
        #{It := Waiting} -> {noreply, Taken#{It := Waiting ++ [From]}};
        #{} -> {reply, ok, Taken#{It => []}}
    end;
handle_call({give, It}, _, Taken) ->
    case Taken of
        #{It := []} -> {reply, ok, maps:remove(It, Taken)};
        #{It := [Next | Rest]} ->
            gen_server:reply(Next, ok),
            {reply, ok, Taken#{It := Rest}}
    end.

handle_cast(increment, N) -> {noreply, N + 1}.
