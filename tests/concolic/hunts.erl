%% Each function fails with `error:found` for some input, which has to be found from a harmless one.
-module(hunts).
-compile([export_all, nowarn_export_all]).
-record(order, {id, items = [], paid = false}).

%% Lists and numbers

sum(L) when length(L) < 4 -> ok;
sum(L) ->
    case lists:sum(L) of
        42 -> error(found);
        _ -> ok
    end.

nth(L, N) when is_integer(N) ->
    case lists:nth(N, L) of
        {secret, X} when X > 1000 -> error(found);
        _ -> ok
    end.

linear(X, Y) when is_integer(X), is_integer(Y) ->
    if
        3 * X + 7 * Y =:= 1001, X - Y =:= 57 -> error(found);
        true -> ok
    end.

square(X) when X * X =:= 15241578750190521 -> error(found);
square(_) -> ok.

cube(X, Y) when is_integer(X), is_integer(Y), X > 1, Y > 1 ->
    case X * Y of
        8633 -> error(found);
        _ -> ok
    end;
cube(_, _) -> ok.

big(X) when X - 1 =:= 1 bsl 100 -> error(found);
big(_) -> ok.

division(X) when is_integer(X), X div 7 =:= 11, X rem 7 =:= 3 -> error(found);
division(_) -> ok.

negative(X) when is_integer(X), X div 7 =:= -11, X rem 7 =:= -3 -> error(found);
negative(_) -> ok.

bits(X) when is_integer(X), X band 16#ff =:= 16#5a, X bsr 8 =:= 16#3c, X > 0 -> error(found);
bits(_) -> ok.

masked(X) when is_integer(X), X bxor 16#abcd =:= 16#1235, X bor 1 =:= X + 1 -> error(found);
masked(_) -> ok.

shifted(X) when is_integer(X), X bsl 3 =:= 4096 -> error(found);
shifted(_) -> ok.

improper([a, b | T]) when is_atom(T) -> error(found);
improper(_) -> ok.

sorted([A, B, C]) when A < B, B < C, A > 10, C < 13.5 -> error(found);
sorted(_) -> ok.

palindrome(L) when length(L) > 3 ->
    case lists:reverse(L) of
        L -> error(found);
        _ -> ok
    end;
palindrome(_) -> ok.

member(X, L) ->
    case lists:member(X, L) andalso lists:member({X, 1}, L) of
        true -> error(found);
        false -> ok
    end.

keyfind(L) ->
    case lists:keyfind(b, 1, L) of
        {b, V} when V > 5 -> error(found);
        _ -> ok
    end.

appended(A, B) ->
    case A ++ B of
        [1, 2, 3] when length(A) =:= 2 -> error(found);
        _ -> ok
    end.

subtracted(A) ->
    case A -- [x, y] of
        [z] -> error(found);
        _ -> ok
    end.

mapped(L) ->
    case [X * 2 || X <- L, X > 3] of
        [8, 20] -> error(found);
        _ -> ok
    end.

zipped(A, B) ->
    case lists:zip(A, B) of
        [{1, a}, {2, b}] -> error(found);
        _ -> ok
    end.

sort(L) ->
    case lists:sort(L) of
        [1, 2, 3] when hd(L) =:= 3 -> error(found);
        _ -> ok
    end.

fold(L) ->
    case lists:foldl(fun(X, Acc) -> Acc * 10 + X end, 0, L) of
        321 -> error(found);
        _ -> ok
    end.

%% Floats

product(F) when F * 3.0 =:= 0.3 -> error(found);
product(_) -> ok.

between(F) when is_float(F), F > 0.1, F < 0.1000001 -> error(found);
between(_) -> ok.

rounded(F) when is_float(F) ->
    case round(F * 100) of
        314 -> error(found);
        _ -> ok
    end;
rounded(_) -> ok.

truncated(F) when is_float(F), trunc(F) =:= 1000, F > 1000.5 -> error(found);
truncated(_) -> ok.

both(X) when X == 7, X =/= 7 -> error(found);
both(_) -> ok.

%% Atoms and text

suffix(A) when is_atom(A) ->
    case lists:reverse(atom_to_list(A)) of
        "tg" ++ _ -> error(found);
        _ -> ok
    end;
suffix(_) -> ok.

made(S) ->
    case list_to_atom("x" ++ S) of
        xyz -> error(found);
        _ -> ok
    end.

digits(N) when is_integer(N) ->
    case integer_to_list(N) of
        [$4, $2, _] -> error(found);
        _ -> ok
    end;
digits(_) -> ok.

