%% What the runtime tells of itself and of processes, to those who test it.
-module(inspection).
-export([tests/0]).
-export([
    binaries/0, info_items/0, parents/0, catch_levels/0, reductions/0, sensitive/0, collections/0,
    hibernated/0, least_heap/0, links/0, monitors/0, long_atoms/0, raised_depth/0, native/0,
    yields/0, from_core/0, made_ready/0, not_made_ready/0
]).
-export([idle/0]).

tests() ->
    [
        binaries, info_items, parents, catch_levels, reductions, sensitive, collections, hibernated,
        least_heap, links, monitors, long_atoms, raised_depth, native, yields, from_core, made_ready,
        not_made_ready
    ].

id(X) -> X.

binaries() ->
    erts_debug:set_internal_state(available_internal_state, true),
    Info = fun(B) -> erts_debug:get_internal_state({binary_info, B}) end,
    Filtered = << <<X>> || X <- id([1, 2, 3]), X > 1 >>,
    Res = [setelement(4, Info(Filtered), flags), Info(id(<<"small">>))],
    erts_debug:set_internal_state(available_internal_state, false),
    Res.

info_items() ->
    P = spawn(fun idle/0),
    Items = [parent, backtrace, magic_ref, catchlevel, suspending, reductions, heap_size],
    Res = [{Item, kind(Value)} || {Item, Value} <- process_info(P, Items)],
    exit(P, kill),
    Res.

idle() -> receive stop -> ok end.

kind(X) when is_pid(X) -> pid;
kind(X) when is_binary(X) -> binary;
kind(X) when is_integer(X) -> integer;
kind(X) -> X.

parents() ->
    Me = self(),
    P = spawn(fun idle/0),
    {parent, Parent} = process_info(P, parent),
    exit(P, kill),
    Parent =:= Me.

catch_levels() ->
    Level = fun() -> element(2, process_info(self(), catchlevel)) end,
    A = Level(),
    {B, C} = try {Level(), catch id(Level())} catch _:_ -> none end,
    {B - A, C - A, Level() - A}.

reductions() ->
    {reductions, A} = process_info(self(), reductions),
    _ = lists:foldl(fun(X, Y) -> X + Y end, 0, lists:seq(1, 1000)),
    {reductions, B} = process_info(self(), reductions),
    {B - A > 900, erlang:bump_reductions(1000), try erlang:bump_reductions(-1) catch X:Y -> {X, Y} end}.

sensitive() ->
    Me = self(),
    P = spawn(fun() -> put(a, b), process_flag(sensitive, true), Me ! ready, receive never -> ok end end),
    receive ready -> ok end,
    P ! hidden,
    Res = [process_info(P, Item) || Item <- [dictionary, messages, backtrace, message_queue_len]],
    exit(P, kill),
    Res.

