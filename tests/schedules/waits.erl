-module(waits).
-export([message/0, message_or_more/0, key/0, busy/0, name/0, life/0, either/0, both_receives/0, each_other/0,
         deadline/0, clocked/0, told/0, killed/0, server/0, never/0, counted/0, long/0, asked/1, two_keys/0,
         killed_by_another/0, polls/0, late/0, mailbox/0, slept/0]).

%% Loops that wait for others.

message() ->
    P = self(),
    spawn(fun() -> P ! ok end),
    wait().

wait() ->
    receive ok -> ok after 50 -> wait() end.

message_or_more() ->
    P = self(),
    spawn(fun() -> P ! ok end),
    spawn(fun() -> P ! more end),
    wait_for([]).

wait_for(Seen) when length(Seen) =:= 2 -> Seen;
wait_for(Seen) ->
    receive ok -> wait_for([ok | Seen]) after 0 ->
        receive more -> wait_for([more | Seen]) after 10 -> wait_for(Seen) end
    end.

key() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {k, 1}), ets:insert(T, {k, 2}) end),
    until(fun() -> ets:lookup(T, k) =/= [] end),
    ets:lookup(T, k).

busy() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {k, 1}) end),
    spin(T),
    ets:lookup(T, k).

spin(T) ->
    case ets:member(T, k) of true -> ok; false -> spin(T) end.

name() ->
    spawn(fun() -> register(there, self()), receive stop -> ok end end),
    until(fun() -> whereis(there) =/= undefined end),
    there ! stop.

life() ->
    P = spawn(fun() -> ok end),
    until(fun() -> not is_process_alive(P) end),
    gone.

%% Whichever is set first.
either() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {a, 1}) end),
    spawn(fun() -> ets:insert(T, {b, 1}) end),
    until(fun() -> ets:member(T, a) orelse ets:member(T, b) end),
    {ets:member(T, a), ets:member(T, b)}.

both_receives() ->
    P = self(),
    spawn(fun() -> P ! b end),
    in_turns(P).

in_turns(P) ->
    receive a -> a after 10 -> ok end,
    receive b -> b after 10 -> in_turns(P) end.

%% Nobody begins.
each_other() ->
    T = ets:new(t, [public]),
    spawn(fun() -> until(fun() -> ets:member(T, a) end), ets:insert(T, {b, 1}) end),
    until(fun() -> ets:member(T, b) end),
    ets:insert(T, {a, 1}).

deadline() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {k, 1}) end),
    before(T, erlang:monotonic_time(millisecond) + 100).

before(T, Deadline) ->
    case ets:member(T, k) of
        true -> in_time;
        false ->
            case erlang:monotonic_time(millisecond) >= Deadline of
                true -> too_late;
                false -> timer:sleep(30), before(T, Deadline)
            end
    end.

clocked() ->
    never_there(erlang:monotonic_time() + erlang:convert_time_unit(20, millisecond, native)).

never_there(Deadline) ->
    case erlang:monotonic_time() >= Deadline of
        true -> too_late;
        false -> timer:sleep(7), never_there(Deadline)
    end.

told() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {k, 1}) end),
    until(fun() -> io:format("~p~n", [waiting]), ets:member(T, k) end),
    ok.

killed() ->
    T = ets:new(t, [public]),
    P = spawn(fun() -> until(fun() -> ets:member(T, k) end), ets:insert(T, {seen, 1}) end),
    ets:insert(T, {k, 1}),
    exit(P, kill),
    until(fun() -> not is_process_alive(P) end),
    ets:member(T, seen).

killed_by_another() ->
    T = ets:new(t, [public]),
    {P, R} = spawn_monitor(fun() -> until(fun() -> ets:member(T, k) end), ets:insert(T, {seen, 1}) end),
    spawn(fun() -> exit(P, kill) end),
    spawn(fun() -> ets:insert(T, {k, 1}) end),
    receive {'DOWN', R, _, _, Why} -> {Why, ets:member(T, seen)} end.

%% What is asked goes round, too.
server() ->
    S = spawn(fun() -> serve(0) end),
    spawn(fun() -> S ! up end),
    asks(S).

serve(N) ->
    receive up -> serve(N + 1); {ask, From} -> From ! {is, N}, serve(N) end.

asks(S) ->
    S ! {ask, self()},
    receive {is, 1} -> up; {is, 0} -> timer:sleep(10), asks(S) end.

never() ->
    never().

%% Each round changes something.
counted() ->
    P = self(),
    spawn(fun() -> P ! ok end),
    count(0).

count(N) ->
    receive ok -> N after 50 -> count(N + 1) end.

long() ->
    P = self(),
    spawn(fun() -> P ! ok end),
    long_wait(P).

long_wait(P) ->
    receive ok -> receive never -> ok after 6000 -> long_wait(P) end after 6000 -> long_wait(P) end.

asked(N) ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {N, 1}) end),
    until(fun() -> ets:info(T, size) > 0 end),
    case ets:member(T, 17) of true -> error(bad); false -> ok end.

two_keys() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {a, 1}), ets:insert(T, {b, 1}) end),
    spawn(fun() -> until(fun() -> ets:member(T, a) end), ets:insert(T, {c, ets:member(T, b)}) end),
    until(fun() -> ets:member(T, c) end),
    ets:lookup(T, c).

polls() ->
    P = self(),
    spawn(fun() -> P ! a end),
    spawn(fun() -> P ! b end),
    poll([]).

poll([_, _] = Seen) -> Seen;
poll(Seen) -> receive M -> poll([M | Seen]) after 0 -> poll(Seen) end.

late() ->
    P = self(),
    erlang:send_after(20, P, tick),
    wait_for_tick(P).

wait_for_tick(P) ->
    receive tick -> ticked after 7 -> wait_for_tick(P) end.

mailbox() ->
    P = self(),
    spawn(fun() -> P ! a, P ! b end),
    until(fun() -> {message_queue_len, N} = process_info(P, message_queue_len), N > 0 end),
    element(2, process_info(P, message_queue_len)).

until(Holds) ->
    case Holds() of
        true -> ok;
        false -> timer:sleep(10), until(Holds)
    end.

%% So often and no more.
slept() ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {k, 1}) end),
    at_most(3, T).

at_most(0, _) -> never;
at_most(N, T) ->
    case ets:member(T, k) of true -> {in_time, N}; false -> timer:sleep(10), at_most(N - 1, T) end.
