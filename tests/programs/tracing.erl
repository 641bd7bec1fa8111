%% What a tracer is told: calls, returns, messages, processes. Pids are named by their role.
-module(tracing).
-export([tests/0]).
-export([
    global_calls/0, local_calls/0, returns/0, exceptions/0, return_to/0, conditions/0, actions/0,
    callers/0, meta/0, counts/0, builtins/0, tail_calls/0, silent/0, control_word/0, messages/0,
    processes/0, inherited/0, names/0, arities/0, two_tracers/0, tracer_gone/0, info/0, bad/0,
    spec_test/0, switched_off/0, fresh/0, scheduling/0, suspended/0, suspended_twice/0,
    links_at_exit/0, wildcards/0, times/0, hibernation/0, in_a_try/0, shared_condition/0
]).
-export([f/1, g/2, h/1, loop/2, thrower/1, caller/1, put_it/1]).

tests() ->
    [
        global_calls, local_calls, returns, exceptions, return_to, conditions, actions, callers,
        meta, counts, builtins, tail_calls, silent, control_word, messages, processes, inherited,
        names, arities, two_tracers, tracer_gone, info, bad, spec_test, switched_off, fresh,
        scheduling, suspended, suspended_twice, links_at_exit, wildcards, times, hibernation,
        in_a_try, shared_condition
    ].

f(X) -> {f, X}.
g(A, B) -> {f(A), ?MODULE:f(B)}.
h(X) -> inner(X) + 1.
inner(X) -> X * 2.
loop(0, Acc) -> Acc;
loop(N, Acc) -> loop(N - 1, [N | Acc]).
thrower(X) -> throw({thrown, X}).
caller(X) -> R = ?MODULE:f(X), [R].
put_it(X) -> put(key, integer_to_list(X)).

%% Runs a fun in a traced process; what the tracer heard, with pids named.
traced(Flags, Patterns, Fun) ->
    Me = self(),
    Tracee = spawn(fun() -> receive go -> ok end, Fun(), Me ! {done, self()}, receive stop -> ok end end),
    1 = erlang:trace(Tracee, true, Flags),
    Counts = [erlang:trace_pattern(M, S, O) || {M, S, O} <- Patterns],
    Tracee ! go,
    receive {done, Tracee} -> ok end,
    Ref = erlang:trace_delivered(Tracee),
    receive {trace_delivered, Tracee, Ref} -> ok end,
    catch erlang:trace(Tracee, false, [all]),
    [erlang:trace_pattern(M, false, O) || {M, _, O} <- Patterns],
    Tracee ! stop,
    {Counts, heard(Tracee)}.

heard(Tracee) ->
    receive
        M when element(1, M) =:= trace; element(1, M) =:= trace_ts ->
            [named(M, Tracee) | heard(Tracee)]
    after 0 -> []
    end.

named(M, Tracee) when is_tuple(M) ->
    list_to_tuple([name(E, Tracee) || E <- tuple_to_list(M)]).

name(P, P) -> tracee;
name(P, _) when P =:= self() -> tracer;
name(P, _) when is_pid(P) -> other;
name(R, _) when is_reference(R) -> reference;
name(F, _) when is_function(F) -> function;
name([H | T], P) -> [name(H, P) | name(T, P)];
name(T, P) when is_tuple(T) -> named(T, P);
name(T, _) -> T.

global_calls() ->
    traced([call], [{{?MODULE, f, 1}, true, []}], fun() -> ?MODULE:g(1, 2) end).

local_calls() ->
    traced([call], [{{?MODULE, f, 1}, true, [local]}, {{?MODULE, inner, 1}, [], [local]}], fun() ->
        ?MODULE:g(1, 2),
        h(3)
    end).

returns() ->
    Spec = [{'_', [], [{return_trace}]}],
    traced([call], [{{?MODULE, f, 1}, Spec, [local]}, {{?MODULE, g, 2}, Spec, [local]}], fun() ->
        ?MODULE:g(1, 2)
    end).

exceptions() ->
    Spec = [{'_', [], [{exception_trace}]}],
    traced([call], [{{?MODULE, thrower, 1}, Spec, [local]}, {{?MODULE, f, 1}, Spec, [local]}], fun() ->
        catch ?MODULE:thrower(1),
        ?MODULE:f(2),
        try thrower(3) catch throw:_ -> ok end
    end).

return_to() ->
    traced([call, return_to], [{{?MODULE, f, 1}, [], [local]}, {{?MODULE, g, 2}, [], [local]}], fun() ->
        ?MODULE:g(1, 2),
        caller(3),
        ok
    end).

in_a_try() ->
    traced([call, return_to], [{{?MODULE, thrower, 1}, [], [local]}], fun() ->
        caught(1),
        ok
    end).

caught(X) ->
    R = (catch ?MODULE:thrower(X)),
    [R].

