-module(open).
-export([start/1, both/2]).

%% Loses an update by the schedule; which sum that makes depends on what is added.
start({K, N}) when is_integer(K) ->
    T = ets:new(t, [public]),
    P = self(),
    ets:insert(T, {c, 0}),
    Add = fun() -> [{c, V}] = ets:lookup(T, c), ets:insert(T, {c, V + K}), P ! done end,
    [spawn(Add) || _ <- lists:seq(1, N)],
    [receive done -> ok end || _ <- lists:seq(1, N)],
    [{c, Sum}] = ets:lookup(T, c),
    if
        Sum =:= K * N -> ok;
        Sum =:= 14 -> fourteen;
        true -> lost
    end.

both(X, Y) ->
    case X + Y of
        10 -> ten;
        _ -> other
    end.
