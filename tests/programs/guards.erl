%% Guards: what they accept, and that a failing part only fails its alternative.
-module(guards).
-compile(export_all).
-compile(nowarn_export_all).
-record(r, {a, b = 2}).
-record(s, {a}).

id(X) -> X.
vals() ->
    [0, 1, 2, -1, 3.5, 1 bsl 70, a, true, false, [], [1], [true], [a | b], [1, 2, 3], {}, {1}, {true, false}, {r, 1, 2},
     {r, 1}, {s, 1}, #{}, #{a => 1}, #{true => false}, <<>>, <<1>>, <<1, 2, 3>>, <<1:3>>, fun id/1, fun ?MODULE:id/1,
     fun(_, _) -> ok end].
on_all(F) -> [F(X) || X <- vals()].
pairs(F) -> [F(X, Y) || X <- vals(), Y <- vals()].

t_types() -> on_all(fun(X) ->
    [case X of _ when is_atom(X) -> y; _ -> n end, case X of _ when is_binary(X) -> y; _ -> n end,
     case X of _ when is_bitstring(X) -> y; _ -> n end, case X of _ when is_boolean(X) -> y; _ -> n end,
     case X of _ when is_float(X) -> y; _ -> n end, case X of _ when is_function(X) -> y; _ -> n end,
     case X of _ when is_integer(X) -> y; _ -> n end, case X of _ when is_list(X) -> y; _ -> n end,
     case X of _ when is_map(X) -> y; _ -> n end, case X of _ when is_number(X) -> y; _ -> n end,
     case X of _ when is_pid(X) -> y; _ -> n end, case X of _ when is_port(X) -> y; _ -> n end,
     case X of _ when is_reference(X) -> y; _ -> n end, case X of _ when is_tuple(X) -> y; _ -> n end] end).
t_is_function2() -> [case F of _ when is_function(F, A) -> y; _ -> n end || F <- vals(), A <- [0, 1, 2, -1, a, 1.0, 1 bsl 70]].
t_is_record() -> on_all(fun(X) ->
    [if is_record(X, r) -> y; true -> n end, if is_record(X, s) -> y; true -> n end,
     if is_record(X, r, 3) -> y; true -> n end, if is_record(X, r, 2) -> y; true -> n end,
     is_record(X, r), is_record(X, s, 2)] end).
t_is_record_var() -> [is_record(X, id(N)) || X <- [{r, 1, 2}, {s, 1}, a, {}], N <- [r, s]] ++
    [catch is_record({r}, id(1)), catch is_record({r}, r, id(a)), catch is_record({r}, id(r), 1)].
t_hd() -> on_all(fun(X) -> if hd(X) =:= 1 -> one; hd(X) =:= a; X =:= 2 -> a_or_two; true -> n end end).
t_tl() -> on_all(fun(X) -> if tl(X) =:= [] -> nil; tl(X) =:= b -> b; true -> n end end).
t_length() -> on_all(fun(X) -> if length(X) > 2 -> long; length(X) > 0 -> short; length(X) =:= 0 -> none; true -> n end end).
t_element() -> [if element(N, X) =:= 1 -> one; element(N, X) =:= true -> yes; is_tuple(X) -> t; true -> n end || X <- vals(), N <- [0, 1, 2, 3, a, -1, 1.0]].
t_sizes() -> on_all(fun(X) -> [if size(X) > 1 -> many; size(X) >= 0 -> few; true -> n end,
    if tuple_size(X) =:= 2 -> y; true -> n end, if byte_size(X) =:= 1 -> y; true -> n end,
    if bit_size(X) =:= 3 -> y; true -> n end, if map_size(X) =:= 1 -> y; true -> n end] end).
t_map_guards() -> on_all(fun(X) -> [if map_get(a, X) =:= 1 -> y; true -> n end, if is_map_key(a, X) -> y; true -> n end,
    if not is_map_key(a, X) -> y; true -> n end] end).
