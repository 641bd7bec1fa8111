%% A small shop with bugs that tests written by hand tend to miss.
-module(basket).
-export([total/2, parse/1, prop_discount/1]).

-type item() :: {apple | pear | plum, pos_integer()}.

%% Forgets that plums have no price yet.
-spec total([item()], none | {percent, 0..100}) -> non_neg_integer().
total(Items, Discount) ->
    Sum = lists:sum([price(Fruit) * N || {Fruit, N} <- Items]),
    case Discount of
        none -> Sum;
        {percent, P} when P < 100 -> Sum - Sum * P div 100
    end.

price(apple) -> 3;
price(pear) -> 4.

%% A length, so many items, and a checksum that must not be zero.
-spec parse(binary()) -> {ok, [byte()]} | {error, short | checksum}.
parse(<<N, Items:N/binary, Sum>>) ->
    case lists:sum(binary_to_list(Items)) rem 256 of
        Sum when Sum > 0 -> {ok, binary_to_list(Items)};
        Sum -> {zero, Items};
        _ -> {error, checksum}
    end;
parse(_) ->
    {error, short}.

%% A discount never makes things cheaper than free. Does it?
-spec prop_discount(0..200) -> boolean().
prop_discount(Percent) ->
    100 - 100 * Percent div 100 >= 0.
