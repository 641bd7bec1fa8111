%% Patterns of every kind in every place that takes them.
-module(patterns).
-compile(export_all).
-compile(nowarn_export_all).
-record(point, {x = 0, y = 0 :: integer(), tag}).

id(X) -> X.
all() ->
    [0, 1, -1, 2, 7, 1 bsl 70, 0.0, 1.0, 1.5, a, b, true, false, undefined, [], [a], [1], [1, 2], [1, 2, 3],
     [a | b], "abc", "abd", "ab", "abcdef", {}, {a}, {a, b}, {a, 1}, {1, 2, 3}, {b, [1]}, {point, 1, 2, t},
     {point, 1, 2}, #{}, #{a => 1}, #{a => 1, b => 2}, #{1 => x}, #{1.0 => y}, #{{k} => [v]}, #{a => #{b => c}},
     <<>>, <<1>>, <<1, 2>>, <<"abc">>, <<1:1>>, <<5:3>>, <<0, 1, 2, 3>>, <<"text">>, <<$a/utf8>>].
on_all(F) -> [{X, (catch F(X))} || X <- all()].
on_all_short(F) -> [try F(X) catch C:R -> {C, R} end || X <- all()].

t_literals() -> on_all_short(fun literal/1).
literal(0) -> zero;
literal(1) -> one;
literal(1.0) -> one_float;
literal(-1) -> minus;
literal(1180591620717411303424) -> big;
literal(0.0) -> zero_float;
literal(a) -> atom_a;
literal(true) -> yes;
literal([]) -> nil;
literal("abc") -> abc;
literal({}) -> empty_tuple;
literal({a, 1}) -> a_one;
literal(<<>>) -> empty_bits;
literal(<<"abc">>) -> abc_binary;
literal(<<5:3>>) -> five_of_three;
literal(X) -> {other, X}.

t_lists() -> on_all_short(fun list/1).
list([]) -> nil;
list([X]) -> {one, X};
list([X, Y]) -> {two, X, Y};
list([X | y]) -> {improper_y, X};
list([a | X]) -> {improper, X};
list([1, X | Y]) -> {from_one, X, Y};
list([X, Y, Z | T]) -> {three, X, Y, Z, T};
list(_) -> none.

t_prefix() -> on_all_short(fun prefix/1).
prefix("abc" ++ T) -> {abc, T};
prefix("ab" ++ [C | T]) -> {ab, C, T};
prefix([$a, $b] ++ T) -> {ab_only, T};
prefix("" ++ T) -> {any, T}.

t_tuples() -> on_all_short(fun tuple/1).
tuple({}) -> empty;
tuple({X}) -> {one, X};
tuple({a, X}) -> {a, X};
tuple({X, [1 | T]}) -> {list, X, T};
tuple({X, Y, Z}) when X =:= 1 -> {z, Y, Z};
tuple({_, _, _}) -> three;
tuple(_) -> none.

t_alias() -> on_all_short(fun alias/1).
alias({a, _} = X) -> {pair, X};
alias(X = [Y | _] = Z) -> {X, Y, Z};
alias({X, Y, Z} = {A, _, B}) -> {X, Y, Z, A, B};
alias(X = Y) -> {X, Y}.