t_arith() -> pairs(fun(X, Y) -> if X + Y > 2 -> big; X + Y =< 2 -> small; true -> n end end).
t_arith2() -> pairs(fun(X, Y) -> if X div Y =:= 1 -> one; X rem Y =:= 0 -> zero; X / Y > 0.5 -> frac; true -> n end end).
t_arith3() -> pairs(fun(X, Y) -> if X band Y =:= 1 -> 1; X bor Y =:= 3 -> 2; X bxor Y > 5 -> 3; X * Y < 0 -> 4; X - Y =:= 0 -> 5; true -> n end end).
t_unary() -> on_all(fun(X) -> [if -X =:= 1 -> y; true -> n end, if +X =:= 1 -> y; true -> n end, if bnot X =:= -2 -> y; true -> n end,
    if abs(X) =:= 1 -> y; true -> n end, if trunc(X) =:= 3 -> y; true -> n end, if round(X) =:= 4 -> y; true -> n end,
    if float(X) =:= 1.0 -> y; true -> n end, if floor(X) =:= 3 -> y; ceil(X) =:= 4 -> z; true -> n end] end).
t_shift() -> [if X bsl Y =:= 4 -> 1; X bsr Y =:= 0 -> 2; true -> n end || X <- [1, 2, 4, a, 1.0], Y <- [1, 2, -1, a, 1.0]].
t_and() -> pairs(fun(X, Y) -> if X and Y -> y; true -> n end end).
t_or() -> pairs(fun(X, Y) -> if X or Y -> y; true -> n end end).
t_xor() -> pairs(fun(X, Y) -> if X xor Y -> y; true -> n end end).
t_not() -> on_all(fun(X) -> if not X -> y; true -> n end end).
t_andalso() -> pairs(fun(X, Y) -> if X andalso Y -> y; true -> n end end).
t_orelse() -> pairs(fun(X, Y) -> if X orelse Y -> y; true -> n end end).
t_not_and() -> pairs(fun(X, Y) -> if not (X and Y) -> y; true -> n end end).
t_not_orelse() -> pairs(fun(X, Y) -> if not (X orelse Y) -> y; true -> n end end).
t_not_andalso() -> pairs(fun(X, Y) -> if not (X andalso Y) -> y; true -> n end end).
t_mixed_logic() -> pairs(fun(X, Y) ->
    [if (X andalso Y) or is_list(X) -> y; true -> n end, if (X or Y) andalso is_boolean(X) -> y; true -> n end,
     if X =:= Y orelse hd(X) =:= 1 -> y; true -> n end, if hd(X) =:= 1 orelse X =:= Y -> y; true -> n end,
     if is_list(X) andalso length(X) =:= 1 -> y; true -> n end, if is_list(X) and (length(X) =:= 1) -> y; true -> n end,
     if not is_list(X) orelse length(X) > 1 -> y; true -> n end,
     if (X =:= 1) xor (Y =:= 1) -> y; true -> n end] end).
t_comma_semicolon() -> pairs(fun(X, Y) ->
    if is_integer(X), X > 0; is_atom(Y), Y =/= a -> 1;
       hd(X) =:= 1, tl(X) =:= []; X =:= Y, is_map(X) -> 2;
       element(1, X) =:= r; map_get(a, Y) =:= 1; byte_size(Y) =:= 3 -> 3;
       true -> n end end).
t_bare_variables() -> on_all(fun(X) -> [if X -> y; true -> n end, if X; X -> y; true -> n end, if X, X -> y; true -> n end] end).
t_literal_guards() -> [if true -> 1 end, if false -> 1; true -> 2 end, case 1 of _ when a -> 1; _ when 1 -> 2; _ -> 3 end,
    case 1 of _ when false; true -> 1 end, case 1 of _ when true, false -> 1; _ -> 2 end].
