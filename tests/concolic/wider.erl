%% Programs as people write them, each with one mistake or one rare state: it fails with `error:found`
%% there, and the search has to come to it from nothing but the specs.
-module(wider).
-export([
    crc8/1, crc16/1, adler/1, version/2, normalise_path/1, query_string/1, words/2, json/1,
    sorted_pairs/2, hex_sum/1, group_by/1, account/1, lru/2, rle/1, roman/1, shape/2, rational/2,
    valid_date/3, heap/1, prefix_tree/2, tokens/1, frame/1, isbn/1, bst/1, nested/1, server/1,
    statem/1, keys/1, floats/2, formatted/2, sqrt/1, hypot/2, utf16/1, float_bits/1, sorted/1,
    keysorted/1, tuple_made/2, hashed/1, iterated/1, regexp/1, printed/1, float_text/1, table/1,
    interval/1, topological/1, knapsack/2, balanced/1, caesar/2, anagram/2, palindrome/1, dna/1,
    ipv4/1, time/1, bitmap/1, ring/2, gcd/2, collatz/1, fizz/1, vowels/1, camel/1, csv/1, xml/1,
    url/1, base32/1, sorted_insert/2, windows/2, histogram/1, change/1, vm/1, events/1, elevator/1,
    rgb/1, temperature/2, median/1, dedup/1, chunks/2, flatten/1, rotate/2, matrix_mul/2, perms/1,
    money/1, percent/1, log_line/1, semver/1, retry_delay/2, cache_key/1, ets_words/1, ets_match/1,
    bin_search/2, rope/1, poly/2, turtle/1, cron/1, tictactoe/1, pascal/1, escape/1
]).

