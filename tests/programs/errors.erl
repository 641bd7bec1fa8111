%% Every kind of failure, with its stack trace.
-module(errors).
-compile(export_all).
-compile(nowarn_export_all).
-record(r, {a, b = 2}).

id(X) -> X.
c(F) -> try F() of V -> {value, V} catch C:R:S -> {C, R, S} end.
wrap(F) -> R = F(), {wrapped, R}.

t_badmatch() -> {a, _} = id(b), ok.
t_badmatch_tail() -> {a, _} = id(b).
t_badmatch_list() -> [_, _ | _] = id([1]), ok.
t_badmatch_called() -> X = badmatch(1), {X}.
badmatch(X) -> {ok, Y} = id({error, X}), Y.
t_case_clause() -> case id(5) of 4 -> a; 3 -> b end.
t_case_clause_tuple() -> case {id(5), 6} of {4, _} -> a; {3, X} -> X end.
t_if_clause() -> X = id(1), if X > 1 -> a; X < 1 -> b end.
t_function_clause() -> fc(id(5), b).
t_function_clause_nontail() -> {fc(id(5), id(b))}.
t_function_clause_inner() -> {wrap(fun() -> fc(1, 2) end)}.
fc(1, a) -> 1;
fc(X, c) when X > 2 -> 2.
t_fun_clause() -> F = id(fun(1) -> a; (2) -> b end), F(id(3)).
t_fun_clause_free() -> Y = id(7), F = id(fun(1) -> Y; (2) -> b end), {F(id(3))}.
t_fun_clause_two() -> Y = id(7), Z = id(8), F = id(fun(1, _) -> Y; (2, b) -> Z end), {F(id(3), x)}.
t_named_fun_clause() -> F = id(fun G(1) -> a; G(2) -> G(3) end), {F(2)}.
t_badfun() -> F = id(notafun), {F(1)}.
t_badfun_tail() -> F = id(notafun), F(1, 2).
t_badfun_int() -> F = id(3), {F()}.
t_badarity() -> F = fun(X) -> X end, {(id(F))(1, 2)}.
t_badarity_tail() -> F = fun(X) -> X end, (id(F))(1, 2).
t_badarity_external() -> F = fun lists:map/2, {(id(F))(1)}.
t_undef() -> {nosuchmodule:f(1, [2])}.
t_undef_tail() -> nosuchmodule:f(1, [2]).
t_undef_function() -> {lists:nosuch(1)}.
t_undef_function_tail() -> lists:nosuch(1).
t_undef_own() -> {?MODULE:nosuch(1)}.
t_undef_own_tail() -> ?MODULE:nosuch(1).
t_undef_apply() -> {apply(id(lists), id(nosuch), [1, 2])}.
t_undef_apply_tail() -> apply(id(lists), id(nosuch), [1, 2]).
t_undef_dynamic() -> M = id(lists), {M:nosuch(3)}.
t_undef_dynamic_tail() -> M = id(lists), F = id(nosuch), M:F(3).
t_undef_external_fun() -> F = fun nosuchmodule:g/1, {F(1)}.
t_undef_external_fun_tail() -> F = fun nosuchmodule:g/1, F(1).
t_undef_deep() -> {wrap(fun() -> {undef1(3)} end)}.
undef1(X) -> {nosuchmodule:h(X)}.
t_badarg_bif() -> {atom_to_list(id(1))}.
t_badarg_bif_tail() -> atom_to_list(id(1)).
t_badarg_element() -> {element(id(3), {a})}.
t_badarg_element_tail() -> element(id(3), {a}).
t_badarg_hd() -> {hd(id([]))}.
t_badarg_tl() -> tl(id([])).
t_badarg_length() -> {length(id([a | b]))}.
t_badarg_size() -> {size(id(a))}.
t_badarg_setelement() -> {setelement(id(5), {a}, x)}.
t_badarg_list_to_atom() -> {list_to_atom(id([a]))}.
t_badarg_list_to_integer() -> {list_to_integer(id("x"))}.
t_badarg_list_to_integer_base() -> {list_to_integer(id("z"), 10)}.
t_badarg_plusplus() -> {id(a) ++ [1]}.
t_badarg_minusminus() -> {[1] -- id(a)}.
t_badarg_apply() -> {apply(id(1), id(f), [])}.
t_badarg_apply_list() -> {apply(id(lists), id(map), id(x))}.
t_badarg_apply_fun_list() -> {apply(id(fun id/1), id([1 | 2]))}.
t_badarg_send() -> {id(nosuchname) ! x}.
t_badarg_maps_get() -> {maps:get(a, id(#{}))}.
t_badmap_maps_get() -> {maps:get(a, id(x))}.
t_badmap_put() -> {maps:put(a, 1, id(x))}.
t_badmap_fold() -> {maps:fold(fun(_, _, A) -> A end, 0, id(x))}.
t_badmap_size() -> {map_size(id(x))}.
t_badmap_key() -> {is_map_key(a, id(x))}.
t_badmap_get() -> {map_get(a, id(x))}.
t_badkey_get() -> {map_get(a, id(#{}))}.
t_badmap_update() -> X = id(x), {X#{a => 1}}.
t_badmap_update_exact() -> X = id(x), {X#{a := 1}}.
t_badkey_update() -> X = id(#{b => 1}), {X#{a := 1}}.
t_badkey_update_tail() -> X = id(#{b => 1}), X#{b := 2, a := 1}.
t_badrecord() -> X = id(x), {X#r.a}.
t_badrecord_tuple() -> X = id({r, 1}), {X#r.a}.
t_badrecord_update() -> X = id(x), {X#r{a = 1}}.
t_badarith_add() -> {id(a) + 1}.
t_badarith_add_tail() -> id(a) + 1.
t_badarith_sub() -> {1 - id([])}.
t_badarith_mul() -> {id({}) * 2.0}.
t_badarith_div_zero() -> {1 div id(0)}.
t_badarith_rem_zero() -> {1 rem id(0)}.
t_badarith_fdiv_zero() -> {1 / id(0)}.
t_badarith_fdiv_zero_float() -> {1.0 / id(0.0)}.
t_badarith_float_div() -> {1.0 div id(2)}.
t_badarith_overflow() -> {id(1.0e308) * 10}.
t_badarith_overflow_add() -> {id(1.7e308) + 1.7e308}.
t_badarith_big_to_float() -> {(1 bsl id(1100)) + 1.0}.
t_badarith_neg() -> {-id(a)}.
t_badarith_bnot() -> {bnot id(1.0)}.
t_badarith_band() -> {id(1.0) band 1}.
t_badarith_bsl() -> {id(a) bsl 1}.
t_badarith_bsr() -> {1 bsr id(1.0)}.
t_badarg_abs() -> {abs(id(a))}.
t_badarg_trunc() -> {trunc(id(a))}.
t_badarg_float() -> {float(id(1 bsl 1100))}.
t_badarg_not() -> {not id(1)}.
t_badarg_and() -> {id(1) and true}.
t_badarg_or() -> {true or id(1)}.
t_badarg_xor() -> {true xor id(1)}.
t_badarg_andalso() -> {id(1) andalso true}.
t_badarg_orelse() -> {id(1) orelse true}.
t_badarg_binary() -> {<<(id(a))>>}.
t_badarg_binary_tail() -> <<(id(a))/binary>>.
t_badarg_binary_size() -> {<<1:(id(a))>>}.
t_badarg_binary_negative() -> {<<1:(id(-1))>>}.
t_badarg_binary_short() -> {<<(id(<<1>>)):3/binary>>}.
t_badarg_binary_float() -> {<<(id(a))/float>>}.
t_badarg_float_size() -> {<<(id(1.0)):(id(8))/float>>}.
t_badarg_float_range() -> {<<1, (id(1 bsl 1100))/float>>}.
t_badarg_third_segment() -> {<<1, "ab", (id(x)):16, 3>>}.
t_badarg_appended() -> {<<(id(<<1>>))/binary, (id(x))>>}.
t_limit_binary() -> {<<(id(1)):(id(1 bsl 70))>>}.
t_badarg_utf16() -> {<<(id(a))/utf16>>}.
t_bad_module() -> M = id(1), {M:f(x)}.
t_bad_module_tail() -> M = id(1), M:f(x).
t_bad_function() -> F = id("f"), {lists:F(x)}.
t_fun_clauses_numbered() -> Y = id(7), F = id(fun(1) -> a end), G = id(fun(2) -> Y end), H = [X || X <- [1]], {H, c(fun() -> {F(Y)} end), c(fun() -> {G(Y)} end)}.
t_badarg_utf8() -> {<<(id(16#D800))/utf8>>}.
t_badarg_unit() -> {<<(id(<<1:3>>))/binary>>}.
t_bad_generator() -> [X || X <- id(a)].
t_bad_generator_tail() -> {[X || X <- id([1 | b])]}.
t_bad_generator_bin() -> [X || <<X>> <= id(a)].
t_bad_generator_bc() -> << <<X>> || X <- id(a), id(X) > 0 >>.
t_bad_filter() -> [X || X <- [1, 2], id(X)].
t_bad_filter_guard() -> [X || X <- [1, 2, [3]], hd(X) =:= 3].
t_try_clause() -> try id(1) of 2 -> a catch _:_ -> b end.
t_error() -> {error(my_reason)}.
t_error_tail() -> error(my_reason).
t_error_args() -> {error(my_reason, [a, b])}.
t_error_args_tail() -> err(x).
err(X) -> error(my_reason, [X]).
t_error_none() -> {error(my_reason, none)}.
t_error_bad_args() -> {error(my_reason, id(x))}.
t_error_3() -> {error(my_reason, [a], [{error_info, #{cause => xx}}])}.
t_error_3_none() -> {error(my_reason, none, [{error_info, #{cause => xx, module => ?MODULE}}])}.
t_error_3_bad() -> {error(my_reason, [a], id(x))}.
t_exit() -> {exit(reason)}.
t_exit_tail() -> exit({reason, 1}).
t_throw() -> {throw(ball)}.
t_throw_tail() -> throw(ball).
t_raise() -> erlang:raise(error, why, [{m, f, 2, [{file, "x"}, {line, 3}]}, {g, h, [1, 2], []}]).
t_raise_exit() -> erlang:raise(exit, why, []).
t_raise_bad_class() -> {erlang:raise(id(bad), why, [])}.
t_raise_bad_stack() -> {erlang:raise(error, why, id(x))}.
t_raise_bad_entry() -> {erlang:raise(error, why, id([x]))}.
t_raise_fun_entry() -> {erlang:raise(throw, why, [{fun id/1, [1], []}, {lists, map, 2}])}.
t_nif_like() -> {lists:reverse(id(a))}.
t_lists_map() -> {lists:map(fun(X) -> X + 1 end, [1, a])}.
t_lists_map_bad() -> {lists:map(id(x), [1, a])}.
t_lists_foldl() -> {lists:foldl(fun(X, A) -> X + A end, 0, [1, b])}.
t_lists_nth() -> {lists:nth(5, [1])}.
t_deep() -> {deep(20)}.
deep(0) -> id(a) + 1;
deep(N) -> {deep(N - 1)}.
t_deep_tail() -> {deep_tail(20)}.
deep_tail(0) -> [id(a) + 1];
deep_tail(N) -> deep_tail(N - 1).
t_mutual() -> {even(9)}.
even(0) -> true;
even(N) -> odd(N - 1).
odd(0) -> error(odd);
odd(N) -> {even(N - 1)}.
t_in_list_comprehension() -> [1 / X || X <- [1, 0]].
t_in_nested_comprehension() -> [[X + Y || Y <- [1, b]] || X <- [1, 2]].
t_in_binary_comprehension() -> << <<(X + 1)>> || X <- [1, b] >>.
t_in_fun() -> F = id(fun(X) -> X + 1 end), {F(id(a))}.
t_in_fun_in_fun() -> F = id(fun(X) -> {(id(fun(Y) -> X + Y end))(a)} end), {F(1)}.
t_in_named_fun() -> F = id(fun Fac(0) -> id(a) * 1; Fac(N) -> N * Fac(N - 1) end), {F(2)}.
t_in_case() -> case id(a) + 1 of 1 -> x; _ -> y end.
t_in_args() -> id(id(1) + id(a)).
t_two_lines() ->
    X = id(1),
    Y = id(a),
    Z = X +
        Y,
    {Z}.
t_multi_line_call() ->
    {fc(
        id(1),
        id(2))}.
t_multi_line_tuple() ->
    {id(1),
     id(2) + id(3),
     id(2) + id(c)}.
t_multi_line_list() ->
    [id(1),
     hd(id([])),
     id(3)].
t_stack_of_catch() -> catch error(x).
t_catch_throw() -> catch throw(x).
t_catch_exit() -> catch exit(x).
t_catch_value() -> catch id(x).
t_catch_badarith() -> catch id(a) + 1.
t_catch_in_middle() -> {catch id(a) + 1, catch throw(t), catch exit(e)}.
t_catch_call() -> (catch fc(3, 4)).
t_catch_undef() -> (catch nosuchmodule:f()).
t_all_caught() ->
    [c(F) || F <- [fun t_badmatch/0, fun t_case_clause/0, fun t_if_clause/0, fun t_function_clause/0, fun t_fun_clause/0,
        fun t_badfun/0, fun t_badfun_tail/0, fun t_badarity/0, fun t_badarity_tail/0, fun t_undef/0, fun t_undef_tail/0,
        fun t_badarg_bif/0, fun t_badarg_bif_tail/0, fun t_badmap_update/0, fun t_badkey_update/0, fun t_badrecord/0,
        fun t_badarith_add/0, fun t_error/0, fun t_error_tail/0, fun t_error_args/0, fun t_exit/0, fun t_throw/0, fun t_raise/0,
        fun t_try_clause/0, fun t_deep/0, fun t_deep_tail/0, fun ?MODULE:t_badmatch/0, fun nosuch:t/0]].
t_spawned_error() ->
    {P, R} = spawn_monitor(fun() -> fc(1, 2) end),
    receive {'DOWN', R, process, P, Why} -> Why end.
t_spawned_mfa_error() ->
    {P, R} = spawn_monitor(?MODULE, fc, [1, 2]),
    receive {'DOWN', R, process, P, Why} -> Why end.
t_spawned_undef() ->
    {P, R} = spawn_monitor(nosuch, fc, [1, 2]),
    receive {'DOWN', R, process, P, Why} -> Why end.
t_spawned_throw() ->
    {P, R} = spawn_monitor(fun() -> throw(x) end),
    receive {'DOWN', R, process, P, Why} -> Why end.
t_spawned_exit() ->
    {P, R} = spawn_monitor(fun() -> exit({x, [1]}) end),
    receive {'DOWN', R, process, P, Why} -> Why end.
t_apply_forms_fail() ->
    [c(fun() -> {apply(fun fc/2, [3, id(4)])} end), c(fun() -> {apply(?MODULE, fc, [3, 4])} end), c(fun() -> {?MODULE:fc(3, 4)} end),
     c(fun() -> M = id(?MODULE), {M:fc(3, 4)} end), c(fun() -> F = id(fc), {?MODULE:F(3, 4)} end), c(fun() -> F = fun ?MODULE:fc/2, {F(3, 4)} end),
     c(fun() -> apply(?MODULE, id(fc), [3, 4]) end), c(fun() -> {apply(erlang, id(element), [1, x])} end), c(fun() -> {apply(id(erlang), '+', [1, x])} end),
     c(fun() -> {apply(fun erlang:hd/1, [x])} end), c(fun() -> F = id(fun erlang:hd/1), F(x) end), c(fun() -> F = id(fun erlang:hd/1), {F(x)} end),
     c(fun() -> {erlang:apply(id(lists), nosuch, [])} end), c(fun() -> apply(id(erlang), atom_to_list, [1]) end)].