t_comparison() -> pairs(fun(X, Y) ->
    [X < Y, X =< Y, X > Y, X >= Y, X == Y, X /= Y, X =:= Y, X =/= Y,
     if X < Y -> 1; X == Y -> 2; X > Y -> 3; true -> 4 end, if X =:= Y -> 1; X =/= Y -> 2 end] end).
t_self_node() -> if self() =:= self(), node() =:= node() -> is_pid(self()); true -> no end.
t_if_clause() -> on_all(fun(X) -> try if X =:= 1 -> one; hd(X) =:= 1 -> list end catch C:R -> {C, R} end end).
t_nested_case_guard() -> on_all(fun(X) ->
    case X of
        [H | T] when H =:= 1 andalso (T =:= [] orelse hd(T) =:= 2) -> 1;
        {A} when A > 0 orelse A =:= a -> 2;
        {A, B} when A, not B -> 3;
        Y when is_integer(Y) andalso Y rem 2 =:= 0 orelse is_float(Y) andalso trunc(Y) =:= 3 -> 4;
        _ -> 5
    end end).
t_body_logic() -> [try X and Y catch C:R -> {C, R} end || X <- [true, false, 1], Y <- [true, false, 1]] ++
    [try X or Y catch C:R -> {C, R} end || X <- [true, false, 1], Y <- [true, false, 1]] ++
    [try X xor Y catch C:R -> {C, R} end || X <- [true, false, 1], Y <- [true, false, 1]] ++
    [try X andalso Y catch C:R -> {C, R} end || X <- [true, false, 1], Y <- [true, false, 1]] ++
    [try X orelse Y catch C:R -> {C, R} end || X <- [true, false, 1], Y <- [true, false, 1]] ++
    [try not X catch C:R -> {C, R} end || X <- [true, false, 1]].
t_body_andalso_effects() ->
    put(n, 0), Bump = fun(V) -> put(n, get(n) + 1), V end,
    R = [Bump(true) andalso Bump(a), Bump(false) andalso Bump(a), Bump(true) orelse Bump(a), Bump(false) orelse Bump(a),
         Bump(true) and Bump(false), Bump(false) or Bump(false)],
    {R, get(n)}.
t_fun_guard() ->
    F = fun(X) when X > 1, X < 5 -> mid; (X) when is_atom(X); X =:= [] -> low; (X) when is_function(X, 1) -> X(7) end,
    on_all(fun(X) -> try F(X) catch C:R -> {C, R} end end).
t_guard_bif_in_record() -> [rec(X) || X <- [#r{a = 1}, #r{a = 2, b = 3}, #s{a = 1}, 5]].
rec(X) when X#r.a =:= 1 -> a1;
rec(X) when X#r.b > 2 -> b3;
rec(X) when X#s.a > 0 -> s;
rec(X) when is_record(X, r) -> r;
rec(_) -> none.
t_guard_constructs() -> on_all(fun(X) -> [if {X, 1} =:= {1, 1} -> y; true -> n end, if [X] =:= [a] -> y; true -> n end,
    if #{a => X} =:= #{a => 1} -> y; true -> n end, if <<X>> =:= <<1>> -> y; true -> n end, if <<X/binary>> =:= <<1>> -> y; true -> n end,
    if #{X => 1} =:= #{a => 1} -> y; true -> n end] end).
t_map_update_guard() -> on_all(fun(X) -> [if X#{b => 1} =:= #{b => 1} -> 1; X#{a := 2} =:= #{a => 2} -> 2; true -> n end] end).
t_long_alternatives() -> on_all(fun(X) -> if X =:= 0; X =:= 2; X =:= a; X =:= []; X =:= {}; X =:= #{}; X =:= <<>> -> y; X == 1; X == 3.5 -> z; true -> n end end).
t_binary_part_guard() -> [if binary_part(B, P, L) =:= <<2>> -> y; true -> n end || B <- [<<1, 2, 3>>, <<>>, a, <<1:3>>], P <- [0, 1, 2, -1], L <- [1, -1, 2]].
