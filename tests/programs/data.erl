%% Records, maps, comprehensions, arithmetic and order.
-module(data).
-compile(export_all).
-compile(nowarn_export_all).
-record(p, {x = 1, y = id(7), z, w :: atom()}).
-record(empty, {}).
-record(n, {p = #p{x = 3}, l = []}).

id(X) -> X.
c(F) -> try F() catch C:R -> {C, R} end.
nums() -> [0, 1, -1, 2, -2, 3, 7, -7, 0.0, -0.0, 1.0, -1.5, 2.5, 3.5, 0.1, 1.0e10, 1.0e22, 1.0e308, 5.0e-324, 1 bsl 59, -(1 bsl 59), (1 bsl 59) - 1, (1 bsl 63) - 1, 1 bsl 63, 1 bsl 64, -(1 bsl 63), 1 bsl 100, -(1 bsl 100), 9007199254740993, 9007199254740992.0, 1 bsl 1023, 1 bsl 1100].
terms() -> [a, b, '', true, [], [1], [1, 2], [1.0], [a | b], "abc", {}, {1}, {a, b}, {1.0}, #{}, #{a => 1}, #{b => 1}, #{a => 2}, #{1 => a}, #{1.0 => a}, #{a => 1, b => 2}, <<>>, <<1>>, <<1:3>>, fun id/1, fun lists:map/2, self(), make_ref()].
two(F) -> [c(fun() -> F(X, Y) end) || X <- nums(), Y <- nums()].
one(F) -> [c(fun() -> F(X) end) || X <- nums()].

t_record_create() -> {#p{}, #p{x = 2, z = 3}, #empty{}, #p{_ = all, x = 1}, #n{}, #n{p = #p{y = id(2)}}}.
t_record_update() -> P = id(#p{x = 5}), {P#p{y = 1}, P#p{x = 1, y = 2, z = 3, w = 4}, P#p{}, (id(#n{}))#n.p#p.x, (id(#n{}))#n{l = [1]}}.
t_record_index() -> {#p.x, #p.w, #n.l, element(#p.y, id(#p{}))}.
t_record_match() -> [case V of #p{x = 1, y = Y} -> {one, Y}; #p{x = X, _ = _} -> {x, X}; #empty{} -> empty; #n{p = #p{x = X}} -> {n, X}; _ -> no end || V <- [#p{}, #p{x = 2}, #empty{}, #n{}, {p}, {p, 1, 2}, a]].
t_record_nested_update() -> N = id(#n{}), P = N#n.p, N#n{p = P#p{x = 100}}.
t_record_info() -> {record_info(size, p), record_info(fields, p)}.
t_record_fail() -> [c(fun() -> (id(V))#p.x end) || V <- [#p{}, {p, 1}, a, {q, 1, 2, 3, 4}, {p, 1, 2, 3, 4}]].
t_record_update_fail() -> [c(fun() -> (id(V))#p{x = 0} end) || V <- [#p{}, {p, 1}, a, {q, 1, 2, 3, 4}]].
t_setelement_record() -> setelement(#p.x, id(#p{}), changed).

t_map_create() -> {#{}, #{a => 1}, #{id(b) => id(2), [1] => {x}}, #{1 => a, 1.0 => b}, #{a => 1, a => 2}, #{id(a) => 1, a => 2}}.
t_map_update() -> M = id(#{a => 1, b => 2}), {M#{a => 3}, M#{c => 3}, M#{a := 4}, M#{a := 1, c => 2}, M#{}, M#{a => 1, a => 2, a := 3}, M#{c => 1, c := 2}}.
t_map_update_fail() -> [c(fun() -> (id(M))#{a := 1} end) || M <- [#{}, #{a => 0}, x, []]] ++ [c(fun() -> (id(M))#{a => 1} end) || M <- [#{}, x, []]] ++ [c(fun() -> (id(#{}))#{b => 1, a := 1} end), c(fun() -> (id(x))#{} end)].
t_map_update_order() -> put(l, []), N = fun(X) -> put(l, [X | get(l)]), X end, M = c(fun() -> (N(#{}))#{N(a) => N(1), N(b) := N(2)} end), {M, get(l)}.
t_map_keys_order() -> {maps:to_list(#{c => 1, a => 2, b => 3}), maps:keys(#{2 => a, 1 => b, 1.5 => c, a => d, [] => e}), maps:values(#{{} => 1, z => 2, "s" => 3})}.
t_map_large() -> M = maps:from_list([{I, I * I} || I <- lists:seq(1, 1000)]), {map_size(M), map_get(500, M), M =:= maps:from_list([{I, I * I} || I <- lists:seq(1000, 1, -1)]), lists:sort(maps:keys(maps:filter(fun(K, _) -> K rem 100 =:= 0 end, M)))}.
t_map_fold() -> {maps:fold(fun(K, V, A) -> [{K, V} | A] end, [], #{a => 1, b => 2}), maps:map(fun(_, V) -> V + 1 end, #{a => 1}), [{K, V} || {K, V} <- maps:to_list(#{x => 1, y => 2}), V > 1]}.
t_map_nested() -> M = id(#{a => #{b => #{c => 1}}}), #{a := #{b := #{c := X}} = Y} = M, {X, Y, maps:get(b, maps:get(a, M))}.
t_map_float_keys() -> {#{0.0 => a, 0 => b}, maps:get(0.0, #{-0.0 => x}), #{1 => a} == #{1.0 => a}, #{a => 1} == #{a => 1.0}, #{a => 1} =:= #{a => 1.0}}.
t_map_iterator() -> maps:to_list(maps:iterator(#{b => 1, a => 2})).
t_map_compare() -> Ms = [#{}, #{a => 1}, #{b => 1}, #{a => 2}, #{1 => a}, #{1.0 => a}, #{a => 1, b => 2}, #{a => 1, c => 0}, #{1 => x, a => y}], [[A < B || B <- Ms] || A <- Ms].

t_lc() -> {[X * 2 || X <- [1, 2, 3]], [X || X <- lists:seq(1, 10), X rem 2 =:= 0, X > 4], [{X, Y} || X <- [1, 2], Y <- [a, b]], [{X, Y} || X <- [1, 2, 3], Y <- lists:seq(1, X), X + Y > 3]}.
t_lc_pattern() -> {[X || {ok, X} <- [{ok, 1}, error, {ok, 2}]], [{A, B} || [A, B | _] <- [[1, 2], [3], [4, 5, 6]]], [X || #{k := X} <- [#{k => 1}, #{}, x]], [X || X = {_, _} <- [{1, 2}, {3}]]}.
t_lc_nested() -> [[{X, Y, Z} || Z <- [Y, X]] || X <- [1, 2], Y <- [X, 3]].
t_lc_shadow() -> X = id(1), {[X || X <- [5, 6]], X}.
t_lc_guard_fail() -> [X || X <- [1, a, 3], X + 1 > 2].
t_lc_call_filter() -> [X || X <- [1, 2, 3], id(X > 1)].
t_lc_improper() -> [c(fun() -> [X || X <- id(L)] end) || L <- [[1 | 2], a, {}, [1, 2, 3 | x]]].
t_lc_large() -> lists:sum([X || X <- lists:seq(1, 100000), X band 1 =:= 1]).
t_lc_closure() -> [F() || F <- [fun() -> X * X end || X <- [1, 2, 3]]].
t_lc_bin_and_list() -> [{A, B} || <<A>> <= <<1, 2>>, B <- [x, y]].
t_lc_exported() -> L = [begin Y = X + 1, Y * 2 end || X <- [1, 2]], L.
t_lc_boolean_filters() -> [X || X <- [1, 2, 3, 4], X > 1 andalso X < 4, not (X =:= 3) orelse false].

t_add() -> two(fun(X, Y) -> X + Y end).
t_sub() -> two(fun(X, Y) -> X - Y end).
t_mul() -> two(fun(X, Y) -> X * Y end).
t_fdiv() -> two(fun(X, Y) -> X / Y end).
t_div() -> two(fun(X, Y) -> X div Y end).
t_rem() -> two(fun(X, Y) -> X rem Y end).
t_band() -> two(fun(X, Y) -> X band Y end).
t_bor() -> two(fun(X, Y) -> X bor Y end).
t_bxor() -> two(fun(X, Y) -> X bxor Y end).
t_shifts() -> [c(fun() -> {X bsl Y, X bsr Y} end) || X <- nums(), Y <- [0, 1, 5, 59, 60, 63, 64, 65, 128, -1, -5, -64, -200, a, 1.0]].
t_unary() -> one(fun(X) -> {-X, +X} end).
t_bnot() -> one(fun(X) -> bnot X end).
t_rounding() -> one(fun(X) -> {trunc(X), round(X), floor(X), ceil(X)} end).
t_abs_float() -> one(fun(X) -> {abs(X), float(X)} end).
t_compare_numbers() -> [{X < Y, X =< Y, X == Y, X =:= Y, X /= Y, X =/= Y} || X <- nums(), Y <- nums()].
t_compare_terms() -> [{X < Y, X =< Y, X == Y, X =:= Y} || X <- terms() ++ [1, 1.0], Y <- [1, 1.0 | terms()]].
t_sort() -> lists:sort(terms() ++ nums()).
t_usort() -> lists:usort([1, 1.0, 1, 2.0, 2, a, 1.0]).
t_max_min() -> [{max(X, Y), min(X, Y)} || X <- [1, 1.0, a, [], 2], Y <- [1, 1.0, a, [], 2]].
t_bignums() -> {fact(60), fact(60) div fact(58), fact(60) rem (fact(20) + 1), -fact(25) div 7, -fact(25) rem 7, fact(30) bsr 10, -fact(30) bsr 10, fact(30) band -1, -fact(30) bor fact(20), pow(3, 300)}.
fact(0) -> 1;
fact(N) -> N * fact(N - 1).
pow(_, 0) -> 1;
pow(B, N) -> B * pow(B, N - 1).
t_big_small_boundary() -> [{X, X - 1, X + 1, X * 2, X * X} || S <- [58, 59, 60, 61, 62, 63, 64], X <- [1 bsl S, -(1 bsl S)]].
t_float_text() -> [float_to_list(X) || X <- nums(), is_float(X)] ++ [0.1 + 0.2, 1 / 3, 1.0e-7, 123456789.123].
t_int_float_compare() -> [X < Y || X <- [9007199254740992, 9007199254740993, 9007199254740994, 1 bsl 1024], Y <- [9007199254740992.0, 9007199254740994.0, 1.0e308]].
t_integer_division_signs() -> [{X div Y, X rem Y} || X <- [7, -7], Y <- [2, -2, 7, -7]].
t_constants() -> {16#ff, 2#101, 36#zz, $a, $\n, $\s, 1_000_000, 1.5e3, "a\x{e5}\n", 'quoted atom', "con" "cat"}.
t_strings() -> {"abc" ++ "def", "abc" -- "b", [1, 2, 3] -- [2, 2], [] ++ x, [1 | [2 | [3]]], "a" ++ [b | c]}.
t_plusplus_errors() -> [c(fun() -> id(X) ++ [1] end) || X <- [a, [1 | 2], []]].
t_tuples() -> {element(2, {a, b}), setelement(1, {a, b}, c), tuple_to_list({1, 2}), list_to_tuple([1]), erlang:append_element({1}, 2), erlang:make_tuple(3, x)}.
t_dict() -> {put(a, 1), put(a, 2), get(a), get(b), erase(a), get(a), lists:sort(get()), put({x}, 1), get_keys(x), get_keys(1), erase()}.

%% Graphs are made of tables whose order is no promise, so what comes in lists is sorted.
graph(Type, Edges) ->
    G = digraph:new(Type),
    [digraph:add_vertex(G, V) || V <- lists:usort(lists:append([[A, B] || {A, B} <- Edges]))],
    Added = [element(1, case digraph:add_edge(G, A, B) of ['$e' | _] -> {ok, 1}; E -> E end) || {A, B} <- Edges],
    {G, Added}.
edges() -> [[], [{a, b}], [{a, b}, {b, c}, {c, a}], [{a, b}, {a, c}, {b, d}, {c, d}, {d, e}], [{1, 1}, {1, 2}, {3, 4}]].
graphs(F) -> [begin {G, Added} = graph(T, Es), R = c(fun() -> F(G) end), digraph:delete(G), {Added, R} end || Es <- edges(), T <- [[], [acyclic]]].
t_digraph_shape() -> graphs(fun(G) -> {digraph:no_vertices(G), digraph:no_edges(G), lists:sort(digraph:vertices(G)), [lists:sort(digraph:out_neighbours(G, V)) || V <- lists:sort(digraph:vertices(G))]} end).
t_digraph_paths() -> graphs(fun(G) -> [{digraph:get_path(G, A, B), digraph:get_short_path(G, B, A)} || A <- [a, b, 1], B <- [b, d, 2]] end).
t_digraph_utils() -> graphs(fun(G) -> {digraph_utils:is_acyclic(G), digraph_utils:is_tree(G), lists:sort([lists:sort(X) || X <- digraph_utils:components(G)]), lists:sort([lists:sort(X) || X <- digraph_utils:strong_components(G)]), lists:sort(digraph_utils:reachable([a], G)), digraph_utils:topsort(G) =/= false} end).
t_digraph_change() -> graphs(fun(G) -> digraph:del_vertex(G, a), digraph:add_vertex(G, z, label), {digraph:vertex(G, z), digraph:vertex(G, a), digraph:in_degree(G, b), digraph:out_degree(G, zz), digraph:del_path(G, b, d)} end).