parsed(S) ->
    case list_to_integer(S) of
        -71 -> error(found);
        _ -> ok
    end.

parsed_binary(B) ->
    case binary_to_integer(B) of
        905 -> error(found);
        _ -> ok
    end.

invented(A) when is_atom(A), A =/= true, A =/= false, A > m, A < n -> error(found);
invented(_) -> ok.

hello("hello " ++ [C | _]) when C >= $a, C =< $z -> error(found);
hello(_) -> ok.

tokens(S) ->
    case string:tokens(S, ",") of
        ["a", "b"] -> error(found);
        _ -> ok
    end.

%% Tuples, records and nesting

record(#order{id = Id, items = [{widget, N} | _], paid = true}) when Id > 10, N < 0 -> error(found);
record(_) -> ok.

place(T, N) when is_tuple(T), is_integer(N) ->
    case element(N, T) of
        key when tuple_size(T) =:= 4 -> error(found);
        _ -> ok
    end.

replaced(T) when is_tuple(T) ->
    case setelement(2, T, x) of
        {1, x, 3} -> error(found);
        _ -> ok
    end;
replaced(_) -> ok.

listed(T) when is_tuple(T) ->
    case tuple_to_list(T) of
        [a, B, c] when B > 3 -> error(found);
        _ -> ok
    end;
listed(_) -> ok.

nested({tree, {node, L, K, _}, _}) when K > 5 ->
    case L of
        {node, leaf, J, leaf} when J < K, J > 3 -> error(found);
        _ -> ok
    end;
nested(_) -> ok.

pairs({A, B}, {B, A}) when A =/= B -> error(found);
pairs(_, _) -> ok.

%% Maps

config(#{mode := fast, level := L} = M) when L > 3, not is_map_key(debug, M) -> error(found);
config(_) -> ok.

inner(#{user := #{name := "bob", tags := [admin | _]}}) -> error(found);
inner(_) -> ok.

chosen(K, M) when is_map(M) ->
    case maps:get(K, M, none) of
        {K, 1} -> error(found);
        _ -> ok
    end;
chosen(_, _) -> ok.

sized(M) when map_size(M) =:= 3, is_map_key(a, M) -> error(found);
sized(_) -> ok.

found(M) ->
    case maps:find(count, M) of
        {ok, N} when N rem 10 =:= 7 -> error(found);
        _ -> ok
    end.

updated(M) ->
    case M#{a := 1} of
        #{b := 2, a := 1} -> error(found);
        _ -> ok
    end.

keyed(K) ->
    case #{red => 1, green => 2, K => 3} of
        #{red := 3} -> error(found);
        _ -> ok
    end.

table(K) ->
    case maps:find(K, #{one => 1, {two} => 2, "three" => 3}) of
        {ok, 2} -> error(found);
        _ -> ok
    end.

folded(M) when is_map(M) ->
    case maps:fold(fun(_, V, Sum) -> V + Sum end, 0, M) of
        77 when map_size(M) > 1 -> error(found);
        _ -> ok
    end;
folded(_) -> ok.

walked(M) when is_map(M) ->
    case maps:to_list(M) of
        [{K, 1}, {_, V}] when K > 5, V < K -> error(found);
        _ -> ok
    end;
walked(_) -> ok.

filtered(M) when is_map(M) ->
    case maps:keys(maps:filter(fun(_, V) -> V =:= keep end, M)) of
        [a, {b}] -> error(found);
        _ -> ok
    end;
filtered(_) -> ok.

%% Bitstrings

magic(<<16#cafe:16, Version, _/binary>>) when Version > 2 -> error(found);
magic(_) -> ok.

packet(<<Len:8, Payload:Len/binary, Sum:8>>) when Len > 1 ->
    case lists:sum(binary_to_list(Payload)) band 255 of
        Sum -> error(found);
        _ -> ok
    end;
packet(_) -> ok.

flags(<<1:1, 0:1, Rest:6>>) when Rest > 50 -> error(found);
flags(_) -> ok.

little(<<X:32/little>>) when X =:= 16#01020304 -> error(found);
little(_) -> ok.

signed(<<X:8/signed>>) when X < -100 -> error(found);
signed(_) -> ok.

odd(B) when is_bitstring(B), bit_size(B) rem 8 =:= 3, byte_size(B) > 1 -> error(found);
odd(_) -> ok.

made_bytes(X) ->
    case <<X:16>> of
        <<7, Y>> when Y > 200 -> error(found);
        _ -> ok
    end.

text(<<"GET ", Path/binary>>) when byte_size(Path) > 2 ->
    case binary:first(Path) of
        $/ -> error(found);
        _ -> ok
    end;
text(_) -> ok.

tlv(<<1, L, V:L/binary, 2, M, W:M/binary>>) when byte_size(V) > byte_size(W), M > 0 -> error(found);
tlv(_) -> ok.

fields(B) when is_binary(B) ->
    case binary:split(B, <<",">>, [global]) of
        [A, <<"x">>, C] when byte_size(C) > byte_size(A) -> error(found);
        _ -> ok
    end;
fields(_) -> ok.

header(B) when is_binary(B) ->
    case binary:match(B, <<": ">>) of
        {At, 2} when At > 1 ->
            case binary:part(B, 0, At) of
                <<"id">> -> error(found);
                _ -> ok
            end;
        _ -> ok
    end;
header(_) -> ok.

word(<<C/utf8, Rest/binary>>) when C > 16#7ff, Rest =/= <<>> -> error(found);
word(_) -> ok.

upper(S) ->
    case string:uppercase(S) of
        "OK" when S =/= "OK" -> error(found);
        _ -> ok
    end.

%% Functions

predicate(F) when is_function(F, 1) ->
    case {F(1), F(2)} of
        {false, true} -> error(found);
        _ -> ok
    end;
predicate(_) -> ok.

counted(F, L) when is_function(F, 1) ->
    case lists:filter(F, L) of
        [_, _] when length(L) =:= 3 -> error(found);
        _ -> ok
    end;
counted(_, _) -> ok.

compared(F) when is_function(F, 2) ->
    case F(a, F(b, c)) of
        {done, N} when N > 9 -> error(found);
        _ -> ok
    end;
compared(_) -> ok.

%% Exceptions and state

caught(X) ->
    try check(X) of
        ok -> ok
    catch
        throw:{code, N} when N > 7 -> error(found);
        throw:_ -> ok
    end.

check({throw, N}) -> throw({code, N});
check(_) -> ok.

rethrown(X) ->
    try
        try 10 div X
        catch error:badarith -> throw({zero, X})
        end
    catch
        throw:{zero, 0} -> error(found);
        throw:_ -> ok
    end.

dictionary(A, B) ->
    put(limit, A),
    put(other, B),
    case get(limit) + get(other) of
        100 when A > 90 -> error(found);
        _ -> ok
    end.

stored(K, V) ->
    T = ets:new(t, [set]),
    ets:insert(T, {key, V}),
    case ets:lookup(T, key) of
        [{key, W}] when W > K, W < 3 -> error(found);
        _ -> ok
    end.

message(M) ->
    Self = self(),
    spawn(fun() -> Self ! {reply, M} end),
    receive
        {reply, {ok, N}} when N > 12 -> error(found);
        {reply, _} -> ok
    end.

server(Request) ->
    {ok, Pid} = gen_server:start(?MODULE, 5, []),
    try gen_server:call(Pid, Request)
    catch exit:{{broken, _}, _} -> error(found)
    end.

init(N) -> {ok, N}.

handle_call({add, N}, _, S) when S + N =:= 77 -> {stop, {broken, N}, S};
handle_call({add, N}, _, S) when is_integer(N) -> {reply, S + N, S + N};
handle_call(_, _, S) -> {reply, ok, S}.

handle_cast(_, S) -> {noreply, S}.

%% Loops

countdown(N) when is_integer(N), N > 0 -> countdown(N - 1, 0).

countdown(0, 15) -> error(found);
countdown(0, _) -> ok;
countdown(N, A) -> countdown(N - 1, A + 1).

machine(Events) -> machine(Events, idle).

machine([start | T], idle) -> machine(T, running);
machine([{speed, N} | T], running) when N > 88 -> machine(T, fast);
machine([brake | T], fast) -> machine(T, stopping);
machine([_ | _], stopping) -> error(found);
machine([_ | T], S) -> machine(T, S);
machine(_, _) -> ok.

calc(E) ->
    case eval(E) of
        99 -> error(found);
        _ -> ok
    end.

eval({add, A, B}) -> eval(A) + eval(B);
eval({mul, A, B}) -> eval(A) * eval(B);
eval(N) when is_integer(N), N < 12, N >= 0 -> N.

maze(Moves) -> maze(Moves, {0, 0}).

maze(_, {2, 1}) -> error(found);
maze([right | T], {X, Y}) when X < 2, {X, Y} =/= {0, 0} -> maze(T, {X + 1, Y});
maze([up | T], {X, Y}) when Y < 1 -> maze(T, {X, Y + 1});
maze([_ | T], P) -> maze(T, P);
maze([], _) -> ok.

%% Digits

leap([Y1, Y2, Y3, Y4, $-, M1, M2, $-, D1, D2]) ->
    try {list_to_integer([Y1, Y2, Y3, Y4]), list_to_integer([M1, M2]), list_to_integer([D1, D2])} of
        {Y, 2, 29} when Y rem 4 =:= 0, Y > 1000 -> error(found);
        _ -> ok
    catch
        error:badarg -> ok
    end;
leap(_) -> ok.

hex(N) when is_integer(N) ->
    case integer_to_list(N, 16) of
        "BEEF" -> error(found);
        _ -> ok
    end;
hex(_) -> ok.

nibbles([A, B, C]) ->
    try list_to_integer([A, B, C], 16) of
        16#fa0 -> error(found);
        _ -> ok
    catch
        error:badarg -> ok
    end;
nibbles(_) -> ok.

two_digits(N) when is_integer(N) ->
    case integer_to_list(N) of
        [$-, A, B] when A + B =:= 105, A > B -> error(found);
        _ -> ok
    end;
two_digits(_) -> ok.

%% Handles

pids(A, B) when is_pid(A), is_pid(B), A < B -> error(found);
pids(_, _) -> ok.

%% Keys that are inputs

dictionary_key(K, V) ->
    put(other, 1),
    put(K, V),
    case get(secret) of
        42 -> error(found);
        _ -> ok
    end.

table_key([{A, B}, {C, D}]) ->
    T = ets:new(table, [ordered_set]),
    ets:insert(T, {A, B}),
    ets:insert(T, {C, D}),
    case {ets:lookup(T, key), ets:info(T, size)} of
        {[{key, {deep, N}}], 1} when N > 10, D =/= B -> error(found);
        _ -> ok
    end;
table_key(_) -> ok.

raised(X) ->
    try hd(X) of
        _ -> ok
    catch
        C:R:S ->
            try
                erlang:raise(C, {wrapped, R, X}, S)
            catch
                error:{wrapped, badarg, {1, Y}} when Y > 7 -> error(found);
                error:_ -> ok
            end
    end.

%% Iolists

iolist([A, B | _] = L) when is_list(A), is_binary(B) ->
    case iolist_to_binary(L) of
        <<"abcd">> -> error(found);
        _ -> ok
    end;
iolist(_) -> ok.

bytes_shifted(B) when is_binary(B) ->
    case << <<(X + 1):8>> || <<X:8>> <= B >> of
        <<"HAL">> -> error(found);
        _ -> ok
    end;
bytes_shifted(_) -> ok.

%% Parts of binaries that overlap

frame(<<16#CA, Len:16, Body:Len/binary, Sum:8>>) when Len > 2 ->
    case lists:sum(binary_to_list(Body)) band 255 of
        Sum -> framed(Body);
        _ -> ok
    end;
frame(_) -> ok.

framed(<<"del", _/binary>>) -> ok;
framed(<<1, N:16/little, _/binary>>) when N > 1000 -> error(found);
framed(_) -> ok.

split_fields(B) when is_binary(B) ->
    case binary:split(B, <<":">>, [global]) of
        [<<"user">>, N, <<>>] when byte_size(N) =:= 3 -> error(found);
        _ -> ok
    end;
split_fields(_) -> ok.

%% Numbers in bytes

decode_whole(B) when byte_size(B) =:= 4 ->
    case binary:decode_unsigned(B) of
        16#CAFEBABE -> error(found);
        _ -> ok
    end;
decode_whole(_) -> ok.

decode_little(<<Head:2/binary, Rest/binary>>) when byte_size(Rest) =:= 3 ->
    case binary:decode_unsigned(binary:copy(Head), little) + binary:last(Rest) of
        16#1234 -> error(found);
        _ -> ok
    end;
decode_little(_) -> ok.

part_list(B) when is_binary(B) ->
    try binary_to_list(B, 2, 4) of
        "abc" -> error(found);
        _ -> ok
    catch
        error:badarg -> short
    end;
part_list(_) -> ok.

by_name(F, M) ->
    try maps:F(M) of
        [_, last] -> error(found);
        _ -> ok
    catch
        error:undef -> no_such_function;
        error:{badmap, _} -> no_map
    end.

by_list(L) ->
    try apply(fun(A, B) -> A - B end, L) of
        7 -> error(found);
        _ -> ok
    catch
        error:{badarity, _} -> ok;
        error:badarith -> ok
    end.