-record(cell, {x = 0 :: integer(), y = 0 :: integer(), data = [] :: list()}).
-record(board, {cells = [] :: [#cell{}], turn = white :: white | black}).

-spec crc8(binary()) -> ok.
crc8(<<Data:3/binary, Crc>>) ->
    case crc8(Data, 0) of
        Crc when Crc =:= 16#5a -> error(found);
        _ -> ok
    end;
crc8(_) -> ok.
crc8(<<B, R/binary>>, C) -> crc8(R, crc8_bits(8, C bxor B));
crc8(<<>>, C) -> C.
crc8_bits(0, C) -> C;
crc8_bits(N, C) when C band 16#80 =/= 0 -> crc8_bits(N - 1, ((C bsl 1) bxor 7) band 255);
crc8_bits(N, C) -> crc8_bits(N - 1, (C bsl 1) band 255).

-spec crc16([byte()]) -> ok.
crc16([A, B, Hi, Lo]) ->
    C = lists:foldl(fun(X, Acc) -> ((Acc bsl 3) bxor (Acc bsr 13) bxor X) band 16#ffff end, 16#1d0f, [A, B]),
    if C =:= Hi * 256 + Lo -> error(found); true -> ok end;
crc16(_) -> ok.

-spec adler(binary()) -> ok.
adler(<<N, Payload:N/binary, Sum:32>>) when N > 3 ->
    {A, B} = lists:foldl(fun(X, {A, B}) -> A1 = (A + X) rem 65521, {A1, (B + A1) rem 65521} end,
                         {1, 0}, binary_to_list(Payload)),
    case (B bsl 16) bor A of
        Sum -> error(found);
        _ -> bad
    end;
adler(_) -> short.

-spec version(string(), string()) -> older | newer | same.
version(A, B) ->
    case {parse_version(A), parse_version(B)} of
        {[1, 2 | _] = X, Y} when X < Y, length(X) =:= length(Y), length(X) =:= 3 -> error(found);
        {X, Y} when X < Y -> older;
        {X, X} -> same;
        _ -> newer
    end.
parse_version(S) -> [N || P <- string:split(S, ".", all), {N, []} <- [string:to_integer(P)]].

-spec normalise_path(string()) -> [string()].
normalise_path(P) ->
    lists:foldl(fun("..", [_ | T]) -> T;
                   ("..", []) -> error(found);
                   (".", Acc) -> Acc;
                   (S, Acc) -> [S | Acc]
                end, [], string:tokens(P, "/")).

-spec query_string(string()) -> map().
query_string(S) ->
    Pairs = [list_to_tuple(string:split(P, "=")) || P <- string:tokens(S, "&")],
    maps:from_list([{K, V} || {K, V} <- Pairs, check_param(K, V)]).
check_param("id", V) ->
    case list_to_integer(V) of
        N when N < 0 -> error(found);
        _ -> true
    end;
check_param(_, _) -> true.

-spec words(string(), pos_integer()) -> ok.
words(Text, Max) ->
    Count = lists:foldl(fun(W, M) -> M#{W => maps:get(W, M, 0) + 1} end, #{}, string:tokens(Text, " ")),
    case [W || {W, N} <- maps:to_list(Count), N > Max] of
        [[_, _ | _]] -> error(found);
        _ -> ok
    end.

-spec json(string()) -> term().
json(S) ->
    case value(S, 0) of
        {V, []} -> V;
        _ -> syntax
    end.
value("null" ++ T, _) -> {null, T};
value("true" ++ T, _) -> {true, T};
value([$[, $] | T], _) -> {[], T};
value([$[ | _], 2) -> error(found);
value([$[ | T], D) -> items(T, D + 1, []);
value([C | _] = S, _) when C >= $0, C =< $9 ->
    {N, T} = string:to_integer(S),
    {N, T};
value(_, _) -> throw(syntax).
items(S, D, Acc) ->
    case value(S, D) of
        {V, [$, | T]} -> items(T, D, [V | Acc]);
        {V, [$] | T]} -> {lists:reverse([V | Acc]), T};
        _ -> throw(syntax)
    end.

-spec sorted_pairs([{integer(), integer()}], integer()) -> ok.
sorted_pairs(L, K) ->
    case lists:sort(L) =:= L andalso length(L) >= 3 of
        true ->
            T = list_to_tuple(L),
            case search(T, K, 1, tuple_size(T)) of
                {K, V} when V =:= 2 * K + 1, K > 10 -> error(found);
                _ -> ok
            end;
        false -> unsorted
    end.
search(_, _, Lo, Hi) when Lo > Hi -> none;
search(T, K, Lo, Hi) ->
    Mid = (Lo + Hi) div 2,
    case element(Mid, T) of
        {K, _} = P -> P;
        {X, _} when X < K -> search(T, K, Mid + 1, Hi);
        _ -> search(T, K, Lo, Mid - 1)
    end.

-spec hex_sum(string()) -> integer().
hex_sum(S) ->
    Bytes = pairs(S),
    case lists:sum(Bytes) band 255 of
        0 when length(Bytes) =:= 3, hd(Bytes) > 0 -> error(found);
        N -> N
    end.
pairs([A, B | T]) -> [list_to_integer([A, B], 16) | pairs(T)];
pairs([]) -> [].

-spec group_by([{atom(), integer()}]) -> map().
group_by(L) ->
    G = lists:foldr(fun({K, V}, M) -> maps:update_with(K, fun(Vs) -> [V | Vs] end, [V], M) end, #{}, L),
    maps:map(fun(_, [A, B, C]) when A < B, B < C -> error(found);
                (_, Vs) -> lists:sum(Vs) div length(Vs) end, G).

-spec account([{deposit | withdraw | transfer, integer()} | freeze | thaw]) -> integer().
account(Events) ->
    element(2, lists:foldl(fun account/2, {open, 0}, Events)).
account({deposit, N}, {open, B}) when N > 0 -> {open, B + N};
account({withdraw, N}, {open, B}) when N > 0, N =< B -> {open, B - N};
account(freeze, {open, B}) when B >= 100 -> {frozen, B};
account({transfer, N}, {frozen, B}) when N =:= B -> error(found);
account(thaw, {frozen, B}) -> {open, B};
account(_, S) -> S.

-spec lru(1..4, [{put, atom(), integer()} | {get, atom()}]) -> list().
lru(Cap, Ops) -> lru(Ops, Cap, []).
lru([{put, K, V} | T], Cap, C) ->
    C1 = [{K, V} | lists:keydelete(K, 1, C)],
    lru(T, Cap, lists:sublist(C1, Cap));
lru([{get, K} | T], Cap, C) ->
    case lists:keytake(K, 1, C) of
        {value, {K, V}, Rest} when length(Rest) >= 2, V > 50 -> error(found);
        {value, P, Rest} -> lru(T, Cap, [P | Rest]);
        false -> lru(T, Cap, C)
    end;
lru([], _, C) -> C.

-spec rle(string()) -> string().
rle(S) ->
    case unpack(S) of
        R when length(R) =:= 12 -> error(found);
        R -> R
    end.
unpack([D, C | T]) when D >= $1, D =< $9 -> lists:duplicate(D - $0, C) ++ unpack(T);
unpack([]) -> [];
unpack(_) -> throw(bad).

-spec roman(string()) -> integer().
roman(S) ->
    Vs = [digit(C) || C <- S],
    case fold_roman(Vs) of
        1994 -> error(found);
        N -> N
    end.
digit($I) -> 1; digit($V) -> 5; digit($X) -> 10; digit($L) -> 50;
digit($C) -> 100; digit($D) -> 500; digit($M) -> 1000.
fold_roman([A, B | T]) when A < B -> B - A + fold_roman(T);
fold_roman([A | T]) -> A + fold_roman(T);
fold_roman([]) -> 0.

-spec shape([[integer()]], [[integer()]]) -> list().
shape(A, B) ->
    [W | Ws] = [length(R) || R <- A],
    true = lists:all(fun(X) -> X =:= W end, Ws),
    case length(B) of
        W when W >= 2, length(A) >= 2 -> ok;
        _ -> throw(mismatch)
    end,
    case [lists:sum(R) || R <- B] of
        [S, S | _] when S =/= 0 -> error(found);
        _ -> []
    end.

-spec rational({integer(), integer()}, {integer(), integer()}) -> {integer(), integer()}.
rational({_, 0}, _) -> throw(zero);
rational(_, {_, 0}) -> throw(zero);
rational({A, B}, {C, D}) ->
    N = A * D - C * B,
    case B * D of
        M when N > 0 -> {M div N, N};
        _ when N =:= 0, A > 1, B =/= D -> error(found);
        M -> {N, M}
    end.

-spec valid_date(integer(), integer(), integer()) -> boolean().
valid_date(Y, M, D) when M >= 1, M =< 12, D >= 1, Y > 0 ->
    Last = case M of
        2 when Y rem 4 =:= 0, Y rem 100 =/= 0 -> 29;
        2 when Y rem 400 =:= 0, D =:= 29 -> error(found);
        2 -> 28;
        _ -> lists:nth(M, [31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    end,
    D =< Last;
valid_date(_, _, _) -> false.

-spec heap([{push, integer()} | pop]) -> ok.
heap(Ops) ->
    case lists:foldl(fun({push, X}, H) -> merge({X, nil, nil}, H);
                        (pop, {_, L, R}) -> merge(L, R);
                        (pop, nil) -> nil end, nil, Ops) of
        {X, {Y, _, _}, {Z, _, _}} when Y =:= X + 7, Z > Y -> error(found);
        _ -> ok
    end.
merge(nil, H) -> H;
merge(H, nil) -> H;
merge({A, L, R}, {B, _, _} = H) when A =< B -> {A, merge(R, H), L};
merge(A, {B, L, R}) -> {B, merge(R, A), L}.

-spec prefix_tree([string()], string()) -> ok.
prefix_tree(Words, W) ->
    T = lists:foldl(fun add_word/2, {false, []}, Words),
    case lookup(W, T) of
        {false, [_, _ | _]} -> error(found);
        _ -> ok
    end.
add_word([], {_, Cs}) -> {true, Cs};
add_word([C | R], {E, Cs}) ->
    Sub = case lists:keyfind(C, 1, Cs) of {C, S} -> S; false -> {false, []} end,
    {E, lists:keystore(C, 1, Cs, {C, add_word(R, Sub)})}.
lookup([], T) -> T;
lookup([C | R], {_, Cs}) ->
    case lists:keyfind(C, 1, Cs) of {C, T} -> lookup(R, T); false -> none end.

-spec tokens(string()) -> ok.
tokens(S) ->
    case scan(S) of
        [{id, "x"}, assign, {num, N}, plus, {num, M} | _] when N + M =:= 100 -> error(found);
        _ -> ok
    end.
scan([C | T]) when C =:= $\s; C =:= $\t -> scan(T);
scan(":=" ++ T) -> [assign | scan(T)];
scan("+" ++ T) -> [plus | scan(T)];
scan([C | _] = S) when C >= $0, C =< $9 ->
    {D, T} = lists:splitwith(fun(X) -> X >= $0 andalso X =< $9 end, S),
    [{num, list_to_integer(D)} | scan(T)];
scan([C | _] = S) when C >= $a, C =< $z ->
    {D, T} = lists:splitwith(fun(X) -> X >= $a andalso X =< $z end, S),
    [{id, D} | scan(T)];
scan([]) -> [];
scan(_) -> throw(lexical).

-spec frame(binary()) -> ok.
frame(<<2:3, Flags:5, Len:16/little, Body:Len/binary, Crc:8, 16#c0>>) when Flags band 4 =/= 0 ->
    case xor_all(Body) of
        Crc -> body(Body);
        _ -> bad_crc
    end;
frame(_) -> no_frame.
xor_all(B) -> lists:foldl(fun(X, A) -> X bxor A end, 16#55, binary_to_list(B)).
body(<<Type:8, N:8, Items:N/binary-unit:16, _/binary>>) when N > 1, Type > 127 ->
    case [I || <<I:16>> <= Items] of
        [A, B | _] when A > B, B > 256 -> error(found);
        _ -> ok
    end;
body(_) -> ok.

-spec isbn(string()) -> boolean().
isbn(S) when length(S) =:= 10 ->
    Sum = isbn(S, 10, 0),
    if Sum rem 11 =:= 0, Sum > 50 -> error(found); true -> false end;
isbn(_) -> false.
isbn([$X], 1, S) -> S + 10;
isbn([D | T], N, S) when D >= $0, D =< $9 -> isbn(T, N - 1, S + N * (D - $0));
isbn([], 0, S) -> S;
isbn(_, _, _) -> throw(bad).

-spec bst([{insert | delete, integer()}]) -> ok.
bst(Ops) ->
    T = lists:foldl(fun({insert, X}, T) -> ins(X, T); ({delete, X}, T) -> del(X, T) end, nil, Ops),
    case to_list(T) of
        [A, B | _] when A > B -> error(found);
        _ -> ok
    end.
ins(X, nil) -> {nil, X, nil};
ins(X, {L, Y, R}) when X < Y -> {ins(X, L), Y, R};
ins(X, {L, Y, R}) when X > Y -> {L, Y, ins(X, R)};
ins(_, T) -> T.
del(_, nil) -> nil;
del(X, {L, Y, R}) when X < Y -> {del(X, L), Y, R};
del(X, {L, Y, R}) when X > Y -> {L, Y, del(X, R)};
del(_, {nil, _, R}) -> R;
del(_, {L, _, nil}) -> L;
del(_, {L, _, {_, Z, _} = R}) -> {L, Z, del(Z, R)}.
to_list(nil) -> [];
to_list({L, X, R}) -> to_list(L) ++ [X | to_list(R)].

-spec nested(#board{}) -> #board{}.
nested(#board{cells = [#cell{x = X, y = Y} = C | Cs], turn = T} = B) ->
    C1 = C#cell{x = X + 1, data = [T | C#cell.data]},
    case B#board{cells = [C1 | Cs], turn = black} of
        #board{cells = [#cell{x = 10, y = Y, data = [black, white | _]}, #cell{y = Y} | _]} -> error(found);
        B1 -> B1
    end;
nested(B) -> B.

-spec server([{call, term()} | {cast, term()} | {info, term()}]) -> term().
server(Msgs) -> server(Msgs, #{q => [], limit => 2, mode => normal}).
server([{call, {push, X}} | T], #{q := Q, limit := L} = S) when length(Q) < L -> server(T, S#{q := [X | Q]});
server([{cast, {limit, N}} | T], S) when is_integer(N), N > 0, N < 5 -> server(T, S#{limit := N});
server([{info, flush} | T], #{q := [A, A, A | _]} = S) -> server(T, S#{mode := {odd, A}});
server([{call, status} | _], #{mode := {odd, {ref, N}}}) when N > 7 -> error(found);
server([_ | T], S) -> server(T, S);
server([], S) -> S.

-spec statem([coin | push | kick | {admin, non_neg_integer()}]) -> atom().
statem(Es) -> step(Es, locked, 0, 0).
step([coin | T], locked, N, K) -> step(T, unlocked, N + 1, K);
step([coin | T], unlocked, N, K) -> step(T, unlocked, N, K + 1);
step([push | T], unlocked, N, K) -> step(T, locked, N, K);
step([kick | T], locked, 2, K) when K > 0 -> step(T, broken, 0, K);
step([{admin, P} | _], broken, _, K) when P bxor 16#aa =:= 16#ff, K =:= 1 -> error(found);
step([_ | T], S, N, K) -> step(T, S, N, K);
step([], S, _, _) -> S.

-spec keys(map()) -> ok.
keys(#{type := order, items := Items, total := T} = M) when is_list(Items), is_integer(T) ->
    Sum = lists:sum([Q * P || #{qty := Q, price := P} <- Items, is_integer(Q), is_integer(P), Q > 0, P > 0]),
    case M of
        #{discount := D} when is_integer(D), D > 0, Sum - D =:= T, T > 10 -> error(found);
        _ -> ok
    end;
keys(_) -> ok.

-spec floats(float(), float()) -> ok.
floats(A, B) when A > 0.0, B > 0.0 ->
    if A + B =:= A, B > 1.0e-3 -> error(found); true -> ok end;
floats(_, _) -> ok.

-spec formatted(integer(), atom()) -> ok.
formatted(N, A) ->
    case lists:flatten(io_lib:format("~w:~p;", [N, A])) of
        "-42:on;" -> error(found);
        _ -> ok
    end.

-spec sqrt(number()) -> ok.
sqrt(X) when X > 0 ->
    case math:sqrt(X) of
        R when R > 12.0, R < 12.5 -> error(found);
        _ -> ok
    end;
sqrt(_) -> ok.

-spec hypot(integer(), integer()) -> ok.
hypot(A, B) when A > 0, B > A ->
    case math:sqrt(A * A + B * B) of
        R when R == 13.0 -> error(found);
        _ -> ok
    end;
hypot(_, _) -> ok.

-spec utf16(binary()) -> ok.
utf16(<<A/utf16, B/utf16>>) when A > 16#ffff, B < 128 -> error(found);
utf16(_) -> ok.

-spec float_bits(binary()) -> ok.
float_bits(<<F:64/float, G:32/float>>) when F > 1.5, F < 1.75, G == 2.5 -> error(found);
float_bits(_) -> ok.

-spec sorted([integer()]) -> ok.
sorted(L) ->
    case lists:sort(L) of
        [A, B, C] when A + 1 =:= B, B + 1 =:= C, hd(L) =:= C -> error(found);
        _ -> ok
    end.

-spec keysorted([{integer(), atom()}]) -> ok.
keysorted(L) ->
    case lists:keysort(2, L) of
        [{3, a}, {2, b}, {1, c}] -> error(found);
        _ -> ok
    end.

-spec tuple_made(non_neg_integer(), term()) -> ok.
tuple_made(N, X) when N < 20 ->
    case erlang:make_tuple(N, X) of
        {_, _, _, _, hit} -> error(found);
        _ -> ok
    end;
tuple_made(_, _) -> ok.

-spec hashed(atom()) -> ok.
hashed(K) ->
    case erlang:phash2(K, 4) of
        3 when K =/= undefined -> error(found);
        _ -> ok
    end.

-spec iterated(#{atom() => integer()}) -> ok.
iterated(M) -> iterate(maps:next(maps:iterator(M)), 0).
iterate({_, V, I}, S) when V > 3 -> iterate(maps:next(I), S + V);
iterate({_, _, I}, S) -> iterate(maps:next(I), S);
iterate(none, 11) -> error(found);
iterate(none, _) -> ok.

-spec regexp(string()) -> ok.
regexp(S) ->
    case re:run(S, "^[a-z]+[0-9]{2}$", [{capture, none}]) of
        match -> error(found);
        nomatch -> ok
    end.

-spec printed({atom(), [integer()]}) -> ok.
printed(T) ->
    case lists:flatten(io_lib:format("~p", [T])) of
        "{a,[7]}" -> error(found);
        _ -> ok
    end.

-spec float_text(string()) -> ok.
float_text(S) ->
    case string:to_float(S) of
        {F, []} when F > 2.0, F < 3.0 -> error(found);
        _ -> ok
    end.

-spec table([{atom(), integer()}]) -> ok.
table(L) ->
    T = ets:new(t, [ordered_set]),
    ets:insert(T, L),
    R = ets:foldl(fun({_, N}, S) -> N + S end, 0, T),
    ets:delete(T),
    if R =:= 77, length(L) > 1 -> error(found); true -> ok end.

-spec interval([{integer(), integer()}]) -> ok.
interval(L) ->
    Sorted = lists:sort([{A, B} || {A, B} <- L, A < B]),
    case join(Sorted) of
        [{A, B}] when length(Sorted) >= 3, B - A =:= 100 -> error(found);
        _ -> ok
    end.
join([{A, B}, {C, D} | T]) when C =< B -> join([{A, max(B, D)} | T]);
join([X | T]) -> [X | join(T)];
join([]) -> [].

-spec topological([{atom(), atom()}]) -> [atom()].
topological(Edges) ->
    Nodes = lists:usort(lists:append([[A, B] || {A, B} <- Edges])),
    topological(Nodes, Edges).
topological([], _) -> [];
topological(Nodes, Edges) ->
    case [N || N <- Nodes, not lists:keymember(N, 2, Edges)] of
        [] when length(Nodes) >= 3 -> error(found);
        [] -> throw(cycle);
        [N | _] -> [N | topological(lists:delete(N, Nodes), [E || {A, _} = E <- Edges, A =/= N])]
    end.

-spec knapsack([{1..50, 1..50}], 1..100) -> integer().
knapsack(Items, Cap) ->
    case best(Items, Cap) of
        V when V > 60, length(Items) =< 3 -> error(found);
        V -> V
    end.
best([], _) -> 0;
best([{W, _} | T], C) when W > C -> best(T, C);
best([{W, V} | T], C) -> max(best(T, C), V + best(T, C - W)).

-spec balanced(string()) -> boolean().
balanced(S) -> balanced(S, [], 0).
balanced([C | T], St, D) when C =:= $(; C =:= $[; C =:= ${ -> balanced(T, [C | St], max(D, length(St) + 1));
balanced([$) | T], [$( | St], D) -> balanced(T, St, D);
balanced([$] | T], [$[ | St], D) -> balanced(T, St, D);
balanced([$} | T], [${ | St], D) -> balanced(T, St, D);
balanced([C | _], _, _) when C =:= $); C =:= $]; C =:= $} -> false;
balanced([_ | T], St, D) -> balanced(T, St, D);
balanced([], [], 3) -> error(found);
balanced([], St, _) -> St =:= [].

-spec caesar(string(), integer()) -> string().
caesar(S, K) ->
    case [shift(C, K) || C <- S] of
        "attack" -> error(found);
        R -> R
    end.
shift(C, K) when C >= $a, C =< $z -> $a + (C - $a + K) rem 26;
shift(C, _) -> C.

-spec anagram(string(), string()) -> ok.
anagram(A, B) when length(A) >= 4, A =/= B ->
    case lists:sort(A) =:= lists:sort(B) of
        true -> error(found);
        false -> ok
    end;
anagram(_, _) -> ok.

-spec palindrome(binary()) -> ok.
palindrome(B) when byte_size(B) > 4 ->
    case binary:list_to_bin(lists:reverse(binary:bin_to_list(B))) of
        B -> error(found);
        _ -> ok
    end;
palindrome(_) -> ok.

-spec dna(string()) -> ok.
dna(S) ->
    case codons(S) of
        ["ATG", _, "TAA"] -> error(found);
        _ -> ok
    end.
codons([A, B, C | T]) -> [[A, B, C] | codons(T)];
codons(_) -> [].

-spec ipv4(string()) -> ok.
ipv4(S) ->
    case [list_to_integer(P) || P <- string:lexemes(S, ".")] of
        [10, 0, _, D] when D > 255 -> error(found);
        _ -> ok
    end.

-spec time(binary()) -> ok.
time(<<H:2/binary, ":", M:2/binary, R/binary>>) ->
    case {binary_to_integer(H), binary_to_integer(M), R} of
        {HH, MM, <<":", S:2/binary>>} when HH < 24, MM < 60 ->
            case binary_to_integer(S) of
                60 when HH =:= 23, MM =:= 59 -> error(found);
                _ -> ok
            end;
        _ -> ok
    end;
time(_) -> ok.

-spec bitmap([0..31]) -> ok.
bitmap(Ps) ->
    case lists:foldl(fun(P, M) -> M bor (1 bsl P) end, 0, Ps) of
        16#30001 -> error(found);
        _ -> ok
    end.

-spec ring(pos_integer(), [integer()]) -> ok.
ring(N, Moves) when N > 3, N < 50 ->
    case lists:foldl(fun(M, P) -> (P + M + N) rem N end, 0, Moves) of
        P when P < 0 -> error(found);
        _ -> ok
    end;
ring(_, _) -> ok.

-spec gcd(pos_integer(), pos_integer()) -> ok.
gcd(A, B) when A > B, B > 10 ->
    case g(A, B) of
        7 -> error(found);
        _ -> ok
    end;
gcd(_, _) -> ok.
g(A, 0) -> A;
g(A, B) -> g(B, A rem B).

-spec collatz(pos_integer()) -> ok.
collatz(N) -> collatz(N, 0).
collatz(1, 7) -> error(found);
collatz(1, _) -> ok;
collatz(_, 8) -> ok;
collatz(N, K) when N rem 2 =:= 0 -> collatz(N div 2, K + 1);
collatz(N, K) -> collatz(3 * N + 1, K + 1).

-spec fizz(integer()) -> ok.
fizz(N) ->
    case {N rem 3, N rem 5, N rem 7} of
        {2, 3, 2} when N > 100 -> error(found);
        _ -> ok
    end.

-spec vowels(string()) -> ok.
vowels(S) ->
    case length([C || C <- S, lists:member(C, "aeiou")]) of
        3 when length(S) =:= 5 -> error(found);
        _ -> ok
    end.

-spec camel(string()) -> ok.
camel(S) ->
    case camel(S, false) of
        "aBc" -> error(found);
        _ -> ok
    end.
camel([$_ | T], _) -> camel(T, true);
camel([C | T], true) -> [string:to_upper(C) | camel(T, false)];
camel([C | T], false) -> [C | camel(T, false)];
camel([], _) -> [].

-spec csv(string()) -> [[string()]].
csv(S) -> csv(S, [], [], []).
csv([$" | T], [], Row, Rows) -> quoted(T, [], Row, Rows);
csv([$, | T], F, Row, Rows) -> csv(T, [], [lists:reverse(F) | Row], Rows);
csv([$\n | T], F, Row, Rows) -> csv(T, [], [], [lists:reverse([lists:reverse(F) | Row]) | Rows]);
csv([C | T], F, Row, Rows) -> csv(T, [C | F], Row, Rows);
csv([], F, Row, Rows) -> lists:reverse([lists:reverse([lists:reverse(F) | Row]) | Rows]).
quoted([$", $" | T], F, Row, Rows) -> quoted(T, [$" | F], Row, Rows);
quoted([$", $, | T], F, Row, Rows) -> csv(T, [], [lists:reverse(F) | Row], Rows);
quoted([$" | _], [$" | _], [_ | _], _) -> error(found);
quoted([$" | T], F, Row, Rows) -> csv(T, F, Row, Rows);
quoted([C | T], F, Row, Rows) -> quoted(T, [C | F], Row, Rows);
quoted([], _, _, _) -> throw(open).

-spec xml(string()) -> ok.
xml(S) -> xml(S, []).
xml([$<, $/ | T], [Tag | Open]) ->
    case lists:split(length(Tag), T) of
        {Tag, [$> | R]} -> xml(R, Open);
        _ -> error(found)
    end;
xml([$< | T], Open) ->
    {Tag, [$> | R]} = lists:splitwith(fun(C) -> C =/= $> end, T),
    xml(R, [Tag | Open]);
xml([_ | T], Open) -> xml(T, Open);
xml([], _) -> ok.

-spec url(string()) -> ok.
url(S) ->
    case string:split(S, "://") of
        [Scheme, Rest] when Scheme =:= "http" ->
            [Host | Path] = string:split(Rest, "/"),
            case string:split(Host, ":") of
                [_, Port] when Path =/= [] ->
                    case list_to_integer(Port) of
                        N when N > 65535 -> error(found);
                        _ -> ok
                    end;
                _ -> ok
            end;
        _ -> ok
    end.

-spec base32(string()) -> ok.
base32(S) ->
    case << <<(b32(C)):5>> || C <- S >> of
        <<"hi", _/bitstring>> -> error(found);
        _ -> ok
    end.
b32(C) when C >= $A, C =< $Z -> C - $A;
b32(C) when C >= $2, C =< $7 -> C - $2 + 26.

-spec sorted_insert([integer()], integer()) -> ok.
sorted_insert(L, X) ->
    L1 = put_in(X, L),
    case {lists:sort(L) =:= L, lists:sort(L1) =:= L1} of
        {true, false} -> error(found);
        _ -> ok
    end.
put_in(X, [H | T]) when X > H -> [H | put_in(X, T)];
put_in(X, [H, H2 | T]) when X < H, H2 > 2 * H -> [H, X, H2 | T];
put_in(X, L) -> [X | L].

-spec windows([integer()], pos_integer()) -> ok.
windows(L, N) when N > 1, N < 4 ->
    Sums = [lists:sum(lists:sublist(L, I, N)) || I <- lists:seq(1, length(L) - N + 1)],
    case Sums of
        [A, B, A] when A =/= B, A > 100 -> error(found);
        _ -> ok
    end;
windows(_, _) -> ok.

-spec histogram([0..9]) -> ok.
histogram(L) ->
    A = lists:foldl(fun(X, A) -> array:set(X, array:get(X, A) + 1, A) end, array:new(10, {default, 0}), L),
    case array:to_list(A) of
        [0, 2, 0, 0, 1 | _] -> error(found);
        _ -> ok
    end.

-spec change(0..1000) -> ok.
change(N) ->
    case coins(N, [50, 20, 5, 2]) of
        {rest, 1} when N > 100 -> error(found);
        _ -> ok
    end.
coins(0, _) -> done;
coins(N, [C | Cs]) -> coins(N rem C, Cs);
coins(N, []) -> {rest, N}.

-spec vm([{push, integer()} | add | mul | dup | swap | {jz, 0..5} | halt]) -> term().
vm(Code) -> vm(list_to_tuple(Code), 1, [], 30).
vm(_, _, _, 0) -> loop;
vm(Code, Pc, St, Fuel) when Pc =< tuple_size(Code) ->
    case {element(Pc, Code), St} of
        {{push, N}, _} -> vm(Code, Pc + 1, [N | St], Fuel - 1);
        {add, [A, B | T]} -> vm(Code, Pc + 1, [A + B | T], Fuel - 1);
        {mul, [A, B | T]} -> vm(Code, Pc + 1, [A * B | T], Fuel - 1);
        {dup, [A | T]} -> vm(Code, Pc + 1, [A, A | T], Fuel - 1);
        {swap, [A, B | T]} -> vm(Code, Pc + 1, [B, A | T], Fuel - 1);
        {{jz, To}, [0 | T]} -> vm(Code, To + 1, T, Fuel - 1);
        {{jz, _}, [_ | T]} -> vm(Code, Pc + 1, T, Fuel - 1);
        {halt, [36 | _]} when Pc > 3 -> error(found);
        {halt, _} -> St;
        _ -> stuck
    end;
vm(_, _, St, _) -> St.

-spec events([{add | remove, atom(), pos_integer()}]) -> map().
events(Es) ->
    lists:foldl(fun({add, K, N}, M) -> maps:update_with(K, fun(X) -> X + N end, N, M);
                   ({remove, K, N}, M) ->
                        case M of
                            #{K := N} -> maps:remove(K, M);
                            #{K := X} when X > N -> M#{K := X - N};
                            #{K := _} when map_size(M) > 1 -> error(found);
                            _ -> M
                        end
                end, #{}, Es).

-spec elevator([up | down | {goto, 0..20} | open]) -> term().
elevator(Cs) ->
    lists:foldl(fun(up, {F, closed, N}) when F < 10 -> {F + 1, closed, N + 1};
                   (down, {F, closed, N}) when F > 0 -> {F - 1, closed, N + 1};
                   ({goto, F}, {_, closed, N}) when F =< 10 -> {F, closed, N + 1};
                   (open, {7, closed, N}) when N >= 3 -> error(found);
                   (open, {F, closed, N}) -> {F, open, N};
                   (_, S) -> S
                end, {0, closed, 0}, Cs).

-spec rgb(binary()) -> ok.
rgb(<<"#", R:2/binary, G:2/binary, B:2/binary>>) ->
    case {binary_to_integer(R, 16), binary_to_integer(G, 16), binary_to_integer(B, 16)} of
        {X, Y, Z} when X > 250, Y =:= X div 2, Z =:= 0 -> error(found);
        _ -> ok
    end;
rgb(_) -> ok.

-spec temperature(number(), c | f | k) -> ok.
temperature(T, U) ->
    C = case U of c -> T; f -> (T - 32) * 5 / 9; k -> T - 273.15 end,
    if C >= -40.5, C =< -39.5, U =:= f -> error(found); true -> ok end.

-spec median([number()]) -> ok.
median(L) when length(L) > 2 ->
    S = lists:sort(L),
    M = lists:nth((length(S) + 1) div 2, S),
    Avg = lists:sum(L) / length(L),
    if M > 10 * Avg, Avg > 1 -> error(found); true -> ok end;
median(_) -> ok.

-spec dedup([term()]) -> ok.
dedup(L) ->
    case dd(L) of
        [a, b, a] when length(L) > 4 -> error(found);
        _ -> ok
    end.
dd([X, X | T]) -> dd([X | T]);
dd([X | T]) -> [X | dd(T)];
dd([]) -> [].

-spec chunks([term()], pos_integer()) -> ok.
chunks(L, N) when N < 5 ->
    case chunk(L, N) of
        [_, _, [_]] when N > 2 -> error(found);
        _ -> ok
    end;
chunks(_, _) -> ok.
chunk([], _) -> [];
chunk(L, N) when length(L) =< N -> [L];
chunk(L, N) -> {H, T} = lists:split(N, L), [H | chunk(T, N)].

-spec flatten([term()]) -> ok.
flatten(L) ->
    case lists:flatten(L) of
        [1, 2, 3] when length(L) =:= 1 -> error(found);
        _ -> ok
    end.

-spec rotate([term()], integer()) -> ok.
rotate(L, N) when N > 0, N < length(L) ->
    {A, B} = lists:split(N, L),
    case B ++ A of
        [x, y | _] when hd(L) =:= z -> error(found);
        _ -> ok
    end;
rotate(_, _) -> ok.

-spec matrix_mul([[integer()]], [[integer()]]) -> ok.
matrix_mul(A, B) ->
    case [[lists:sum(lists:zipwith(fun(X, Y) -> X * Y end, R, C)) || C <- columns(B)] || R <- A] of
        [[1, 0], [0, 1]] when A =/= B -> error(found);
        _ -> ok
    end.
columns([[] | _]) -> [];
columns([]) -> [];
columns(Rows) -> [[hd(R) || R <- Rows] | columns([tl(R) || R <- Rows])].

-spec perms([1..9]) -> ok.
perms([_, _, _] = L) ->
    case [P || [A, B, C] = P <- all(L), 100 * A + 10 * B + C =:= 637] of
        [_] when hd(L) =/= 6 -> error(found);
        _ -> ok
    end;
perms(_) -> ok.
all([]) -> [[]];
all(L) -> [[X | P] || X <- L, P <- all(L -- [X])].

-spec money(string()) -> ok.
money(S) ->
    case string:split(S, ".") of
        [Whole, [_, _] = Cents] ->
            N = list_to_integer(Whole) * 100 + list_to_integer(Cents),
            if N < 0, N > -100 -> error(found); true -> ok end;
        _ -> ok
    end.

-spec percent(0..100) -> ok.
percent(P) ->
    case round(P * 0.29) of
        29 -> ok;
        N when N * 100 =:= P * 29 -> ok;
        N when P > 50, N =:= 17 -> error(found);
        _ -> ok
    end.

-spec log_line(binary()) -> ok.
log_line(Line) ->
    case binary:split(Line, <<" ">>, [global]) of
        [<<"ERR">>, Code | Rest] when Rest =/= [] ->
            case binary_to_integer(Code) of
                C when C >= 500, C < 600 -> error(found);
                _ -> ok
            end;
        _ -> ok
    end.

-spec semver(binary()) -> ok.
semver(B) ->
    case re:split(B, "\\.", [{return, list}]) of
        [A, B1, _] ->
            case {list_to_integer(A), list_to_integer(B1)} of
                {2, N} when N > 11 -> error(found);
                _ -> ok
            end;
        _ -> ok
    end.

-spec retry_delay(0..20, pos_integer()) -> ok.
retry_delay(N, Base) ->
    Delay = min(Base * (1 bsl N), 30000),
    if Delay > 20000, Delay < 30000, Delay rem 1000 =:= 0 -> error(found); true -> ok end.

-spec cache_key({atom(), integer()}) -> ok.
cache_key({A, N}) ->
    case atom_to_list(A) ++ "_" ++ integer_to_list(N) of
        "user_17" -> error(found);
        _ -> ok
    end.

-spec ets_words([string()]) -> ok.
ets_words(Ws) ->
    T = ets:new(words, [set, private]),
    [ets:update_counter(T, W, 1, {W, 0}) || W <- Ws],
    R = ets:lookup(T, "ab"),
    ets:delete(T),
    case R of
        [{_, 3}] -> error(found);
        _ -> ok
    end.

-spec ets_match([{atom(), integer()}]) -> ok.
ets_match(L) ->
    T = ets:new(m, [bag, private]),
    true = ets:insert(T, L),
    R = ets:select(T, [{{'$1', '$2'}, [{'>', '$2', 40}], ['$1']}]),
    ets:delete(T),
    case R of
        [a, a] -> error(found);
        [a, b] -> error(found);
        _ -> ok
    end.

-spec bin_search(tuple(), integer()) -> ok.
bin_search(T, K) when tuple_size(T) =:= 7 ->
    case bs(T, K, 1, 7, 0) of
        {_, 3} -> error(found);
        _ -> ok
    end;
bin_search(_, _) -> ok.
bs(_, _, Lo, Hi, N) when Lo > Hi -> {none, N};
bs(T, K, Lo, Hi, N) ->
    M = (Lo + Hi) div 2,
    if element(M, T) =:= K -> {M, N + 1};
       element(M, T) < K -> bs(T, K, M + 1, Hi, N + 1);
       true -> bs(T, K, Lo, M - 1, N + 1) end.

-type rope() :: {leaf, string()} | {node, rope(), rope()}.
-spec rope(rope()) -> ok.
rope(R) ->
    case text(R) of
        "abc" when element(1, R) =:= node -> error(found);
        _ -> ok
    end.
text({leaf, S}) -> S;
text({node, L, R}) -> text(L) ++ text(R).

-spec poly([integer()], integer()) -> ok.
poly(Cs, X) when length(Cs) =:= 3, X > 2 ->
    case lists:foldl(fun(C, A) -> A * X + C end, 0, Cs) of
        0 when hd(Cs) =/= 0 -> error(found);
        _ -> ok
    end;
poly(_, _) -> ok.

-spec turtle([left | right | {go, 1..10}]) -> ok.
turtle(Cs) ->
    case lists:foldl(fun move/2, {0, 0, n}, Cs) of
        {-3, 4, _} -> error(found);
        _ -> ok
    end.
move(left, {X, Y, D}) -> {X, Y, case D of n -> w; w -> s; s -> e; e -> n end};
move(right, {X, Y, D}) -> {X, Y, case D of n -> e; e -> s; s -> w; w -> n end};
move({go, N}, {X, Y, n}) -> {X, Y + N, n};
move({go, N}, {X, Y, s}) -> {X, Y - N, s};
move({go, N}, {X, Y, e}) -> {X + N, Y, e};
move({go, N}, {X, Y, w}) -> {X - N, Y, w}.

-spec cron(string()) -> ok.
cron(S) ->
    case [field(F) || F <- string:tokens(S, " ")] of
        [{every, N}, {at, H}, any] when N > 59; H > 23 -> error(found);
        _ -> ok
    end.
field("*") -> any;
field("*/" ++ N) -> {every, list_to_integer(N)};
field(N) -> {at, list_to_integer(N)}.

-spec tictactoe([1..9]) -> ok.
tictactoe(Moves) -> ttt(Moves, #{}, x).
ttt([M | T], B, P) when not is_map_key(M, B) ->
    B1 = B#{M => P},
    case [1 || {A, C, D} <- [{1, 5, 9}, {3, 5, 7}], maps:get(A, B1, n) =:= P,
               maps:get(C, B1, n) =:= P, maps:get(D, B1, n) =:= P] of
        [_] when P =:= x -> error(found);
        _ -> ttt(T, B1, case P of x -> o; o -> x end)
    end;
ttt(_, _, _) -> ok.

-spec pascal(0..12) -> ok.
pascal(N) ->
    case lists:foldl(fun(_, R) -> lists:zipwith(fun(A, B) -> A + B end, [0 | R], R ++ [0]) end, [1], lists:seq(1, N)) of
        [_, _, 45 | _] -> error(found);
        _ -> ok
    end.

-spec escape(string()) -> string().
escape([$\\, $x, A, B | T]) ->
    case list_to_integer([A, B], 16) of
        16#7f -> error(found);
        C -> [C | escape(T)]
    end;
escape([$\\, C | T]) -> [C | escape(T)];
escape([C | T]) -> [C | escape(T)];
escape([]) -> [].
