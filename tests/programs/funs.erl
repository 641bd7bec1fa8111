%% Funs, calls in all forms, recursion, receive and the process dictionary.
-module(funs).
-compile(export_all).
-compile(nowarn_export_all).

id(X) -> X.
c(F) -> try F() catch C:R -> {C, R} end.
add(X, Y) -> X + Y.

t_closures() -> A = id(1), B = id(2), F = fun(X) -> fun(Y) -> fun(Z) -> {A, B, X, Y, Z} end end end, (((F)(3))(4))(5).
t_closure_captures_fun() -> F = fun(X) -> X * 2 end, G = fun(X) -> F(F(X)) end, H = fun(X) -> G(F(X)) end, H(1).
t_closure_list() -> Fs = [fun(X) -> X + N end || N <- lists:seq(1, 5)], [F(10) || F <- Fs].
t_named_fun() -> F = fun Fac(0) -> 1; Fac(N) -> N * Fac(N - 1) end, F(20).
t_named_fun_captures() -> K = id(3), F = fun Loop(0, A) -> {K, A}; Loop(N, A) -> Loop(N - 1, A + K) end, F(1000, 0).
t_named_fun_value() -> F = fun G(X) -> case X of 0 -> is_function(G, 1); _ -> (id(G))(X - 1) end end, F(3).
t_named_fun_escapes() -> F = fun G(X) -> {X, G} end, {1, G2} = F(1), {2, _} = G2(2), is_function(G2, 1).
t_named_fun_nested() -> F = fun A(X) -> (fun B(0) -> X; B(N) -> case N of 5 -> A(X + N - 5); _ -> B(N - 1) end end)(4) end, F(7).
t_fun_clauses() -> F = fun(0, _) -> zero; (X, Y) when X > Y -> gt; ({A, B}, [A | T]) -> {B, T}; (_, _) -> other end, [F(0, 1), F(2, 1), F({1, 2}, [1, 3]), F({1, 2}, [2])].
t_local_fun() -> F = fun add/2, {F(1, 2), apply(F, [3, 4]), lists:foldl(F, 0, [1, 2, 3])}.
t_external_fun() -> F = fun lists:reverse/1, M = id(lists), N = id(sum), A = id(1), G = fun M:N/A, {F([1, 2]), G([1, 2]), F =:= fun lists:reverse/1, G == fun lists:sum/1}.
t_fun_equality() -> F = fun add/2, G = fun(X) -> X end, {F =:= F, G =:= G, fun add/2 == fun ?MODULE:add/2, F < G, is_function(F, 2), is_function(G, 2)}.
t_same_fun_twice() -> Mk = fun(N) -> fun() -> N end end, {(Mk(1)) =:= (Mk(1)), (Mk(1)) =:= (Mk(2)), (Mk(a))()}.
t_apply_forms() -> M = id(?MODULE), F = id(add), A = id([1, 2]),
    {apply(M, F, A), apply(?MODULE, add, A), apply(fun add/2, A), M:F(1, 2), ?MODULE:F(1, 2), M:add(1, 2), erlang:apply(M, F, [1, 2]), apply(fun ?MODULE:add/2, [1, 2]), (fun ?MODULE:add/2)(1, 2)}.
