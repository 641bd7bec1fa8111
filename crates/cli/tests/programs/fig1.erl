%% The running example of paper 002, with the spec that a macro asks for.
-module(fig1).
-export([foo/1]).

-ifdef(TERMS).
-spec foo([term()]) -> ok.
-endif.
-ifdef(INTEGERS).
-spec foo([integer()]) -> ok.
-endif.

foo(L) ->
    lists:foreach(fun fcmp/1, L).

fcmp(X) ->
    case cmp(X) of
        gt -> ok;
        lt -> ok
    end.

cmp(X) when X > 42 -> gt;
cmp(42) -> eq;
cmp(X) when X < 42 -> lt.
