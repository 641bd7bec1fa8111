%% Several versions of one module: loaded, deleted, purged, and who runs them.
-module(versions).
-export([tests/0]).
-export([two/0, refused/0, deleted/0, purged/0, spared/0, told/0, funs/0, same_again/0, waits/0,
         prepared/0, wrong/0, tasks/0, named/0]).

tests() ->
    [two, refused, deleted, purged, spared, told, funs, same_again, waits, prepared, wrong, tasks, named].

-define(M, versions_made).

%% A module that knows its number, can wait for somebody to ask, and makes funs.
code(N) ->
    Texts = ["-module(versions_made).", "-export([number/0, loop/0, maker/0]).",
             "number() -> " ++ integer_to_list(N) ++ ".",
             "loop() -> receive {P, R} -> P ! {R, number()}, loop(); stop -> ok end.",
             "maker() -> X = number(), fun() -> {made_by, X} end."],
    Forms = [begin {ok, Ts, _} = erl_scan:string(T), {ok, F} = erl_parse:parse_form(Ts), F end
             || T <- Texts],
    {ok, ?M, Bin} = compile:forms(Forms),
    Bin.

clean() ->
    code:purge(?M), code:delete(?M), code:purge(?M), ok.

load(N) -> code:load_binary(?M, "versions_made.erl", code(N)).

ask(P) ->
    R = make_ref(),
    P ! {self(), R},
    receive {R, N} -> N after 1000 -> silent end.

ended(M) -> receive {'DOWN', M, process, _, Why} -> Why after 1000 -> alive end.

caught(F) -> try F() catch C:R -> {C, R} end.

two() ->
    clean(),
    {module, ?M} = load(1),
    P = spawn(?M, loop, []),
    1 = ask(P),
    {module, ?M} = load(2),
    Q = spawn(?M, loop, []),
    Res = {ask(P), ask(Q), ?M:number(), erlang:check_old_code(?M),
           erlang:check_process_code(P, ?M), erlang:check_process_code(Q, ?M),
           erlang:check_process_code(self(), ?M)},
    [X ! stop || X <- [P, Q]],
    clean(),
    {Res, erlang:check_old_code(?M), erlang:module_loaded(?M)}.

refused() ->
    clean(),
    A = erlang:load_module(?M, code(1)),
    B = erlang:load_module(?M, code(2)),
    C = erlang:load_module(?M, code(3)),
    N = ?M:number(),
    D = caught(fun() -> erlang:delete_module(?M) end),
    E = code:delete(?M),
    clean(),
    {A, B, C, N, D, E}.

deleted() ->
    clean(),
    {module, ?M} = load(1),
    P = spawn(?M, loop, []),
    1 = ask(P),
    A = {erlang:delete_module(?M), caught(fun() -> erlang:delete_module(?M) end), code:delete(?M),
         ask(P)},
    B = caught(fun() -> ?M:number() end),
    M = monitor(process, P),
    C = {code:purge(?M), ended(M), erlang:check_old_code(?M), erlang:delete_module(?M)},
    {A, B, C, clean()}.

purged() ->
    clean(),
    {module, ?M} = load(1),
    P = spawn(?M, loop, []),
    M = monitor(process, P),
    1 = ask(P),
    {module, ?M} = load(2),
    A = {erlang:purge_module(?M), ended(M), ?M:number()},
    B = caught(fun() -> erlang:purge_module(?M) end),
    C = {erts_code_purger:purge(?M), code:purge(?M)},
    {A, B, C, clean()}.

%% Loading a third version kills who runs the first.
spared() ->
    clean(),
    {module, ?M} = load(1),
    P = spawn(?M, loop, []),
    M = monitor(process, P),
    1 = ask(P),
    {module, ?M} = load(2),
    A = {code:soft_purge(?M), erts_code_purger:soft_purge(?M), ask(P)},
    {module, ?M} = load(3),
    B = {ended(M), ?M:number(), code:soft_purge(?M), erlang:check_old_code(?M)},
    {A, B, clean()}.

