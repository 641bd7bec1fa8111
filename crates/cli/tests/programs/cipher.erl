-module(cipher).
-export([shift/2]).

-spec shift(string(), 1..25) -> string().
shift(Text, By) ->
    case [if C >= $a, C =< $z -> (C - $a + By) rem 26 + $a; true -> C end || C <- Text] of
        "kho" -> error(known);
        Other -> Other
    end.
