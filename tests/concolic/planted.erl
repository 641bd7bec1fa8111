%% Small programs as others hand them over, each with one mistake that a rare input shows: where it
%% does, the program fails with `error:found`.
-module(planted).
-export([
    run_lengths/1, in_base/2, sixtets/1, shifted/2, scanned/1, packed/1, price/1, colour/1, mean/1,
    root/1, halves/1, degrees/1, word_and_number/1, framed/1, guarded/1, checked/1, common/2,
    counted/1, walked/1, overlap/2, total/1, sized/1, path/2, composed/2, grouped/1, varint/1,
    weekday/1, undone/2, program/1, release/2, sum/1
]).

-define(never(Mistake),
    case Mistake of
        true -> error(found);
        false -> ok
    end
).

-record(area, {at :: {integer(), integer()}, w = 0 :: non_neg_integer(), h = 0 :: non_neg_integer()}).
-record(ledger, {balance = 0 :: integer(), done = [] :: [{in | out, integer()}]}).

-type json() :: null | boolean() | integer() | binary() | [json()] | #{binary() => json()}.

%% Texts and bytes

-spec run_lengths(binary()) -> binary().
run_lengths(B) ->
    Out = unpacked(B, <<>>),
    ?never(byte_size(Out) =:= 6),
    Out.
unpacked(<<N, C, R/binary>>, Acc) when N > 0, N < 5 ->
    unpacked(R, <<Acc/binary, (binary:copy(<<C>>, N))/binary>>);
unpacked(_, Acc) -> Acc.

-spec in_base(integer(), 2..36) -> integer().
in_base(N, Base) ->
    Text = integer_to_list(N, Base),
    ?never(Text =:= "CAFE"),
    length(Text).

-spec sixtets(binary()) -> binary().
sixtets(B) ->
    Bits = << <<(sixtet(C)):6>> || <<C>> <= B >>,
    case Bits of
        <<X, Y, Z>> -> ?never(X + Y + Z =:= 300);
        _ -> ok
    end,
    Bits.
sixtet(C) ->
    Table = {no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no,
             no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, no, 62, no, no, no, 63,
             52, 53, 54, 55, 56, 57, 58, 59, 60, 61, no, no, no, no, no, no, no, 0, 1, 2, 3, 4, 5, 6, 7, 8,
             9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, no, no, no, no, no, no, 26,
             27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49,
             50, 51},
    case C > 0 andalso C =< tuple_size(Table) andalso element(C, Table) of
        N when is_integer(N) -> N;
        _ -> throw(character)
    end.

-spec shifted(string(), 0..25) -> string().
shifted(Text, K) ->
    Res = [rotated(C, K) || C <- Text],
    ?never(K =:= 3 andalso lists:prefix("acid", Res)),
    Res.
rotated(C, K) when C >= $a, C =< $z -> (C - $a + K) rem 26 + $a;
rotated(C, _) -> C.

-spec scanned(string()) -> [integer() | atom()].
scanned(Text) ->
    Tokens = scan(Text),
    case Tokens of
        [N, plus, M] -> ?never(N + M =:= 120);
        _ -> ok
    end,
    Tokens.
scan([]) -> [];
scan([$+ | T]) -> [plus | scan(T)];
scan([C | T] = Text) ->
    case lists:member(C, "0123456789") of
        true ->
            {Digits, Rest} = lists:splitwith(fun(D) -> lists:member(D, "0123456789") end, Text),
            [list_to_integer(Digits) | scan(Rest)];
        false when C =:= $\s -> scan(T);
        false -> throw(character)
    end.

-spec packed(non_neg_integer()) -> binary().
packed(N) ->
    B = binary:encode_unsigned(N),
    case B of
        <<1, 2, _, 4>> -> error(found);
        _ -> B
    end.

-spec price(binary()) -> float() | error.
price(B) ->
    try binary_to_float(B) of
        F ->
            ?never(F > 3.1 andalso F < 3.2),
            F
    catch
        error:badarg -> error
    end.

-spec colour(binary()) -> {byte(), byte(), byte()} | error.
colour(<<"#", R:2/binary, G:2/binary, B:2/binary>>) ->
    try {binary_to_integer(R, 16), binary_to_integer(G, 16), binary_to_integer(B, 16)} of
        {X, Y, Z} = Res ->
            ?never(X + Y =:= 300 andalso Z > 200),
            Res
    catch
        error:badarg -> error
    end;
colour(_) -> error.

