%% Ten properties for PropEr that do not hold, each for few of all values: what `cargo xtask properties` measures, and
%% what users may try. They need PropEr (Debian: erlang-proper-dev).
-module(prop_ten).
-include_lib("proper/include/proper.hrl").
-export([
    prop_magic/0, prop_checksum/0, prop_last_twice/0, prop_interval/0, prop_steps/0,
    prop_let/0, prop_tree/0, prop_items/0, prop_header/0, prop_crash/0
]).

%% A magic value.
prop_magic() -> ?FORALL(N, integer(), N =/= 48611).

%% A checksum over a list.
prop_checksum() -> ?FORALL(Bytes, list(byte()), checksum(Bytes) =/= 16#1F3).
checksum(Bytes) -> lists:foldl(fun(B, Acc) -> (Acc * 3 + B) band 16#FFFF end, 1, Bytes).

%% A sorted list with a duplicate.
prop_last_twice() ->
    ?FORALL(L, ?SUCHTHAT(L, list(integer()), length(L) >= 4),
            not (L =:= lists:sort(L) andalso lists:last(L) =:= lists:nth(length(L) - 1, L) andalso hd(L) > 1000)).

%% The boundary of an interval.
prop_interval() -> ?FORALL({A, B}, {integer(), integer(0, 1000000)}, not (A * 7 + 3 =:= B andalso B > 654321)).

%% A state machine that needs five steps.
prop_steps() ->
    ?FORALL(Steps, list(oneof([coin, push, {turn, integer(0, 99)}, reset])),
            lists:foldl(fun step/2, locked, Steps) =/= open).
step(reset, _) -> locked;
step(coin, locked) -> {paid, 0};
step({turn, 37}, {paid, 0}) -> {paid, 1};
step({turn, 5}, {paid, 1}) -> {paid, 2};
step({turn, 90}, {paid, 2}) -> {paid, 3};
step(push, {paid, 3}) -> open;
step(_, _) -> locked.

%% Dependent values by ?LET.
prop_let() ->
    ?FORALL({N, M}, ?LET(N, integer(1, 5000), {N, integer(1, N)}), not (N > 4000 andalso M =:= N - 17)).

%% A recursive generator by ?SIZED.
prop_tree() -> ?FORALL(T, ?SIZED(S, tree(S)), sum(T) =/= 31415).
tree(0) -> leaf;
tree(S) -> frequency([{1, leaf}, {3, ?LAZY(?LET({L, R}, {tree(S div 2), tree(S div 2)}, {node, L, integer(), R}))}]).
sum(leaf) -> 0;
sum({node, L, N, R}) -> sum(L) + N + sum(R).

%% A record in a vector, and a frequency that is rare.
-record(item, {price, kind}).
prop_items() ->
    ?FORALL(Items, vector(3, #item{price = non_neg_integer(), kind = frequency([{99, plain}, {1, gold}])}),
            not lists:all(fun(#item{price = P, kind = K}) -> K =:= gold andalso P > 100 end, Items)).

%% A binary with a header.
prop_header() -> ?FORALL(B, binary(), case B of <<16#CA, 16#FE, N, _/binary>> when N > 7 -> false; _ -> true end).

%% An exception behind an implication.
prop_crash() ->
    ?FORALL(A, integer(), ?FORALL(B, integer(),
        ?IMPLIES(A > B, begin _ = 1 div (A - B - 1234), true end))).
