%% Counters in a table: a counter that is gone can't be decremented.
-module(tally).
-export([start/0, inc/1, dec/1, reset/0]).

start() ->
    case ets:info(tally) of
        undefined -> ets:new(tally, [named_table, public]), ok;
        _ -> ok
    end.

-spec inc(atom()) -> integer().
inc(Name) -> ets:update_counter(tally, Name, 1, {Name, 0}).

-spec dec(atom()) -> integer().
dec(Name) ->
    [{_, N}] = ets:lookup(tally, Name),
    ets:insert(tally, {Name, N - 1}),
    N - 1.

reset() -> ets:delete_all_objects(tally).