t_apply_bif() -> E = id(erlang), {E:'+'(1, 2), apply(E, element, [1, {a}]), apply(E, id('not'), [true]), E:abs(-1), apply(E, apply, [E, abs, [-2]]), apply(E, apply, [fun add/2, [1, 2]])}.
t_apply_tail() -> at(1000000, ?MODULE).
at(0, _) -> done;
at(N, M) -> M:at(N - 1, M).
t_apply_fun_tail() -> F = fun(S, N) -> case N of 0 -> done; _ -> S(S, N - 1) end end, F(F, 1000000).
t_fun_info() -> F = fun add/2, G = fun lists:map/2, {erlang:fun_info(F, arity), erlang:fun_info(F, module), erlang:fun_info(F, type), erlang:fun_info(G, name), erlang:fun_info(G, type), erlang:fun_info(G, env)}.
t_fun_to_list() -> erlang:fun_to_list(fun lists:map/2).
t_eta() -> lists:map(fun erlang:abs/1, [-1, 2]).
t_fun_in_data() -> M = #{f => fun(X) -> X + 1 end}, {F} = {fun() -> 5 end}, {(maps:get(f, M))(1), F(), (element(1, {fun() -> x end}))()}.
t_fun_guards() -> F = fun(X) when is_list(X), X =/= []; is_map(X) -> yes; (_) -> no end, [F(X) || X <- [[], [1], #{}, a]].
t_iif() -> (fun(X, Y) -> X - Y end)(5, 3).
t_many_free() -> [A, B, C, D, E, F, G, H, I, J, K, L] = id(lists:seq(1, 12)), X = fun(Y) -> {A, B, C, D, E, F, G, H, I, J, K, L, Y} end, X(13).
t_fun_modifies_nothing() -> X = id([1]), F = fun(Y) -> [Y | X] end, {F(2), F(3), X}.

t_body_recursion() -> len(lists:seq(1, 1000)).
len([]) -> 0;
len([_ | T]) -> 1 + len(T).
t_deep_recursion() -> deep(1000000).
deep(0) -> 0;
deep(N) -> 1 + deep(N - 1).
t_deep_tuple() -> tdepth(mk(100000, {}), 0).
mk(0, A) -> A;
mk(N, A) -> mk(N - 1, {A}).
tdepth({}, N) -> N;
tdepth({X}, N) -> tdepth(X, N + 1).
t_deep_list_building() -> length(build(500000)).
build(0) -> [];
build(N) -> [N | build(N - 1)].
t_tail_loop() -> tail(10000000, 0).
tail(0, A) -> A;
tail(N, A) -> tail(N - 1, A + 1).
t_mutual() -> {even(100001), odd(100001)}.
even(0) -> true;
even(N) -> odd(N - 1).
odd(0) -> false;
odd(N) -> even(N - 1).
t_mutual_non_tail() -> hof(1000).
hof(0) -> 1;
hof(N) -> N - hom(hof(N - 1)).
hom(0) -> 0;
hom(N) -> N - hof_small(N div 2).
hof_small(N) -> N rem 7.
t_ackermann() -> ack(2, 9).
ack(0, N) -> N + 1;
ack(M, 0) -> ack(M - 1, 1);
ack(M, N) -> ack(M - 1, ack(M, N - 1)).
t_fib() -> fib(21).
fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
t_hanoi() -> length(hanoi(10, a, b, c)).
hanoi(0, _, _, _) -> [];
hanoi(N, A, B, C) -> hanoi(N - 1, A, C, B) ++ [{A, B} | hanoi(N - 1, C, B, A)].
t_queens() -> length(queens(6)).
queens(N) -> queens(N, lists:seq(1, N)).
queens(0, _) -> [[]];
queens(N, All) -> [[Q | Qs] || Qs <- queens(N - 1, All), Q <- All -- Qs, safe(Q, Qs, 1)].
safe(_, [], _) -> true;
safe(Q, [Q1 | Qs], D) -> abs(Q - Q1) =/= D andalso safe(Q, Qs, D + 1).
t_sort() -> qs([3, 1, 2.0, a, "x", {}, 2]).
qs([]) -> [];
qs([P | T]) -> qs([X || X <- T, X < P]) ++ [P] ++ qs([X || X <- T, X >= P]).
t_primes() -> sieve(lists:seq(2, 200)).
sieve([]) -> [];
sieve([P | T]) -> [P | sieve([X || X <- T, X rem P =/= 0])].
t_argument_swap() -> swap(5, a, b, c).
swap(0, A, B, C) -> {A, B, C};
swap(N, A, B, C) -> swap(N - 1, C, A, B).
t_garbage() -> lists:foldl(fun(N, A) -> B = lists:seq(1, N rem 100), [hd(lists:reverse([N | B])) | lists:sublist(A, 10)] end, [], lists:seq(1, 20000)).

t_receive() -> self() ! {a, 1}, self() ! {b, 2}, receive {b, X} -> receive {a, Y} -> {X, Y} end end.
t_receive_order() -> [self() ! X || X <- [1, 2, 3]], [receive X -> X end || _ <- [1, 2, 3]].
t_selective() -> [self() ! X || X <- [1, a, 2, b, 3]], {[receive X when is_atom(X) -> X end || _ <- [1, 2]], [receive X -> X end || _ <- [1, 2, 3]]}.
t_receive_after() -> receive nothing -> never after 10 -> timeout end.
t_receive_after_zero() -> self() ! x, {receive y -> y after 0 -> none end, receive x -> x after 0 -> none end, receive x -> x after 0 -> none end}.
t_receive_after_infinity() -> self() ! x, receive x -> got after infinity -> never end.
t_receive_after_expression() -> T = id(5), receive z -> z after T * 2 -> {waited, T} end.
t_receive_bad_timeout() -> [c(fun() -> receive z -> z after id(T) -> t end end) || T <- [a, -1, 1.0, 1 bsl 40]].
t_receive_only_after() -> receive after 1 -> done end.
t_receive_guard() -> [self() ! X || X <- [1, 5, 10]], R = receive X when X > 4 -> X end, {R, receive Y -> Y end}.
t_receive_bound() -> R = make_ref(), self() ! {other, 1}, self() ! {R, 2}, receive {R, X} -> X end.
t_receive_in_function() -> self() ! {x, 1}, self() ! {y, 2}, {get_tag(y), get_tag(x)}.
get_tag(T) -> receive {T, V} -> V after 100 -> none end.
t_receive_nested_case() -> self() ! {op, 1}, self() ! {op, stop}, loop([]).
loop(A) -> receive {op, stop} -> lists:reverse(A); {op, N} when is_integer(N) -> loop([N | A]) end.
t_receive_binds() -> self() ! {1, 2}, receive {A, B} -> ok end, {A, B}.
t_receive_map() -> self() ! #{k => 1}, receive #{k := V} -> V end.
t_receive_binary() -> self() ! <<1, 2>>, receive <<A, B>> -> {A, B} end.
t_ping_pong() -> Me = self(), P = spawn(fun() -> pong(Me) end), [begin P ! {ping, N}, receive {pong, M} -> M end end || N <- lists:seq(1, 20)].
pong(To) -> receive {ping, N} -> To ! {pong, N * N}, pong(To) end.
t_ring() -> Me = self(), Last = lists:foldl(fun(_, To) -> spawn(fun() -> receive N -> To ! N + 1 end end) end, Me, lists:seq(1, 50)), Last ! 0, receive N -> N end.
t_spawn_results() -> Me = self(), Ps = [spawn(fun() -> Me ! {self(), N * 2} end) || N <- [1, 2, 3]], [receive {P, V} -> V end || P <- Ps].
t_many_messages() -> [self() ! N || N <- lists:seq(1, 2000)], lists:sum([receive N -> N end || _ <- lists:seq(1, 2000)]).
t_link_exit() -> process_flag(trap_exit, true), P = spawn_link(fun() -> exit(bye) end), receive {'EXIT', P, R} -> R end.
t_monitor() -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, process, P, W} -> W end.
t_dictionary() -> {put(k, 1), get(k), put(k, 2), erase(k), get(k), get_keys()}.
t_dictionary_is_own() -> put(x, 1), Me = self(), spawn(fun() -> Me ! {got, get(x)} end), receive {got, V} -> {V, get(x)} end.
t_registered() -> register(me, self()), me ! hello, R = receive hello -> whereis(me) =:= self() end, unregister(me), {R, whereis(me)}.
t_self_send_value() -> {self() ! x, receive x -> y end, (self() ! {z}) =:= {z}}.
t_binding_in_arguments() -> {X = id(1), Y = id(2)}, X + Y.
t_block() -> begin A = 1, B = begin C = 2, C + A end end, {A, B}.
t_sequence_effects() -> put(s, []), E = fun(X) -> put(s, [X | get(s)]), X end, {E(1), [E(2), E(3) | E([4])], #{E(k) => E(v)}, E(5) + E(6), E(a) =:= E(b)}, get(s).
t_nested_case() -> [case X of {A, B} -> case A of 1 -> case B of 2 -> deep; _ -> {b, B} end; _ when B > 5 -> big; _ -> {a, A} end; _ -> none end || X <- [{1, 2}, {1, 3}, {2, 6}, {2, 1}, 5]].
t_case_in_case_arg() -> case case id(1) of 1 -> {x, 2}; _ -> y end of {x, N} -> N; y -> none end.
t_case_value_used() -> X = case id(2) of 1 -> a; 2 -> b end, Y = if X =:= b -> c; true -> d end, {X, Y}.
t_fun_maker() ->
    Me = self(),
    X = id(1),
    Mine = fun() -> X end,
    Child = spawn(fun() -> Me ! {made, fun() -> X end, fun() -> ok end, Mine} end),
    receive
        {made, Free, Closed, Passed} ->
            Sent = binary_to_term(term_to_binary(Free)),
            Makers = [M || F <- [Free, Closed, Passed, Sent], {pid, M} <- [erlang:fun_info(F, pid)]],
            {[M =:= Child || M <- Makers], [M =:= Me || M <- Makers], Sent =:= Free, Free =:= Mine}
    end.
