-module(late).
-export([told/0, counts/0, written/0, called_once/0, left/0, each_other/0, flushed/0]).

%% Loops that wait, signals that take their time, and who watches whom.

told() ->
    P = self(),
    spawn(fun() -> P ! ok end),
    wait().

wait() ->
    receive ok -> ok after 50 -> wait() end.

%% Every round is another one.
counts() ->
    P = self(),
    spawn(fun() -> P ! ok end),
    count(0).

count(N) ->
    receive ok -> counted after 50 -> count(N + 1) end.

written() ->
    T = ets:new(t, [public]),
    ets:insert(T, {c, 0}),
    P = spawn(fun() -> catch ets:insert(T, {c, 1}) end),
    exit(P, kill),
    A = ets:lookup(T, c),
    A = ets:lookup(T, c),
    ok.

%% It fails when nobody watches it any more.
called_once() ->
    P = spawn(fun() -> receive {ask, From} -> From ! answer end, error(later) end),
    R = monitor(process, P),
    P ! {ask, self()},
    receive answer -> demonitor(R, [flush]), ok end.

left() ->
    spawn(fun() -> receive never -> ok end end),
    ok.

each_other() ->
    T = ets:new(t, [public]),
    spawn(fun() -> until(T, a), ets:insert(T, {b, 1}) end),
    until(T, b),
    ets:insert(T, {a, 1}).

until(T, Key) ->
    case ets:member(T, Key) of true -> ok; false -> timer:sleep(5), until(T, Key) end.

flushed() ->
    {P, R} = spawn_monitor(fun() -> ok end),
    P ! hello,
    demonitor(R, [flush]).
