%% Each exported function fails with `error:found` for some input, deeper inside than those of `hunts`.
-module(deeper).
-export([
    nested_config/1, inventory/2, packet/1, fletcher/1, key_value/1, ini/1, date/1,
    stateful_predicate/2, comparator/2, retry/1, caught/1, dictionary/1, counter/1,
    quadratic/2, popcount/1, gray/1, temperature/1, options/1, merged/2, updated/1,
    stored/2, header/1, tuple_path/2, ordering/2, expression/1, roman/1, luhn/1,
    run_length/1, bracket/1, tree/1, ledger/1, fsm/1, base64_like/1, fold_map/1,
    zip_sum/2, rpn/1, utf8/1, bigint/2, guard_types/3, matrix/1, dates/2, tlv/1,
    unique/1, trie/1, queue_ops/1, bank/1, mac/1
]).

-record(item, {sku, qty = 0, tags = []}).
-record(account, {id, balance = 0, history = []}).

nested_config(#{server := #{listeners := [#{port := P, opts := Opts} | _]}, key := K})
  when is_integer(P), P > 1024 ->
    case Opts of
        #{K := V} when V =:= P + 1 -> error(found);
        _ -> ok
    end;
nested_config(_) -> ok.

inventory(Items, Sku) ->
    case [I || #item{} = I <- Items] of
        L when length(L) >= 2 ->
            case lists:keyfind(Sku, #item.sku, L) of
                #item{qty = Q, tags = [fragile | _]} when Q > 10 ->
                    case lists:last(L) of
                        #item{sku = Sku, qty = Q2} when Q2 < 0 -> error(found);
                        _ -> ok
                    end;
                _ -> ok
            end;
        _ -> ok
    end.

packet(<<16#7e, Len:16, Payload:Len/binary, Sum, Rest/binary>>) when Len > 2 ->
    case lists:foldl(fun(B, A) -> (A + B) band 255 end, 0, binary_to_list(Payload)) of
        Sum when Sum > 100 -> parse_payload(Payload, Rest);
        _ -> {error, checksum}
    end;
packet(_) -> {error, frame}.

parse_payload(<<1, 2, X, _/binary>>, <<>>) when X > 7 -> error(found);
parse_payload(_, _) -> ok.

fletcher(L) when is_list(L), length(L) =:= 5 ->
    [A, B, C, S1, S2] = L,
    true = lists:all(fun(X) -> is_integer(X) andalso X >= 0 andalso X < 256 end, L),
    F1 = (A + B + C) rem 255,
    F2 = (3 * A + 2 * B + C) rem 255,
    if F1 =:= S1, F2 =:= S2, S1 > 200, S2 < 10 -> error(found); true -> ok end;
fletcher(_) -> ok.

key_value(S) ->
    case string:tokens(S, "=") of
        [K, V] ->
            case list_to_integer(V) of
                N when N > 99, K =:= "max" -> error(found);
                _ -> ok
            end;
        _ -> ok
    end.

ini(Text) ->
    {Section, Rest} = lists:splitwith(fun(C) -> C =/= $] end, Text),
    case {Section, Rest} of
        {"[" ++ Name, "]\n" ++ Body} when length(Name) > 1 ->
            {Key, Value} = lists:splitwith(fun(C) -> C =/= $: end, Body),
            case {string:strip(Key), Value} of
                {"on", ":" ++ V} when V =:= Name -> error(found);
                _ -> ok
            end;
        _ -> ok
    end.

date([Y1, Y2, Y3, Y4, $-, M1, M2, $-, D1, D2]) ->
    Date = {list_to_integer([Y1, Y2, Y3, Y4]), list_to_integer([M1, M2]), list_to_integer([D1, D2])},
    case calendar:valid_date(Date) of
        true when element(2, Date) =:= 2, element(3, Date) =:= 29 -> error(found);
        _ -> ok
    end;
date(_) -> ok.

stateful_predicate(F, L) when is_function(F, 1), length(L) > 2 ->
    case lists:splitwith(F, L) of
        {[_], [X | _]} when X > 5 -> error(found);
        _ -> ok
    end;
stateful_predicate(_, _) -> ok.

comparator(F, [A, B, C]) when is_function(F, 2) ->
    case lists:sort(F, [A, B, C]) of
        [C, A, B] when A =/= B, B =/= C, A =/= C -> error(found);
        _ -> ok
    end;
comparator(_, _) -> ok.

retry(Jobs) when is_list(Jobs) ->
    try
        lists:foreach(fun attempt/1, Jobs)
    catch
        throw:{again, 41} -> error(found);
        throw:_ -> retry
    end;
retry(_) -> ok.

attempt(Job) ->
    try
        run_job(Job)
    catch
        throw:{again, N} when N > 0 -> throw({again, N - 1})
    end.

run_job({fail, N}) -> throw({again, N});
run_job(_) -> ok.

caught(X) ->
    case catch hd(tl(X)) of
        {'EXIT', {badarg, _}} -> bad;
        {ok, V} ->
            case catch 100 div V of
                {'EXIT', {badarith, _}} when V =:= 0 -> error(found);
                _ -> ok
            end;
        _ -> ok
    end.

dictionary(Ops) ->
    lists:foreach(fun({put, K, V}) -> put(K, V); ({del, K}) -> erase(K); (_) -> ok end, Ops),
    case {get(a), get(b)} of
        {X, undefined} when X > 3, length(Ops) > 2 ->
            case lists:member({put, b, 1}, Ops) of
                true -> error(found);
                false -> ok
            end;
        _ -> ok
    end.

counter(Msgs) ->
    lists:foldl(fun(M, S) ->
        case handle(M, S) of
            {reply, _, S1} -> S1;
            {noreply, S1} -> S1
        end end, #{n => 0, locked => false}, Msgs).

handle({add, K}, #{n := N, locked := false} = S) when is_integer(K), K > 0 -> {reply, ok, S#{n := N + K}};
handle(lock, #{n := N} = S) when N > 50 -> {noreply, S#{locked := true}};
handle(reset, #{locked := true, n := N}) when N rem 7 =:= 3 -> error(found);
handle(_, S) -> {noreply, S}.

quadratic(A, B) when is_integer(A), is_integer(B), A > 0, B > A ->
    if A * A + B * B =:= 841 -> error(found); true -> ok end;
quadratic(_, _) -> ok.

popcount(X) when is_integer(X), X > 0, X < 1 bsl 16 ->
    case pop(X, 0) of
        11 when X band 1 =:= 0 -> error(found);
        _ -> ok
    end;
popcount(_) -> ok.

pop(0, N) -> N;
pop(X, N) -> pop(X bsr 1, N + (X band 1)).

gray(X) when is_integer(X), X >= 0 ->
    if X bxor (X bsr 1) =:= 16#beef -> error(found); true -> ok end;
gray(_) -> ok.

temperature(F) when is_float(F) ->
    C = (F - 32.0) * 5.0 / 9.0,
    if C > 36.6, C < 36.7, F > 97.0 -> error(found); true -> ok end;
temperature(_) -> ok.

options(Opts) ->
    Mode = proplists:get_value(mode, Opts, safe),
    Retries = proplists:get_value(retries, Opts, 3),
    Verbose = proplists:get_bool(verbose, Opts),
    case {Mode, Retries, Verbose} of
        {unsafe, N, true} when N > 100 -> error(found);
        _ -> ok
    end.

merged(A, B) when is_map(A), is_map(B) ->
    case maps:merge(A, B) of
        #{x := X, y := Y} = M when X + Y =:= 77, map_size(M) =:= 3, not is_map_key(x, B) -> error(found);
        _ -> ok
    end;
merged(_, _) -> ok.

updated(Words) ->
    Counts = lists:foldl(fun(W, M) -> maps:update_with(W, fun(N) -> N + 1 end, 1, M) end, #{}, Words),
    case maps:fold(fun(_, N, Max) when N > Max -> N; (_, _, Max) -> Max end, 0, Counts) of
        3 when map_size(Counts) =:= 2 -> error(found);
        _ -> ok
    end.

stored(L, X) ->
    L1 = lists:keystore(k, 1, L, {k, X}),
    case lists:keytake(k, 1, L1) of
        {value, {k, V}, [_, {other, V}]} when V > 1000 -> error(found);
        _ -> ok
    end.

header(<<V:4, T:2, F:1, R:1, Len:8, Body:Len/bitstring>>) when V =:= 6, T > 1, F =:= R, Len > 4 ->
    case Body of
        <<A:3, B/bitstring>> when A =:= 5, bit_size(B) =:= 6 -> error(found);
        _ -> ok
    end;
header(_) -> ok.

tuple_path(T, I) when is_tuple(T), tuple_size(T) > 3 ->
    case element(I, T) of
        J when is_integer(J), J =/= I ->
            case element(J, T) of
                done when I > J -> error(found);
                _ -> ok
            end;
        _ -> ok
    end;
tuple_path(_, _) -> ok.

ordering(A, B) when A < B, not is_number(A) ->
    if is_map(A), is_list(B), B > [z] -> error(found); true -> ok end;
ordering(_, _) -> ok.

expression({add, X, Y}) -> expression(X) + expression(Y);
expression({mul, X, Y}) -> expression(X) * expression(Y);
expression({neg, X}) -> -expression(X);
expression({'if', C, T, E}) ->
    case expression(C) of
        17 -> error(found), expression(T);
        _ -> expression(E)
    end;
expression(N) when is_integer(N) -> N.

roman(S) ->
    case roman(S, 0) of
        49 -> error(found);
        _ -> ok
    end.
roman("XL" ++ T, N) -> roman(T, N + 40);
roman("X" ++ T, N) -> roman(T, N + 10);
roman("IX" ++ T, N) -> roman(T, N + 9);
roman("V" ++ T, N) -> roman(T, N + 5);
roman("I" ++ T, N) -> roman(T, N + 1);
roman([], N) -> N;
roman(_, _) -> bad.

luhn(Digits) when length(Digits) =:= 6 ->
    Sum = luhn(lists:reverse(Digits), 0, 0),
    case Sum rem 10 of
        0 when Sum > 30 -> error(found);
        _ -> ok
    end;
luhn(_) -> ok.

luhn([D | T], I, Acc) when D >= $0, D =< $9 ->
    N = D - $0,
    M = case I rem 2 of 0 -> N; 1 when N > 4 -> 2 * N - 9; 1 -> 2 * N end,
    luhn(T, I + 1, Acc + M);
luhn([], _, Acc) -> Acc.

run_length(L) ->
    case decode(L) of
        "aaab" ++ _ -> error(found);
        _ -> ok
    end.
decode([{N, C} | T]) when is_integer(N), N < 10 -> lists:duplicate(N, C) ++ decode(T);
decode([]) -> [].

bracket(S) -> bracket(S, [], 0).
bracket([$( | T], St, N) -> bracket(T, [$) | St], N + 1);
bracket([$[ | T], St, N) -> bracket(T, [$] | St], N + 1);
bracket([C | T], [C | St], N) -> bracket(T, St, N);
bracket([], [], N) when N > 3 -> error(found);
bracket(_, _, _) -> ok.

tree({node, L, V, R}) when is_integer(V) ->
    case height(L) - height(R) of
        3 -> error(found);
        _ -> ok
    end;
tree(_) -> ok.
height(leaf) -> 0;
height({node, L, _, R}) -> 1 + max(height(L), height(R)).

ledger(Ops) ->
    A = lists:foldl(fun apply_op/2, #account{id = 1}, Ops),
    case A of
        #account{balance = B, history = [withdraw, deposit | _]} when B < 0 -> error(found);
        _ -> ok
    end.
apply_op({deposit, N}, #account{balance = B, history = H} = A) when N > 0, N =< 1000 ->
    A#account{balance = B + N, history = [deposit | H]};
apply_op({withdraw, N}, #account{balance = B, history = H} = A) when N > 0, N =< B + 50 ->
    A#account{balance = B - N, history = [withdraw | H]};
apply_op(_, A) -> A.

fsm(Events) -> fsm(Events, idle).
fsm([{dial, N} | T], idle) when N > 99, N < 1000 -> fsm(T, {ringing, N});
fsm([answer | T], {ringing, N}) -> fsm(T, {talking, N, 0});
fsm([{say, W} | T], {talking, N, K}) when length(W) > 2 -> fsm(T, {talking, N, K + 1});
fsm([hangup | _], {talking, 911, 1}) -> error(found);
fsm([_ | T], S) -> fsm(T, S);
fsm([], S) -> S.

base64_like(B) when is_binary(B), byte_size(B) rem 4 =:= 0 ->
    case << <<(dec(C)):6>> || <<C>> <= B >> of
        <<"Man">> -> error(found);
        _ -> ok
    end;
base64_like(_) -> ok.
dec(C) when C >= $A, C =< $Z -> C - $A;
dec(C) when C >= $a, C =< $z -> C - $a + 26;
dec(C) when C >= $0, C =< $9 -> C - $0 + 52;
dec($+) -> 62;
dec($/) -> 63.

fold_map(M) when is_map(M), map_size(M) > 1 ->
    case maps:fold(fun(K, V, {Ks, Vs}) -> {K + Ks, V * Vs} end, {0, 1}, M) of
        {30, 144} -> error(found);
        _ -> ok
    end;
fold_map(_) -> ok.

zip_sum(A, B) ->
    L = lists:zipwith(fun(X, Y) -> X * Y end, A, B),
    case lists:sum(L) of
        123 when length(L) > 2 -> error(found);
        _ -> ok
    end.

rpn(Tokens) ->
    case rpn(Tokens, []) of
        [14] when length(Tokens) > 4 -> error(found);
        _ -> ok
    end.
rpn([plus | T], [A, B | S]) -> rpn(T, [A + B | S]);
rpn([times | T], [A, B | S]) -> rpn(T, [A * B | S]);
rpn([N | T], S) when is_integer(N), N < 10, N > 0 -> rpn(T, [N | S]);
rpn([], S) -> S.

utf8(<<A/utf8, B/utf8, _/binary>>) when A > 16#ff, B > A, B < 16#800 -> error(found);
utf8(_) -> ok.

bigint(A, B) when is_integer(A), is_integer(B), A > 1 bsl 64 ->
    if A - B =:= 1 bsl 65, A + B =:= 1 bsl 70 -> error(found); true -> ok end;
bigint(_, _) -> ok.

guard_types(A, B, C) when is_float(A), is_atom(B), is_binary(C), A == 3, byte_size(C) > 2 ->
    case atom_to_binary(B) of
        C -> error(found);
        _ -> ok
    end;
guard_types(_, _, _) -> ok.

matrix([[A, B], [C, D]]) when is_integer(A), is_integer(B), is_integer(C), is_integer(D) ->
    case A * D - B * C of
        0 when A > 1, D > 1, B > A -> error(found);
        _ -> ok
    end;
matrix(_) -> ok.

dates({Y, M, D}, N) when is_integer(Y), Y > 1999, Y < 2101, is_integer(N) ->
    case calendar:valid_date(Y, M, D) of
        true ->
            case calendar:day_of_the_week(Y, M, D) of
                5 when D =:= 13, M > 6, N =:= Y + M -> error(found);
                _ -> ok
            end;
        false -> ok
    end;
dates(_, _) -> ok.

tlv(B) -> tlv(B, []).
tlv(<<T, L, V:L/binary, R/binary>>, Acc) -> tlv(R, [{T, V} | Acc]);
tlv(<<>>, Acc) ->
    case lists:reverse(Acc) of
        [{1, <<N:16>>}, {2, <<S/binary>>}] when byte_size(S) =:= N, N > 1 -> error(found);
        _ -> ok
    end;
tlv(_, _) -> bad.

unique(L) when length(L) >= 4 ->
    case length(lists:usort(L)) of
        2 when hd(L) > 10 -> error(found);
        _ -> ok
    end;
unique(_) -> ok.

trie(Words) ->
    T = lists:foldl(fun insert/2, #{}, Words),
    case T of
        #{$a := #{$b := #{stop := true}, $c := #{}}} -> error(found);
        _ -> ok
    end.
insert([], T) -> T#{stop => true};
insert([C | Cs], T) -> T#{C => insert(Cs, maps:get(C, T, #{}))}.

queue_ops(Ops) ->
    Q = lists:foldl(fun({in, X}, Q) -> queue:in(X, Q); (out, Q) -> element(2, queue:out(Q)); (_, Q) -> Q end,
                    queue:new(), Ops),
    case queue:to_list(Q) of
        [7, X, 7] when X < 0 -> error(found);
        _ -> ok
    end.

bank(Txs) -> bank(Txs, #{}).
bank([{open, Id, N} | T], M) when is_integer(N), N >= 0, not is_map_key(Id, M) -> bank(T, M#{Id => N});
bank([{move, A, B, N} | T], M) when is_map_key(A, M), is_map_key(B, M), N > 0 ->
    #{A := X} = M,
    if X >= N ->
            M1 = M#{A => X - N},
            #{B := Y} = M,
            M2 = M1#{B => Y + N},
            case lists:sum(maps:values(M2)) =:= lists:sum(maps:values(M)) of
                true -> bank(T, M2);
                false -> error(found)
            end;
       true -> bank(T, M)
    end;
bank([_ | T], M) -> bank(T, M);
bank([], M) -> M.

mac(<<A:48, T:16, P/binary>>) when A > 16#ff0000000000, T =:= 16#0806 ->
    case P of
        <<_:32, Op:16, _/binary>> when Op =:= byte_size(P) -> error(found);
        _ -> ok
    end;
mac(_) -> ok.
