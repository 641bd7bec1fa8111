%% Functions that are inputs and are given functions, and sizes of bitstrings that specs bound.
-module(applied).
-export([compose/2, knot/1, even_nibble/1, framed/3]).

-spec compose(fun((fun((integer()) -> integer())) -> integer()), integer()) -> ok.
compose(F, N) ->
    case F(fun(X) -> X + N end) of
        42 -> error(answer);
        _ -> ok
    end.

%% What is given to the function holds the function itself.
-spec knot(fun((fun()) -> fun((integer()) -> integer()))) -> ok.
knot(F) ->
    Step = fun(Self) -> F(fun(X) -> (Self(Self))(X) end) end,
    case (Step(Step))(1) of
        7 -> error(seven);
        _ -> ok
    end.

%% No multiple of three is four.
-spec even_nibble(<<_:_*3>>) -> ok.
even_nibble(<<_:4>>) -> error(never);
even_nibble(_) -> ok.

-spec framed(bitstring(), integer(), integer()) -> ok.
framed(Bits, Value, Size) ->
    case Bits of
        <<2:3, Value:Size, 3>> -> error(framed);
        _ -> ok
    end.