conditions() ->
    Spec = [
        {['$1', '$1'], [{is_atom, '$1'}], [{message, '$1'}]},
        {['$1', '_'], [{'>', '$1', 10}], [{message, {{big, '$1'}}}]},
        {[1, '_'], [], [{message, false}]},
        {[2, '_'], [], [true]}
    ],
    traced([call], [{{?MODULE, g, 2}, Spec, []}], fun() ->
        ?MODULE:g(a, a), ?MODULE:g(a, b), ?MODULE:g(11, 1), ?MODULE:g(1, 1), ?MODULE:g(2, 2)
    end).

actions() ->
    Spec = [
        {[on], [], [{enable_trace, arity}, {message, '$_'}]},
        {[off], [], [{disable_trace, arity}]},
        {['$1'], [], [{message, '$$'}]}
    ],
    traced([call], [{{?MODULE, f, 1}, Spec, []}], fun() ->
        ?MODULE:f(1), ?MODULE:f(on), ?MODULE:f(2), ?MODULE:f(off), ?MODULE:f(3)
    end).

callers() ->
    Spec = [{'_', [], [{message, {caller}}]}],
    traced([call], [{{?MODULE, f, 1}, Spec, []}], fun() -> ?MODULE:caller(1), ok end).

meta() ->
    {Counts, Heard} = traced([send], [{{?MODULE, f, 1}, [{'_', [], [{return_trace}]}], [meta]}], fun() ->
        ?MODULE:f(1), f(2)
    end),
    {Counts, [setelement(tuple_size(M), M, time) || M <- Heard, element(1, M) =:= trace_ts]}.

counts() ->
    1 = erlang:trace_pattern({?MODULE, f, 1}, true, [call_count]),
    f(1), f(2), ?MODULE:f(3),
    A = erlang:trace_info({?MODULE, f, 1}, call_count),
    erlang:trace_pattern({?MODULE, f, 1}, pause, [call_count]),
    f(4),
    B = erlang:trace_info({?MODULE, f, 1}, call_count),
    erlang:trace_pattern({?MODULE, f, 1}, restart, [call_count]),
    f(5),
    C = erlang:trace_info({?MODULE, f, 1}, call_count),
    erlang:trace_pattern({?MODULE, f, 1}, false, [call_count]),
    {A, B, C, erlang:trace_info({?MODULE, f, 1}, call_count)}.

builtins() ->
    Spec = [{'_', [], [{return_trace}, {message, {caller}}]}],
    traced(
        [call, return_to],
        [{{erlang, integer_to_list, 1}, Spec, [local]}, {{erlang, put, 2}, [], [local]},
         {{erlang, atom_to_list, 1}, [{'_', [], [{exception_trace}]}], []}],
        fun() ->
            put_it(17),
            _ = (catch atom_to_list(get(key))),
            ok
        end
    ).

tail_calls() ->
    traced([call], [{{?MODULE, loop, 2}, [{'_', [], [{return_trace}]}], [local]}], fun() -> loop(3, []) end).

silent() ->
    Spec = [{[start], [], [{silent, false}]}, {[stop], [], [{silent, true}]}, {'_', [], []}],
    traced([call, silent], [{{?MODULE, f, 1}, Spec, []}], fun() ->
        ?MODULE:f(1), ?MODULE:f(start), ?MODULE:f(2), ?MODULE:f(stop), ?MODULE:f(3)
    end).

control_word() ->
    Old = erlang:system_flag(trace_control_word, 7),
    Spec = [{[set], [], [{message, {set_tcw, 9}}]}, {'_', [{'>', {get_tcw}, 7}], [{message, {get_tcw}}]}],
    Res = traced([call], [{{?MODULE, f, 1}, Spec, []}], fun() ->
        ?MODULE:f(1), ?MODULE:f(set), ?MODULE:f(2)
    end),
    {Old, Res, erlang:system_info(trace_control_word), erlang:system_flag(trace_control_word, 0),
     try erlang:system_flag(trace_control_word, -1) catch C:R -> {C, R} end}.

messages() ->
    {Pid, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, process, Pid, _} -> ok end,
    {_, Heard} = traced([send, 'receive'], [], fun() ->
        self() ! mine,
        receive mine -> ok end,
        Pid ! lost,
        catch (nobody_is_called_so ! lost)
    end),
    Heard.

processes() ->
    {_, Heard} = traced([procs], [], fun() ->
        process_flag(trap_exit, true),
        P = spawn_link(fun() -> receive stop -> ok end end),
        unlink(P),
        P ! stop,
        {Q, R} = spawn_monitor(?MODULE, f, [1]),
        receive {'DOWN', R, _, Q, _} -> ok end
    end),
    Heard.

