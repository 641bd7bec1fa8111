%% Which function is called comes from the input, and so do its arguments.
-module(named).
-export([one/2, other/2, all/1, half/1]).

-spec one(atom(), integer()) -> term().
one(Name, N) -> ?MODULE:Name(N).

-spec other(module(), integer()) -> term().
other(Module, N) -> Module:half(N).

-spec half(integer()) -> integer().
half(N) when N rem 2 =:= 0 -> N div 2.

-spec all([0..9]) -> integer().
all(Digits) -> apply(fun(A, B) -> 100 div (A - 2 * B + 1) end, Digits).