-spec word_and_number(string()) -> ok.
word_and_number(Text) ->
    case re:run(Text, "^([a-z]+)-([0-9]{2})$", [{capture, all_but_first, list}]) of
        {match, [Word, Number]} -> ?never(list_to_integer(Number) > 50 andalso length(Word) > 1);
        nomatch -> ok
    end.

%% Floats

-spec mean([float()]) -> float().
mean(L) when length(L) >= 2 ->
    Mean = lists:sum(L) / length(L),
    ?never(Mean =:= 2.5),
    Mean;
mean(_) -> 0.0.

-spec root(float()) -> float().
root(X) when X > 1.0, X < 100.0 ->
    R = nearer(X, X / 2.0, 4),
    ?never(R > 6.99 andalso R < 7.01),
    R;
root(X) -> X.
nearer(_, Guess, 0) -> Guess;
nearer(X, Guess, N) -> nearer(X, (Guess + X / Guess) / 2.0, N - 1).

-spec halves(binary()) -> ok.
halves(<<F:64/float, G:32/float>>) -> ?never(F * 2.0 =:= G andalso F > 1.0);
halves(_) -> ok.

-spec degrees(number()) -> number().
degrees(T) ->
    F = T * 9 / 5 + 32,
    ?never(round(F) =:= 451),
    F.

%% Checksums

-spec framed(binary()) -> integer().
framed(<<Len, Data:Len/binary, Crc:32>>) when Len > 2 ->
    case erlang:crc32(Data) of
        Crc ->
            <<Kind, _/binary>> = Data,
            ?never(Kind =:= 42),
            Kind;
        _ -> 0
    end;
framed(_) -> 0.

-spec guarded(binary()) -> ok | bad.
guarded(<<A, B, Crc>>) ->
    case crc8(<<A, B>>, 0) of
        Crc -> ?never(A =:= 7);
        _ -> bad
    end;
guarded(_) -> bad.
crc8(<<B, R/binary>>, C) -> crc8(R, crc8_bits(8, C bxor B));
crc8(<<>>, C) -> C.
crc8_bits(0, C) -> C;
crc8_bits(N, C) when C band 16#80 =/= 0 -> crc8_bits(N - 1, ((C bsl 1) bxor 7) band 255);
crc8_bits(N, C) -> crc8_bits(N - 1, (C bsl 1) band 255).

-spec checked(string()) -> boolean().
checked(Text) ->
    Digits = [C - $0 || C <- Text, C >= $0, C =< $9],
    {Sum, _} = lists:foldr(
        fun
            (D, {Acc, odd}) -> {Acc + D, even};
            (D, {Acc, even}) when D > 4 -> {Acc + 2 * D - 9, odd};
            (D, {Acc, even}) -> {Acc + 2 * D, odd}
        end,
        {0, odd},
        Digits
    ),
    ?never(Sum =:= 20),
    Sum rem 10 =:= 0.

%% Maps and sets

-spec common([integer()], [integer()]) -> ok.
common(A, B) ->
    Both = [X || X <- maps:keys(maps:from_keys(A, [])), is_map_key(X, maps:from_keys(B, []))],
    ?never(length(Both) =:= 2 andalso lists:member(77, Both)).

