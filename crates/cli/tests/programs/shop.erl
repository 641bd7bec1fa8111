%% One function for each kind of end.
-module(shop).
-export([total/1, price/1, label/1, count/1, prop_small/1, double/1, stop/1, unused/0]).
-export([total_test/0]).

%% Crashes for what has no price.
total([{Name, N} | Rest]) ->
    {ok, Price} = price(Name),
    Price * N + total(Rest);
total([]) ->
    0.

%% Takes everything.
price(apple) -> {ok, 3};
price(pear) -> {ok, 4};
price(_) -> error.

%% Refuses what is no atom, and nobody said that it should not.
label(Name) when is_atom(Name) -> {label, Name}.

%% Does not end for what is above ten.
count(N) when N > 10 -> count(N + 1);
count(N) -> N.

prop_small(N) when is_integer(N) -> N =/= 77;
prop_small(_) -> true.

%% Does not keep its word.
-spec double(integer()) -> integer().
double(7) -> fourteen;
double(N) -> N * 2.

%% Leaves on purpose, or throws.
stop(0) -> exit(normal);
stop(1) -> throw(one);
stop(N) -> {stopped, N, fun() -> N end}.

unused() -> never().

never() -> ok.

total_test() -> 0 = total([]).
