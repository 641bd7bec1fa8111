%% Functions that return what they promise for most inputs, and one that always does.
-module(promises).
-export([sum/1, tag/1, items/2, name/1, clamp/1, record/1, maybe/1, kept/1]).

-record(r, {id :: pos_integer(), data :: binary()}).

-spec sum([integer()]) -> non_neg_integer().
sum(L) -> lists:sum(L).

-spec tag(integer()) -> {ok, 1..100} | error.
tag(X) when X > 0 -> {ok, X * 2};
tag(_) -> error.

-spec items(integer(), integer()) -> [pos_integer()].
items(A, B) -> [A * A + 1, B + 7].

-spec name(atom()) -> a | b | c.
name(X) -> X.

-spec clamp(integer()) -> 0..255.
clamp(X) -> X band 511.

-spec record(integer()) -> #r{}.
record(X) -> #r{id = X * X - 3 * X, data = <<>>}.

-spec maybe(term()) -> {ok, integer()} | none.
maybe(X) -> {ok, X}.

-spec kept(integer()) -> #r{}.
kept(X) -> #r{id = X * X - X + 1, data = <<>>}.
