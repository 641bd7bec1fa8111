%% try, catch and after, in all nestings.
-module(tries).
-compile(export_all).
-compile(nowarn_export_all).

id(X) -> X.
note(X) -> put(notes, [X | case get(notes) of undefined -> []; L -> L end]), X.
notes() -> lists:reverse(case get(notes) of undefined -> []; L -> L end).
do(ok) -> ok;
do({value, V}) -> V;
do({C, R}) -> erlang:raise(C, R, []).
kinds() -> [ok, {value, 1}, {value, [a]}, {error, e}, {exit, x}, {throw, t}, {throw, 1}, {error, {badmatch, 2}}].

t_of() -> [try do(K) of ok -> fine; X when is_integer(X) -> {int, X}; [H | T] -> {H, T}
           catch throw:t -> caught_t; throw:V -> {thrown, V}; error:{badmatch, V} -> {bm, V}; C:R -> {C, R} end || K <- kinds()].
t_plain_catch() -> [try do(K) catch V -> {thrown, V}; error:E -> {e, E}; exit:E -> {x, E} end || K <- kinds()].
t_unmatched() -> [try (try do(K) catch throw:t -> inner; error:{_, V} -> V end) catch C:R -> {outer, C, R} end || K <- kinds()].
t_after() ->
    R = [try (try do(K) after note({a, K}) end) catch C:R -> {C, R} end || K <- kinds()],
    {R, notes()}.
t_after_value() -> X = try id(1) after id(2) end, {X}.
t_after_all() ->
    R = [try (try do(K) of ok -> note(of_ok); V -> error({of_, V}) catch throw:t -> note(t); error:e -> exit(again) after note({a, K}) end)
         catch C:R -> {C, R} end || K <- kinds()],
    {R, notes()}.
t_after_raises() -> [try (try do(K) after throw(from_after) end) catch C:R -> {C, R} end || K <- kinds()].
t_nested_after() ->
    F = fun(K) -> try try try do(K) after note(1) end catch throw:X -> note({c, X}), error(X) after note(2) end catch error:E -> {E} after note(3) end end,
    R = [try F(K) catch C:E -> {C, E} end || K <- kinds()],
    {R, notes()}.
t_rethrow() -> try (try error(x) catch C:R:S -> erlang:raise(C, R, S) end) catch C1:R1:S1 -> {C1, R1, S1} end.
t_rethrow_tail() -> try fail(1) catch C:R:S -> erlang:raise(C, R, S) end.
fail(X) -> {error({failed, X})}.
t_rethrow_changed() -> try fail(1) catch error:R:S -> erlang:raise(throw, {R}, tl(S)) end.
t_not_caught() -> {try fail(1) catch throw:X -> X end}.
t_not_caught_stack() -> try ({try fail(1) catch throw:X -> X end}) catch C:R:S -> {C, R, S} end.
t_after_stack() -> try ({try fail(1) after id(1) end}) catch C:R:S -> {C, R, S} end.
t_catch_nested() -> {catch {catch throw(a), catch error(b)}, catch (catch exit(c))}.
t_catch_in_expr() -> 1 + (catch throw(2)) + (catch id(3)).
t_catch_bind() -> X = (catch throw({v, 1})), case X of {v, Y} -> Y; _ -> no end.
t_throw_out_of_fun() -> try lists:foreach(fun(X) when X > 3 -> throw({found, X}); (_) -> ok end, [1, 2, 5, 9]) catch {found, X} -> X end.
t_variables_after_try() ->
    A = id(1), B = try A + id(1) of C -> C * 10 catch _:_ -> 0 end,
    D = try A + id(x) of E -> E * 10 catch _:_ -> B end,
    {A, B, D}.
t_try_in_loop() -> lists:sum([try 10 div X catch error:badarith -> 100 end || X <- [0, 1, 2, 0, 5]]).
t_try_tail_recursion() -> loop(100000, 0).
loop(0, A) -> A;
loop(N, A) -> B = try id(N) of X when X rem 2 =:= 0 -> throw(even); X -> A + X catch throw:even -> A - 1 end, loop(N - 1, B).
t_of_tail() -> of_loop(200000).
of_loop(0) -> done;
of_loop(N) -> try id(N - 1) of M -> of_loop(M) catch _:_ -> failed end.
t_catch_tail() -> catch_loop(200000).
catch_loop(0) -> done;
catch_loop(N) -> try throw(N - 1) catch M -> catch_loop(M) end.
t_stack_depth() -> try a1(1) catch _:_:S -> [{F, A} || {_, F, A, _} <- S] end.
a1(X) -> [a2(X)].
a2(X) -> [a3(X)].
a3(X) -> [a4(X)].
a4(X) -> [a5(X)].
a5(X) -> [a6(X)].
a6(X) -> [a7(X)].
a7(X) -> [a8(X)].
a8(X) -> [a9(X)].
a9(X) -> [X + id(a)].
t_try_in_guard_like() -> try id([]) of X when hd(X) =:= 1 -> one; X when X =:= [] -> nil catch _:_ -> no end.
t_try_clause_value() -> try (try id(5) of 1 -> a after ok end) catch C:R -> {C, R} end.
t_try_clause_not_caught_inside() -> try (try id(5) of 1 -> a catch error:_ -> inner end) catch C:R -> {C, R} end.
t_of_raises() -> try (try id(5) of 5 -> error(in_of) catch error:_ -> inner end) catch C:R -> {C, R} end.
t_handler_raises() -> try (try error(a) catch error:a -> throw(b) end) catch C:R -> {C, R} end.
t_nested_functions() ->
    F = fun() -> try error(inner) catch error:inner -> fun() -> try throw(x) catch X -> {got, X} end end end end,
    (F())().
t_exit_in_after() -> {catch (try throw(a) after exit(b) end)}.
t_many_results() -> {A, B} = try {id(1), id(2)} of {X, Y} -> {Y, X} catch _:_ -> {0, 0} end, A * 10 + B.
t_class_variable() -> [begin C = K, try do({K, r}) catch C:R -> {C, R} end end || K <- [error, exit, throw]].
t_class_bound_mismatch() -> C = id(throw), try (try error(x) catch C:R -> R end) catch A:B -> {outer, A, B} end.
t_reason_pattern() -> [try do({error, R}) catch error:{a, X} when X > 1 -> {big, X}; error:{a, X} -> {small, X}; error:[_ | T] -> T; error:#{k := V} -> V; error:_ -> other end
                       || R <- [{a, 1}, {a, 2}, [1, 2], #{k => v}, #{}, z]].
t_unused_stack() -> try error(x) catch error:x:_ -> ok end.
t_deep_unwind() -> try unwind(100000) catch throw:X -> X end.
unwind(0) -> throw(bottom);
unwind(N) -> [unwind(N - 1)].
t_handlers_at_depth() -> try depth(1000) catch throw:X -> X end.
depth(0) -> throw(0);
depth(N) -> try [depth(N - 1)] catch throw:X -> throw(X + 1) end.
t_receive_in_try() -> self() ! {m, 1}, try receive {m, X} -> throw(X) end catch Y -> {caught, Y} after note(done) end.
t_try_in_receive() -> self() ! a, self() ! b, R = try receive b -> receive a -> error(both) end end catch error:both -> both end, {R, receive X -> X after 0 -> none end}.