collections() ->
    P = spawn(fun idle/0),
    A = erlang:garbage_collect(P),
    B = erlang:garbage_collect(P, [{async, here}]),
    C = receive {garbage_collect, here, R} -> R after 1000 -> none end,
    D = erlang:garbage_collect(P, [{type, minor}]),
    {Q, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    E = erlang:garbage_collect(Q),
    F = [try G() catch X:Y -> {X, Y} end || G <- [
        fun() -> erlang:garbage_collect(x) end,
        fun() -> erlang:garbage_collect(P, [{type, none}]) end,
        fun() -> erlang:garbage_collect(P, x) end
    ]],
    exit(P, kill),
    {A, B, C, D, E, F}.

hibernated() ->
    P = spawn(fun() -> erlang:hibernate(?MODULE, idle, []) end),
    wait(P),
    {heap_size, Size} = process_info(P, heap_size),
    Res = {Size =< 8, process_info(P, current_function), process_info(P, status)},
    exit(P, kill),
    Res.

wait(P) ->
    case process_info(P, current_function) of
        {current_function, {erlang, hibernate, 3}} -> ok;
        _ -> receive after 10 -> wait(P) end
    end.

least_heap() ->
    P = spawn_opt(fun idle/0, [{min_heap_size, 15000}, {message_queue_data, off_heap}, {fullsweep_after, 7}]),
    {heap_size, Size} = process_info(P, heap_size),
    {garbage_collection, Items} = process_info(P, garbage_collection),
    Res = {Size >= 15000, process_info(P, message_queue_data), lists:keyfind(fullsweep_after, 1, Items)},
    exit(P, kill),
    Res.

links() ->
    erts_debug:set_internal_state(available_internal_state, true),
    P = spawn_link(fun idle/0),
    List = erts_debug:get_internal_state({link_list, self()}),
    Mine = [{Tag, Type, State} || {Tag, Type, Pid, State, _} <- List, Pid =:= P],
    unlink(P),
    exit(P, kill),
    erts_debug:set_internal_state(available_internal_state, false),
    Mine.

monitors() ->
    erts_debug:set_internal_state(available_internal_state, true),
    P = spawn(fun idle/0),
    register(inspection_idle, P),
    R = monitor(process, P),
    S = monitor(process, inspection_idle),
    Ours = [{T, D, Pid =:= P, X} || {erl_monitor, T, D, Ref, Pid, X} <- erts_debug:get_internal_state({monitor_list, self()}), Ref =:= R orelse Ref =:= S],
    exit(P, kill),
    erts_debug:set_internal_state(available_internal_state, false),
    lists:sort(Ours).

long_atoms() ->
    [try byte_size(atom_to_binary(binary_to_atom(B, E))) catch X:Y -> {X, Y} end || {B, E} <- [
        {<<0:255/unit:8>>, utf8}, {<<0:256/unit:8>>, utf8}, {<<0:256/unit:8>>, latin1},
        {<<0:512/unit:8, 255>>, utf8}, {<<0:200/unit:8, 255>>, utf8}, {<<255>>, utf8}
    ]].

raised_depth() ->
    Frame = {m, f, 1, []},
    Old = erlang:system_flag(backtrace_depth, 0),
    Least = try erlang:error(x) catch _:_:S0 -> length(S0) end,
    erlang:system_flag(backtrace_depth, 20),
    Res = try erlang:raise(error, x, lists:duplicate(30, Frame)) catch _:_:S -> length(S) end,
    erlang:system_flag(backtrace_depth, Old),
    {Least, Res, try erlang:raise(error, x, lists:duplicate(30, Frame)) catch _:_:S2 -> length(S2) end}.

native() ->
    {?MODULE:module_info(native), ?MODULE:module_info(native_addresses), ?MODULE:module_info(nifs)}.

yields() ->
    Me = self(),
    spawn(fun() -> Me ! other end),
    erlang:yield(),
    [id(a) || _ <- [1, 2], erlang:yield()].

%% Modules that are made while the program runs.

from_core() ->
    Core = cerl:c_module(cerl:c_atom(inspection_made), [cerl:c_fname(f, 1)], [
        {cerl:c_fname(f, 1), cerl:c_fun([cerl:c_var('X')], cerl:c_tuple([cerl:c_atom(ok), cerl:c_var('X')]))}
    ]),
    {ok, Module, Beam} = compile:forms(Core, [from_core, binary, debug_info]),
    {module, Module} = code:load_binary(Module, "inspection_made.erl", Beam),
    Res = Module:f(1),
    code:delete(Module),
    code:purge(Module),
    Res.

made_ready() ->
    load(inspection_ready, "init() -> persistent_term:put(inspection_ready, yes), ok.").

not_made_ready() ->
    load(inspection_unready, "init() -> persistent_term:put(inspection_unready, yes), no.").

load(Name, Init) ->
    Lines = [
        io_lib:format("-module(~p).", [Name]), "-export([f/0]).", "-on_load(init/0).", "f() -> here.", Init
    ],
    Forms = [begin {ok, Tokens, _} = erl_scan:string(lists:flatten(L)), {ok, Form} = erl_parse:parse_form(Tokens), Form end || L <- Lines],
    {ok, Name, Beam} = compile:forms(Forms, [binary]),
    Loaded = code:load_binary(Name, "made.erl", Beam),
    Res = {Loaded, persistent_term:get(Name, no), try Name:f() catch X:Y -> {X, Y} end},
    code:delete(Name),
    code:purge(Name),
    Res.
