%% Constructs whose symbolic half is checked on many inputs.
-module(lifting).
-compile([export_all, nowarn_export_all]).

map_pattern(#{a := X, 1 := Y}) -> {X, Y};
map_pattern(#{a := [H | _]}) -> H;
map_pattern(#{}) -> empty;
map_pattern(_) -> other.

map_key(K) ->
    case #{a => 1, 2 => b, [] => c, {x} => d} of
        #{K := V} -> {found, V};
        _ -> missing
    end.

map_update(M) -> M#{a => 1, b => M}.

map_exact(M) -> maps:size(M#{a := 2}).

map_made(K) ->
    M = #{K => 1, b => 2},
    {maps:size(M), maps:get(b, M), maps:find(a, M), maps:remove(b, M)}.

bytes(<<A, B:16/little, C:4/signed, Rest/bitstring>>) -> {A, B, C, Rest};
bytes(<<1:1, Rest/bits>>) -> Rest;
bytes(<<A:3>>) -> A;
bytes(<<>>) -> none;
bytes(_) -> other.

prefixed(<<Len, Data:Len/binary, Sum>>) -> {Data, Sum};
prefixed(<<Len:2/unit:4, Rest/binary>>) -> {Len, byte_size(Rest)};
prefixed(X) when is_bitstring(X) -> bit_size(X);
prefixed(_) -> other.

literal(<<"ab", X/binary>>) -> X;
literal(<<0:7, 1:1, _/bits>>) -> one;
literal(_) -> other.

text(<<C/utf8, Rest/binary>>) -> {C, Rest};
text(<<F/float>>) -> F;
text(_) -> other.

built(X) -> <<X, 7, X:12/little, (X + 1):3>>.

joined(X) -> <<X/binary, 1, X/binary>>.

nested(X) ->
    case {X, [X | 1], #{k => X}} of
        {1, _, _} -> one;
        {Y, [Y | 1], #{k := Y}} when {Y, 1} > {a, 0} -> {above, Y};
        T when [X] =:= [[]] -> T;
        T -> {below, element(1, T)}
    end.

guards(X) when hd(X) =:= 1; element(1, X) =:= 1 -> first;
guards(X) when length(X) > 2 orelse tuple_size(X) > 2 -> long;
guards(X) when is_integer(X), X rem 3 =:= 1, X band 4 =:= 4 -> number;
guards(X) when is_float(X) andalso X > 1.0 -> float;
guards(_) -> other.

logic(X) ->
    A = is_list(X),
    B = X > 5,
    {A and B, A or B, A xor B, not A, A andalso B, min(X, 3), max(X, b)}.

closure(X) ->
    F = fun(Y) -> {X, Y} end,
    element(1, F(1)).

caught(X) ->
    try X + 1 of
        Y when Y > 3 -> {big, Y};
        Y -> {small, Y}
    catch
        error:badarith -> {bad, X};
        Class:Reason -> {Class, Reason}
    after
        put(seen, X)
    end.

kept(X) ->
    put(key, X),
    T = ets:new(t, []),
    ets:insert(T, {k, X}),
    self() ! {msg, X},
    Received = receive {msg, Y} -> Y end,
    {get(key), ets:lookup(T, k), Received}.

sum(L) -> lists:sum(L) + length(L).

words(L) -> [X || {ok, X} <- L, X =/= 1] ++ lists:reverse(L).

sorted(L) -> lists:sort(L).

keys(L) -> {lists:keyfind(a, 1, L), lists:member(1, L), lists:nth(2, L)}.

atoms(X) -> list_to_atom("x" ++ atom_to_list(X)).

numbers(X) -> {X div 3, X rem -4, X bsl 2, X bsr 1, bnot X, -X, abs(X), X bxor 5, X / 4}.

rounded(X) -> {trunc(X), round(X), floor(X), ceil(X), float(X)}.

walked(M) -> maps:fold(fun(K, V, Acc) -> [{K, V} | Acc] end, [], M).

decoded(X) -> unicode:characters_to_list(X).

encoded(X) -> unicode:characters_to_binary([$a, X, $b]).

points(<<C/utf8, D/utf8, _/binary>>) when C < D -> {C, D};
points(<<16#e5/utf8, Rest/binary>>) -> Rest;
points(<<_/utf8>>) -> one;
points(_) -> other.

listed(M) -> {maps:keys(M), maps:values(M), maps:to_list(M), maps:merge(#{z => 1}, M)}.

summed(M) -> maps:fold(fun(_, V, Acc) when V > 1 -> V + Acc; (_, _, Acc) -> Acc end, 0, M).

changed(M) -> maps:map(fun(K, V) -> {K, V} end, maps:filter(fun(_, V) -> V =/= b end, M)).

parts(B) -> {binary:split(B, <<"b">>), binary:split(B, [<<",">>, <<",,">>], [global])}.

matched(B) -> {binary:match(B, <<"ab">>), binary:matches(B, <<1>>)}.

units(X) -> <<X/binary-unit:3, 1:1>>.

called(X) ->
    try lists:X([b, a]) of
        Y -> {value, Y}
    catch
        C:_ -> C
    end.

spread(X) ->
    try apply(erlang, '-', X) of
        Y -> {value, Y}
    catch
        C:_ -> C
    end.

among(X) ->
    {lists:member(X, "+-0123456789"), lists:member(X, [1, 2, 3, 8364]), lists:member(X, [3, 1])}.

in_table(X) ->
    element(X, {a, a, a, 0, 1, 2, 3, 4, 5, a, b, b, 7.0, 7.0, 9, 9, 9, a, a, 100, 101, 102, 103, 104,
                105, 106, {}, {}, <<>>, "b", 3, 4, 5, 6, 7, 8, 9, 9}).
