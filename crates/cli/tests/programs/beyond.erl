%% What the paper leaves out, for `gimlet run --trace`.
-module(beyond).
-export([dies/0, sums/1, order/0]).

dies() ->
    {P, M} = spawn_monitor(fun() -> receive stop -> exit(bye) end end),
    erlang:send_after(100, P, stop),
    receive {'DOWN', M, process, P, Why} -> Why after 5000 -> late end.

sums(L) ->
    try [1 div X || X <- L] of
        Parts -> lists:foldl(fun(A, B) -> A + B end, 0, Parts)
    catch
        error:Why -> #{why => Why}
    end.

%% The answer of the one may overtake that of the other.
order() ->
    Me = self(),
    One = spawn(fun() -> receive go -> Me ! one end end),
    Two = spawn(fun() -> Me ! two, One ! go end),
    receive X when X =:= one; X =:= two -> {X, is_pid(Two)} end.