t_repeated() -> [repeated(X, Y) || X <- [1, 1.0, a, [1], {1}, #{a => 1}, <<1>>], Y <- [1, 1.0, a, [1], {1}, #{a => 1}, <<1>>]].
repeated(X, X) -> same;
repeated([X], {X}) -> inside;
repeated({X}, [X]) -> inside_out;
repeated(_, _) -> different.

t_records() -> on_all_short(fun record/1).
record(#point{x = 1, y = Y}) -> {x1, Y};
record(#point{} = P) -> {p, P#point.x};
record(_) -> none.

t_maps() -> on_all_short(fun map/1).
map(#{a := #{b := X}}) -> {deep, X};
map(#{a := 1, b := X}) -> {a1, X};
map(#{a := X}) -> {a, X};
map(#{1 := X}) -> {one, X};
map(#{1.0 := X}) -> {one_float, X};
map(#{{k} := [X]}) -> {k, X};
map(#{}) -> empty_or_other;
map(_) -> none.

t_map_bound_keys() ->
    [bound_key(K, M) || K <- [a, b, 1, 1.0, {k}, [], #{}, self], M <- all()].
bound_key(K, M) ->
    case M of
        #{K := V} -> {found, V};
        #{} -> no_key;
        _ -> no_map
    end.

t_map_key_expressions() ->
    K = id(1), L = id([x]),
    M = #{{1, 2} => a, 3 => b, [y, x] => c, K + 9 => ten},
    case M of
        #{{K, 2} := A, K + 2 := B, [y | L] := C, K + 9 := D} -> {A, B, C, D};
        _ -> no
    end.
t_map_in_head() -> {in_head(a, #{a => 1}), in_head(b, #{a => 1}), in_head(a, [])}.
in_head(K, M) when is_map_key(K, M) -> #{K := V} = M, V;
in_head(K, #{} = M) -> {no, K, M};
in_head(_, _) -> none.

t_binaries() -> on_all_short(fun binary/1).
binary(<<1:1>>) -> bit;
binary(<<X:3>>) -> {three_bits, X};
binary(<<0, X:8, Rest/binary>>) -> {zero, X, Rest};
binary(<<"te", X, Y>>) -> {te, X, Y};
binary(<<"abc">>) -> abc;
binary(<<X:8, Y:8>>) -> {two, X, Y};
binary(<<X:8>>) -> {one, X};
binary(<<>>) -> empty;
binary(_) -> none.

t_case() -> on_all_short(fun(X) ->
    case X of
        {A, B} -> {A, B};
        [H | _] when is_integer(H) -> H;
        [_ | T] -> T;
        #{a := V} -> V;
        <<B, _/bits>> -> B;
        N when N > 1, N < 5 -> n;
        N when is_number(N) -> number;
        A when is_atom(A) -> atom;
        _ -> other
    end end).
t_case_no_clause() -> on_all_short(fun(X) -> case X of {_} -> 1; [_] -> 2; 7 -> 3 end end).
t_match_ops() -> on_all_short(fun(X) -> {A, B} = X, [A | B] end).
t_match_literal() -> on_all_short(fun(X) -> 1 = X end).
t_match_list() -> on_all_short(fun(X) -> [A, B | C] = X, {A, B, C} end).
t_match_map() -> on_all_short(fun(X) -> #{a := A} = X, A end).
t_match_bin() -> on_all_short(fun(X) -> <<A, B/binary>> = X, {A, B} end).
t_match_bound() -> Y = id([1, 2]), on_all_short(fun(X) -> Y = X end).
t_match_nested() ->
    {A, [B, {C, D} | E]} = {F, G} = id({1, [2, {3, 4}, 5]}),
    {A, B, C, D, E, F, G}.
t_match_in_expression() -> on_all_short(fun(X) -> {Y = X, [Z] = id([X])}, {Y, Z} end).
t_fun_heads() -> on_all_short(fun({a, X}) -> {a, X}; ([X | _]) -> X; (X) when is_atom(X) -> atom; (#{} = M) -> M end).
t_fun_two_args() ->
    F = fun(X, X) -> same; ({X}, X) -> one; (_, []) -> nil end,
    [try F(X, Y) catch C:R -> {C, R} end || X <- [1, {1}, []], Y <- [1, {1}, []]].

%% Clauses whose tests overlap, so that order decides.
t_overlap() -> [overlap(X, Y, Z) || X <- [a, b, c], Y <- [a, b, c], Z <- [a, b, [], {a}]].
overlap(a, _, a) -> 1;
overlap(_, a, b) -> 2;
overlap(a, b, _) -> 3;
overlap(_, _, {X}) -> {4, X};
overlap(X, X, _) -> 5;
overlap(b, _, []) -> 6;
overlap(X, Y, Z) when X < Y -> {7, Z};
overlap(_, Y, _) -> {8, Y}.
t_overlap_maps() ->
    Ms = [#{}, #{a => 1}, #{a => 2}, #{b => 1}, #{a => 1, b => 1}, #{a => 2, b => 3}, x],
    [overlap_map(X, Y) || X <- Ms, Y <- Ms].
overlap_map(#{a := 1}, #{b := X}) -> {1, X};
overlap_map(#{a := X}, #{a := X}) -> {2, X};
overlap_map(x, #{}) -> 3;
overlap_map(#{b := X}, _) when X > 2 -> {4, X};
overlap_map(_, #{a := X}) -> {5, X};
overlap_map(X, X) -> 6;
overlap_map(_, _) -> 7.
t_overlap_bins() ->
    Bs = [<<>>, <<1>>, <<2>>, <<1, 2>>, <<"ab">>, <<1:4>>, x],
    [overlap_bin(X, Y) || X <- Bs, Y <- Bs].
overlap_bin(<<1, X/binary>>, <<Y, _/binary>>) -> {1, X, Y};
overlap_bin(<<X:4, _/bits>>, <<1, Y/binary>>) -> {2, X, Y};
overlap_bin(<<"ab">>, Y) -> {3, Y};
overlap_bin(X, <<"ab">>) -> {4, X};
overlap_bin(<<>>, <<>>) -> 5;
overlap_bin(<<_, X/binary>>, _) -> {6, X};
overlap_bin(X, X) -> {7, X};
overlap_bin(_, _) -> 8.
t_mixed_columns() -> [mixed(X, Y) || X <- all(), Y <- [[], [1], a, {a}, #{}, <<>>]].
mixed([], [_ | _]) -> 1;
mixed([X | _], []) -> {2, X};
mixed({a, X}, {Y}) -> {3, X, Y};
mixed(#{a := X}, #{}) -> {4, X};
mixed(<<X, _/binary>>, <<>>) -> {5, X};
mixed(X, a) when is_list(X) -> {6, length(X)};
mixed(X, _) when map_size(X) > 0 -> 7;
mixed(X, _) when byte_size(X) > 1 -> 8;
mixed(_, Y) -> {9, Y}.
t_shadowing() ->
    X = id(1),
    F = fun(X) -> {X, fun(X) -> X end} end,
    {A, G} = F(2),
    {X, A, G(3), [X || X <- [5, 6]], X}.
t_unsafe_export() ->
    case id(a) of a -> Y = 1, Z = 2; _ -> Y = 3, Z = 4 end,
    {Y, Z, try id(5) of W -> W after ok end}.
t_switch_atoms() -> [sw(X) || X <- [a, b, c, d, e, f, g, h, z, 1]].
sw(a) -> 1; sw(b) -> 2; sw(c) -> 3; sw(d) -> 4; sw(e) -> 5; sw(f) -> 6; sw(g) -> 7; sw(h) -> 8; sw(_) -> none.
t_switch_ints() -> [si(X) || X <- lists:seq(-3, 12) ++ [1.0, 2.0, 1 bsl 64, a]].
si(-2) -> m2; si(0) -> 0; si(1) -> one; si(2) -> two; si(3) -> three; si(5) -> five; si(10) -> ten;
si(1.0) -> float_one; si(18446744073709551616) -> big; si(_) -> none.
t_switch_arity() -> [sa(list_to_tuple(lists:seq(1, N))) || N <- lists:seq(0, 7)].
sa({}) -> 0; sa({X}) -> {1, X}; sa({_, X}) -> {2, X}; sa({_, _, X}) -> {3, X}; sa({_, _, _, X}) -> {4, X};
sa({_, _, _, _, _, _} = T) -> {6, T}; sa(T) -> {n, tuple_size(T)}.
t_float_keys() -> [fk(X) || X <- [0.0, -0.0, 1.5, 2, 2.0, 1.0e300]].
fk(0.0) -> zero; fk(1.5) -> x; fk(2.0) -> y; fk(2) -> z; fk(1.0e300) -> huge; fk(_) -> none.
t_negative_patterns() -> [np(X) || X <- [-1, -1.5, +1, $a, 97, -(1 bsl 65), 8]].
np(-1) -> a; np(-1.5) -> b; np(+1) -> c; np($a) -> d; np(-36893488147419103232) -> e; np(1 bsl 3) -> f; np(_) -> g.
