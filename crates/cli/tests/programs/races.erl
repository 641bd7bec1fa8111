%% Races for `gimlet test --schedules`.
-module(races).
-export([lost_update/0, waits/1, mended/0, overtakes/1, divides/1, is_small/1,
         asks/0, insists/0, sleeps/0, wakes/1, stays/0]).

%% Two processes add one each to what they have read.
lost_update() ->
    T = ets:new(t, [public]),
    ets:insert(T, {n, 0}),
    Me = self(),
    [spawn(fun() ->
        [{n, N}] = ets:lookup(T, n),
        ets:insert(T, {n, N + 1}),
        Me ! done
     end) || _ <- [1, 2]],
    [receive done -> ok end || _ <- [1, 2]],
    [{n, 2}] = ets:lookup(T, n),
    ok.

mended() ->
    T = ets:new(t, [public]),
    ets:insert(T, {n, 0}),
    Me = self(),
    [spawn(fun() -> ets:update_counter(T, n, 1), Me ! done end) || _ <- [1, 2]],
    [receive done -> ok end || _ <- [1, 2]],
    [{n, 2}] = ets:lookup(T, n),
    ok.

%% Waits for ever with one input only.
waits(X) ->
    Me = self(),
    spawn(fun() -> Me ! {value, X} end),
    receive {value, V} when V =/= 7 -> ok end.

%% Fails if the second process is first, and only with a list that holds something above 100.
-spec overtakes([integer()]) -> ok.
overtakes(L) ->
    Me = self(),
    spawn(fun() -> Me ! {first, lists:sum(L)} end),
    spawn(fun() -> Me ! {second, L} end),
    receive
        {first, _} -> ok;
        {second, Items} -> [below(It) || It <- Items], ok
    end.

below(N) when N > 100 -> exit(too_large);
below(_) -> ok.

%% With --pre is_small/1 no input is above 9.
divides(N) ->
    Me = self(),
    spawn(fun() -> Me ! {divide, 10} end),
    receive {divide, By} -> N div (N - By) end.

is_small(N) -> is_integer(N) andalso N < 10.

%% Waits for ever if an answer is lost, as it has no timeout.
asks() ->
    Me = self(),
    P = spawn(fun() -> receive {ask, From} -> From ! answer end end),
    P ! {ask, Me},
    receive answer -> ok end.

%% Asks again.
insists() ->
    P = spawn(fun answers/0),
    Res = ask(P, 3),
    P ! stop,
    Res.

answers() ->
    receive {ask, From, N} -> From ! {answer, N}, answers(); stop -> ok end.

ask(_, 0) -> down;
ask(P, N) ->
    P ! {ask, self(), N},
    receive {answer, N} -> ok after 100 -> ask(P, N - 1) end.

%% Sleeping, printing, hibernating and calling by name are steps, or parts of them, on BEAM too.
sleeps() ->
    Me = self(),
    spawn(fun() -> timer:sleep(5), io:format("late~n"), apply(erlang, send, [Me, late]) end),
    Early = spawn(fun() -> timer:sleep(50), erlang:hibernate(?MODULE, wakes, [Me]) end),
    Early ! go,
    receive early -> ok; late -> exit(too_late) end.

wakes(Me) ->
    receive go -> Me ! early end.

stays() ->
    spawn(fun() -> ok end),
    receive after infinity -> ok end.
