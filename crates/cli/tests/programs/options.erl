%% One function for each kind of option of `gimlet test`.
-module(options).
-export([f/1, pos/1, prop_rev/1, g/2, h/1, m/1]).
-ifdef(LIM).
-define(L, ?LIM).
-else.
-define(L, 5).
-endif.
-spec f(integer()) -> atom().
f(X) when X > 100, X < ?L -> error(deep);
f(X) when X < 0 -> 17;
f(_) -> ok.
pos(X) -> X > 0.
-spec prop_rev([integer()]) -> boolean().
prop_rev(L) -> lists:reverse(L) =:= L orelse length(L) < 2.
g(F, X) when is_function(F, 1) -> case F(X) of 42 -> error(answer); _ -> ok end;
g(_, _) -> no.
h(<<N, B:N/binary, _/binary>>) when N > 2 -> {ok, B};
h(<<>>) -> empty;
h(_) -> error(bad).
m(#{k := V} = M) when map_size(M) > 1 -> V + 1;
m(#{}) -> none.