inherited() ->
    {_, Heard} = traced([call, procs, set_on_spawn], [{{?MODULE, f, 1}, true, []}], fun() ->
        {Q, R} = spawn_monitor(fun() -> ?MODULE:f(child) end),
        receive {'DOWN', R, _, Q, _} -> ok end
    end),
    [M || M <- Heard, element(3, M) =/= 'receive'].

names() ->
    {_, Heard} = traced([procs], [], fun() ->
        register(tracing_some_name, self()),
        unregister(tracing_some_name)
    end),
    Heard.

arities() ->
    traced([call, arity], [{{?MODULE, g, 2}, true, []}], fun() -> ?MODULE:g(1, 2) end).

two_tracers() ->
    P = spawn(fun() -> receive stop -> ok end end),
    Other = spawn(fun() -> receive stop -> ok end end),
    1 = erlang:trace(P, true, [call]),
    Second = (catch erlang:trace(P, true, [send, {tracer, Other}])),
    Info = erlang:trace_info(P, flags),
    P ! stop, Other ! stop,
    {element(1, element(2, Second)), Info}.

tracer_gone() ->
    P = spawn(fun() -> receive stop -> ok end end),
    {Other, Ref} = spawn_monitor(fun() -> receive stop -> ok end end),
    1 = erlang:trace(P, true, [call, {tracer, Other}]),
    {tracer, Other} = erlang:trace_info(P, tracer),
    Other ! stop,
    receive {'DOWN', Ref, _, _, _} -> ok end,
    Res = {erlang:trace_info(P, tracer), erlang:trace_info(P, flags)},
    P ! stop,
    Res.

info() ->
    Spec = [{['$1'], [{is_atom, '$1'}], [{message, '$1'}]}],
    A = erlang:trace_info({?MODULE, f, 1}, traced),
    1 = erlang:trace_pattern({?MODULE, f, 1}, Spec, [local]),
    B = [erlang:trace_info({?MODULE, f, 1}, K) || K <- [traced, match_spec, meta, meta_match_spec, call_count, all]],
    1 = erlang:trace_pattern({?MODULE, f, 1}, false, [local]),
    1 = erlang:trace_pattern({?MODULE, f, 1}, true, [global]),
    C = erlang:trace_info({?MODULE, f, 1}, traced),
    1 = erlang:trace_pattern({?MODULE, f, 1}, false, [global]),
    D = erlang:trace_info({?MODULE, no_such, 1}, traced),
    P = spawn(fun() -> receive stop -> ok end end),
    1 = erlang:trace(P, true, [call, send, procs, timestamp]),
    E = erlang:trace_info(P, flags),
    {F, _} = {lists:sort(element(2, E)), P ! stop},
    {A, B, C, D, F, erlang:trace_info({?MODULE, f, 1}, all)}.

bad() ->
    P = spawn(fun() -> receive stop -> ok end end),
    Tries = [
        fun() -> erlang:trace(P, maybe, [call]) end,
        fun() -> erlang:trace(P, true, [no_such_flag]) end,
        fun() -> erlang:trace(nobody, true, [call]) end,
        fun() -> erlang:trace(P, true, call) end,
        fun() -> erlang:trace(P, true, [{tracer, x}]) end,
        fun() -> erlang:trace_pattern({?MODULE, f}, true, []) end,
        fun() -> erlang:trace_pattern({?MODULE, f, 1}, [{wrong}], []) end,
        fun() -> erlang:trace_pattern({?MODULE, f, 1}, true, [global, local]) end,
        fun() -> erlang:trace_pattern({?MODULE, f, 1}, [{'_', [], []}], [call_count]) end,
        fun() -> erlang:trace_pattern({'_', f, 1}, true, []) end,
        fun() -> erlang:trace_pattern({?MODULE, no_such, 1}, true, []) end,
        fun() -> erlang:trace_info(P, no_such) end,
        fun() -> erlang:trace_delivered(x) end
    ],
    Res = [try F() catch C:R -> {C, R} end || F <- Tries],
    P ! stop,
    Res.

spec_test() ->
    [
        erlang:match_spec_test(A, S, trace)
     || {A, S} <- [
            {[a, b], [{['$1', '$2'], [], [{message, {{'$2', '$1'}}}]}]},
            {[a, b], [{['$1', '$1'], [], []}]},
            {[a], [{'_', [], [{return_trace}, {exception_trace}]}]},
            {[a], [{['$1'], [{is_atom, '$1'}], []}]},
            {[a], [{'_', [{message, 1}], []}]},
            {[a], [{'_', [], [{message}]}]},
            {[a], [{'_', [], [{caller}]}]},
            {[a], [{'_', [], [{message, {caller}}]}]},
            {[a], [{'_', [], [{no_such_function, 1}]}]},
            {[a], [{'_', [], [{silent, true}]}]},
            {[a], []}
        ]
    ].

