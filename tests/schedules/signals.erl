-module(signals).
-export([written_after_the_kill/0, signal_then_message/0, trapped_then_message/0, two_signals/0, asked_after_the_kill/0,
         watched_after_the_kill/0, told_by_another/0, linked_and_late/0, unlinked_in_time/0, message_then_signal/0]).

%% Signals take their time, and come in order.

written_after_the_kill() ->
    T = ets:new(t, [public]),
    ets:insert(T, {c, 0}),
    P = spawn(fun() -> ets:insert(T, {c, 1}), ets:insert(T, {c, 2}) end),
    exit(P, kill),
    A = ets:lookup(T, c),
    B = ets:lookup(T, c),
    A =:= B.

%% It is gone before the message comes.
signal_then_message() ->
    Me = self(),
    {P, R} = spawn_monitor(fun() -> receive It -> Me ! {got, It} end end),
    exit(P, boom),
    P ! hello,
    receive {'DOWN', R, _, _, Why} -> Why end,
    receive {got, What} -> {Why, What} after 0 -> Why end.

trapped_then_message() ->
    Me = self(),
    P = spawn(fun() ->
                  process_flag(trap_exit, true),
                  Me ! ready,
                  receive {'EXIT', _, Why} -> Me ! Why; It -> Me ! It end
              end),
    receive ready -> ok end,
    exit(P, one),
    P ! two,
    receive First -> First end.

two_signals() ->
    Me = self(),
    P = spawn(fun() ->
                  process_flag(trap_exit, true),
                  Me ! ready,
                  receive {'EXIT', _, A} -> receive {'EXIT', _, B} -> Me ! {A, B} end end
              end),
    receive ready -> ok end,
    exit(P, one),
    exit(P, two),
    receive {_, _} = Both -> Both end.

asked_after_the_kill() ->
    P = spawn(fun() -> receive stop -> ok end end),
    exit(P, kill),
    is_process_alive(P).

watched_after_the_kill() ->
    P = spawn(fun() -> receive stop -> ok end end),
    exit(P, kill),
    R = monitor(process, P),
    receive {'DOWN', R, _, _, Why} -> Why end.

%% Who was told of the signal sends a message.
told_by_another() ->
    Me = self(),
    P = spawn(fun() -> receive It -> Me ! {got, It} end end),
    R = monitor(process, P),
    C = spawn(fun() -> receive go -> P ! hello end end),
    exit(P, kill),
    C ! go,
    receive {'DOWN', R, _, _, Why} -> Why end.

%% The one at the other end of the link goes on for a while.
linked_and_late() ->
    T = ets:new(t, [public]),
    {_, R} = spawn_monitor(fun() ->
        P = self(),
        spawn(fun() -> link(P), ets:insert(T, {bad, 1}), exit(bad) end),
        until(T),
        ets:insert(T, {late, 1})
    end),
    receive {'DOWN', R, _, _, Why} -> {Why, ets:member(T, late)} end.

until(T) ->
    case ets:member(T, bad) of true -> ok; false -> timer:sleep(1), until(T) end.

unlinked_in_time() ->
    process_flag(trap_exit, true),
    P = spawn_link(fun() -> exit(bad) end),
    unlink(P),
    receive {'EXIT', P, Why} -> Why after 0 -> nothing end.

message_then_signal() ->
    Me = self(),
    {P, R} = spawn_monitor(fun() -> receive It -> Me ! {got, It} end end),
    P ! hello,
    exit(P, boom),
    receive {'DOWN', R, _, _, Why} -> ok end,
    receive {got, What} -> {Why, What} after 0 -> Why end.
