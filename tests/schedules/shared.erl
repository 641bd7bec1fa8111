%% Searches that are large enough to be shared.
-module(shared).
-export([children/1, mail/1, readers/0, last_zero/0, philosophers/0]).

%% Who starts a further process depends on who came first: names differ from run to run.
children(N) ->
    Me = self(),
    T = ets:new(t, [public]),
    ets:insert(T, {n, 0}),
    [spawn(fun() ->
               case ets:update_counter(T, n, 1) of
                   1 -> spawn(fun() -> ets:insert(T, {first, I}), Me ! {done, first} end);
                   K -> ets:insert(T, {last, K})
               end,
               ets:update_counter(T, n, 1),
               Me ! {done, I}
           end) || I <- lists:seq(1, N)],
    [receive {done, X} -> X end || _ <- lists:seq(0, N)].

%% Any order, and some that nobody waits for.
mail(N) ->
    Me = self(),
    [spawn(fun() -> Me ! {a, I}, Me ! {b, I} end) || I <- lists:seq(1, N)],
    All = [receive {_, _} = M -> M end || _ <- lists:seq(1, 2 * N)],
    receive more -> ok after 0 -> All end.

readers() -> classic:readers(13).

last_zero() -> classic:last_zero(9).

philosophers() -> classic:philosophers(3).