-spec counted([atom()]) -> map().
counted(Words) ->
    Counts = lists:foldl(fun(W, M) -> maps:update_with(W, fun(N) -> N + 1 end, 1, M) end, #{}, Words),
    ?never(maps:get(x, Counts, 0) =:= 2 andalso map_size(Counts) =:= 2),
    Counts.

-spec walked([{integer(), integer()}]) -> ok.
walked(Pairs) ->
    case maps:to_list(maps:from_list(Pairs)) of
        [{_, V}] when length(Pairs) =:= 2 -> ?never(V =:= 9);
        _ -> ok
    end.

-spec path(json(), [binary()]) -> json() | undefined.
path(Json, []) -> Json;
path(#{} = Json, [K | Ks]) ->
    case Json of
        #{K := V} -> path(V, Ks);
        #{} -> undefined
    end;
path([First | _], [<<"first">> | Ks]) -> path(First, Ks);
path([], [<<"first">> | _]) -> error(found);
path(_, _) -> undefined.

-spec grouped([{atom(), integer()}]) -> map().
grouped(L) ->
    Groups = maps:groups_from_list(fun({K, _}) -> K end, fun({_, V}) -> V end, L),
    maps:foreach(fun(_, Vs) -> ?never(length(Vs) > 1 andalso lists:sum(Vs) =:= 21) end, Groups),
    Groups.

%% Records, ranges and functions

-spec overlap(#area{}, #area{}) -> integer().
overlap(#area{at = {X1, Y1}, w = W1, h = H1}, #area{at = {X2, Y2}, w = W2, h = H2}) ->
    W = min(X1 + W1, X2 + W2) - max(X1, X2),
    H = min(Y1 + H1, Y2 + H2) - max(Y1, Y2),
    ?never(W > 0 andalso H > 0 andalso W * H =:= 6),
    W * H.

-spec total([#{qty := 0..100, price := integer()}]) -> integer().
total(Lines) ->
    Sum = lists:sum([Q * P || #{qty := Q, price := P} <- Lines]),
    ?never(Sum =:= 143 andalso length(Lines) =:= 2),
    Sum.

-spec sized(<<_:16, _:_*8>>) -> integer().
sized(<<A, B, R/binary>>) ->
    ?never(A + B =:= byte_size(R) andalso A > 1 andalso B > A),
    A.

-spec composed(fun((integer()) -> integer()), fun((integer()) -> boolean())) -> ok.
composed(F, P) -> ?never([F(N) || N <- [1, 2, 3], P(N)] =:= [5, 9]).

-spec varint(binary()) -> {integer(), binary()} | more.
varint(B) -> varint(B, 0, 0).
varint(<<1:1, N:7, R/binary>>, Shift, Acc) when Shift < 28 -> varint(R, Shift + 7, Acc bor (N bsl Shift));
varint(<<0:1, N:7, R/binary>>, Shift, Acc) ->
    Value = Acc bor (N bsl Shift),
    ?never(Value =:= 300),
    {Value, R};
varint(_, _, _) -> more.

-spec weekday({1970..2100, 1..12, 1..31}) -> 0..7.
weekday({Y, M, D} = Date) ->
    case calendar:valid_date(Date) of
        true ->
            Day = calendar:day_of_the_week(Y, M, D),
            ?never(Day =:= 1 andalso M =:= 2 andalso D =:= 29),
            Day;
        false -> 0
    end.

-spec undone(#ledger{}, [{in | out | undo, integer()}]) -> #ledger{}.
undone(L, []) -> L;
undone(#ledger{balance = B, done = D} = L, [{in, N} | T]) when N > 0 ->
    undone(L#ledger{balance = B + N, done = [{in, N} | D]}, T);
undone(#ledger{balance = B, done = D} = L, [{out, N} | T]) when N > 0, B >= N ->
    undone(L#ledger{balance = B - N, done = [{out, N} | D]}, T);
undone(#ledger{done = D} = L, [{undo, K} | T]) when K > 0, K =< length(D) ->
    {[{Last, _} | _], Kept} = lists:split(K, D),
    ?never(Last =:= out andalso K =:= 2),
    undone(L#ledger{done = Kept}, T);
undone(L, [_ | T]) -> undone(L, T).

-spec program(binary()) -> integer() | none.
program(Code) -> program(Code, [], #{}).
program(<<0, _/binary>>, [X | _], _) -> X;
program(<<1, N, R/binary>>, S, G) -> program(R, [N | S], G);
program(<<2, R/binary>>, [A, B | S], G) -> program(R, [A + B | S], G);
program(<<4, R/binary>>, [A, B | S], G) ->
    ?never(A =:= B),
    program(R, [B div max(A, 1) | S], G);
program(<<5, Reg, R/binary>>, [A | S], G) when Reg < 4 -> program(R, S, G#{Reg => A});
program(<<6, Reg, R/binary>>, S, G) when is_map_key(Reg, G) -> program(R, [map_get(Reg, G) | S], G);
program(_, _, _) -> none.

-spec release(string(), string()) -> lt | gt | eq.
release(A, B) -> compared(numbers(A), numbers(B)).
numbers(Text) -> [list_to_integer(P) || P <- string:tokens(Text, "."), lists:all(fun is_digit/1, P)].
is_digit(C) -> C >= $0 andalso C =< $9.
compared([], []) -> eq;
compared([N | A], [N | B]) -> compared(A, B);
compared([N | _], [M | _]) when N < M -> lt;
compared([_ | _], [_ | _]) -> gt;
compared([], [0 | _]) -> error(found);
compared([], _) -> lt;
compared(_, []) -> gt.

-spec sum(string()) -> integer() | error.
sum(Text) ->
    case string:take(Text, "0123456789") of
        {[_ | _] = Digits, []} ->
            N = list_to_integer(Digits),
            ?never(N =:= 88),
            N;
        _ -> error
    end.
