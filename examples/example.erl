%% Compares each element with 42. One of the three answers of cmp/1 is not expected by fcmp/1.
-module(example).
-export([foo/1]).

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
