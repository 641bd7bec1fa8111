-module(small).
-export([flags/1, twice/1, half/1]).

-spec flags(0..65535) -> [atom()].
flags(N) ->
    case [F || {B, F} <- [{1, r}, {2, w}, {4, x}, {256, s}, {1024, t}], N band B =/= 0] of
        [r, x, t] -> error(sticky);
        Flags -> Flags
    end.

-spec twice(string()) -> ok.
twice(Text) ->
    case string:tokens(Text, " ") of
        [[_, _ | _] = Word, Word] -> error({twice, Word});
        _ -> ok
    end.

-spec half(float()) -> integer().
half(F) when F > 0.0, F < 1.0e6 ->
    case ceil(F) - trunc(F) of
        1 when trunc(F) rem 100 =:= 99 -> 1 div (ceil(F) - round(F));
        N -> N
    end;
half(_) -> 0.