switched_off() ->
    Spec = [{[stop], [], [{trace, [call], []}]}, {'_', [], []}],
    traced([call], [{{?MODULE, f, 1}, Spec, []}], fun() ->
        ?MODULE:f(1), ?MODULE:f(stop), ?MODULE:f(2)
    end).

fresh() ->
    _ = erlang:trace(new, true, [procs]),
    A = erlang:trace_info(new, flags),
    {P, R} = spawn_monitor(?MODULE, f, [1]),
    receive {'DOWN', R, _, _, _} -> ok end,
    _ = erlang:trace(new, false, [procs]),
    {A, heard(P), erlang:trace_info(new, flags)}.

scheduling() ->
    {_, Heard} = traced([running], [], fun() -> receive after 1 -> ok end end),
    Events = [element(3, M) || M <- Heard],
    {hd(Events), lists:member(out, Events), lists:all(fun(M) -> tuple_size(M) =:= 4 end, Heard)}.

suspended() ->
    Me = self(),
    P = spawn(fun() -> receive go -> Me ! went end end),
    true = erlang:suspend_process(P),
    P ! go,
    A = receive went -> went after 10 -> waits end,
    {status, S} = process_info(P, status),
    {suspending, [{P, N, 0}]} = process_info(self(), suspending),
    true = erlang:resume_process(P),
    B = receive went -> went after 1000 -> waits end,
    {A, S, N, B, try erlang:resume_process(self()) catch X:Y -> {X, Y} end}.

suspended_twice() ->
    P = spawn(fun() -> receive stop -> ok end end),
    A = erlang:suspend_process(P),
    B = erlang:suspend_process(P, [unless_suspending]),
    C = erlang:suspend_process(P, []),
    erlang:resume_process(P),
    {status, S} = process_info(P, status),
    erlang:resume_process(P),
    D = (catch erlang:resume_process(P)),
    P ! stop,
    {A, B, C, S, element(1, element(2, D)), [try F() catch X:Y -> {X, Y} end || F <- [
        fun() -> erlang:suspend_process(self()) end,
        fun() -> erlang:suspend_process(x) end,
        fun() -> erlang:suspend_process(self(), [no_such]) end
    ]]}.

links_at_exit() ->
    {_, Heard} = traced([procs], [], fun() ->
        process_flag(trap_exit, true),
        P = spawn_link(fun() -> exit(over) end),
        receive {'EXIT', P, over} -> ok end
    end),
    Heard.

wildcards() ->
    A = erlang:trace_pattern({?MODULE, g, '_'}, true, [local]),
    B = erlang:trace_pattern({?MODULE, '_', '_'}, true, [global]),
    N = length(?MODULE:module_info(exports)),
    _ = erlang:trace_pattern({?MODULE, '_', '_'}, false, [global]),
    _ = erlang:trace_pattern({?MODULE, g, '_'}, false, [local]),
    {A, B =:= N, erlang:trace_info({?MODULE, g, 2}, traced)}.

times() ->
    {_, [A]} = traced([call, timestamp], [{{?MODULE, f, 1}, true, []}], fun() -> ?MODULE:f(1) end),
    {_, [B]} = traced([call, monotonic_timestamp], [{{?MODULE, f, 1}, true, []}], fun() -> ?MODULE:f(1) end),
    {_, [C]} = traced([call, strict_monotonic_timestamp], [{{?MODULE, f, 1}, true, []}], fun() -> ?MODULE:f(1) end),
    Shape = fun(M) -> {setelement(5, M, time), case element(5, M) of
        {_, _, _} -> three; {_, _} -> two; T when is_integer(T) -> one end} end,
    [Shape(M) || M <- [A, B, C]].

hibernation() ->
    Me = self(),
    P = spawn(fun() -> receive go -> ok end, erlang:hibernate(erlang, apply, [fun() -> receive on -> ok end, ?MODULE:f(1), Me ! done end, []]) end),
    1 = erlang:trace(P, true, [call]),
    1 = erlang:trace_pattern({?MODULE, f, 1}, [{'_', [], [{return_trace}]}], []),
    P ! go, P ! on,
    receive done -> ok end,
    _ = erlang:trace_pattern({?MODULE, f, 1}, false, []),
    heard(P).

%% One condition for functions of several arities, which outlives much garbage.
shared_condition() ->
    Spec = [{['$1'], [{'=:=', '$1', {const, [text, "of", {the, [condition]}]}}], [{message, {const, "told"}}]}],
    {_, Heard} = traced([call], [{{?MODULE, '_', '_'}, Spec, [local]}], fun() ->
        [begin
            _ = lists:seq(1, 100000),
            ?MODULE:f([text, "of", {the, [condition]}])
        end || _ <- lists:seq(1, 20)]
    end),
    Heard.