told() ->
    clean(),
    {module, ?M} = load(1),
    P = spawn(?M, loop, []),
    1 = ask(P),
    {module, ?M} = load(2),
    async = erlang:check_process_code(P, ?M, [{async, mine}]),
    A = receive {check_process_code, mine, Is} -> Is after 1000 -> none end,
    B = caught(fun() -> erlang:check_process_code(P, ?M, [foo]) end),
    P ! stop,
    {A, B, clean()}.

funs() ->
    clean(),
    {module, ?M} = load(1),
    F = ?M:maker(),
    {module, ?M} = load(2),
    G = ?M:maker(),
    A = {F(), G()},
    false = code:purge(?M),
    B = try F() catch C:{R, _} -> {C, R} end,
    C1 = G(),
    clean(),
    %% Nobody knows where to find the module again.
    {A, B, C1, try G() catch D:E:S -> {D, E, element(1, hd(S)) =:= G, element(2, hd(S))} end}.

%% A fun of a version that is loaded again reaches the new copy of it.
same_again() ->
    clean(),
    {module, ?M} = load(1),
    F = ?M:maker(),
    {module, ?M} = load(1),
    A = F(),
    false = code:purge(?M),
    B = F(),
    clean(),
    {A, B}.

%% While somebody purges, calls of funs wait.
waits() ->
    clean(),
    {module, ?M} = load(1),
    F = ?M:maker(),
    {module, ?M} = load(2),
    Me = self(),
    R = make_ref(),
    _ = erts_code_purger:soft_purge(no_such_module),
    erts_code_purger ! {test_purge, ?M, self(), true, R},
    receive {started, R} -> ok end,
    spawn(fun() -> Me ! {called, try F() catch C:{W, _} -> {C, W} end} end),
    A = receive {called, X} -> X after 50 -> waiting end,
    erts_code_purger ! {continue, R},
    receive {continued, R} -> ok end,
    erts_code_purger ! {complete, R},
    receive {test_purge, T, R} -> ok end,
    B = receive {called, Y} -> Y after 1000 -> waiting end,
    {A, B, T, clean()}.

prepared() ->
    clean(),
    A = erlang:prepare_loading(?M, code(1)),
    B = caught(fun() -> erlang:finish_loading([A, A]) end),
    C = erlang:finish_loading([A]),
    D = erlang:finish_loading([erlang:prepare_loading(?M, code(2))]),
    E = erlang:finish_loading([erlang:prepare_loading(?M, code(3))]),
    clean(),
    {is_reference(A), B, C, D, E}.

wrong() ->
    [caught(F) || F <- [
        fun() -> erlang:check_old_code(1) end, fun() -> code:purge(1) end,
        fun() -> code:soft_purge("x") end, fun() -> code:delete(1) end,
        fun() -> erlang:delete_module(1) end, fun() -> erlang:delete_module(no_such_module) end,
        fun() -> code:delete(no_such_module) end, fun() -> code:purge(no_such_module) end,
        fun() -> code:soft_purge(no_such_module) end, fun() -> erlang:purge_module(1) end,
        fun() -> erlang:check_process_code(a, b) end,
        fun() -> erlang:check_process_code(self(), 1) end]].

tasks() ->
    Dead = spawn(fun() -> ok end),
    M = monitor(process, Dead),
    receive {'DOWN', M, process, Dead, _} -> ok end,
    Ask = fun(P, Prio, What) ->
        caught(fun() ->
            ok = erts_internal:request_system_task(P, Prio, What),
            receive {_, here, _} = Answer -> Answer after 1000 -> none end
        end)
    end,
    [Ask(self(), normal, {check_process_code, here, lists}),
     Ask(Dead, low, {check_process_code, here, lists}),
     Ask(self(), high, {garbage_collect, here, major}),
     Ask(Dead, max, {garbage_collect, here, minor}),
     Ask(self(), wrong, {garbage_collect, here, major})].

%% Whoever loads a module says where it is from.
named() ->
    clean(),
    {module, ?M} = code:load_binary(?M, cover_compiled, code(1)),
    A = {code:which(?M), lists:keyfind(?M, 1, code:all_loaded())},
    {module, ?M} = code:load_binary(?M, "/some/where.beam", code(1)),
    B = {code:which(?M), code:is_loaded(?M)},
    clean(),
    {A, B, caught(fun() -> code:load_binary(?M, here, <<1, 2, 3>>) end), code:is_loaded(?M)}.
