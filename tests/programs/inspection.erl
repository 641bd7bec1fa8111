%% What the runtime tells of itself and of processes, to those who test it.
-module(inspection).
-export([tests/0]).
-export([
    binaries/0, info_items/0, parents/0, catch_levels/0, reductions/0, sensitive/0, collections/0,
    hibernated/0, least_heap/0, links/0, monitors/0, long_atoms/0, raised_depth/0, native/0,
    yields/0, from_core/0, made_ready/0, not_made_ready/0, literals/0, dirty/0, long_builtins/0,
    tables/0, nameless/0, held_collections/0, hashes/0, closures/0, texts_of_closures/0,
    counted_collections/0, long_mailbox/0, foreign/0, large_closures/0
]).
-export([idle/0]).

tests() ->
    [
        closures, texts_of_closures, counted_collections, long_mailbox, foreign, large_closures, binaries,
        info_items, parents, catch_levels, reductions, sensitive, collections, hibernated,
        least_heap, links, monitors, long_atoms, raised_depth, native, yields, from_core, made_ready,
        not_made_ready, literals, dirty, long_builtins, tables, nameless, held_collections, hashes
    ].

id(X) -> X.

binaries() ->
    erts_debug:set_internal_state(available_internal_state, true),
    Info = fun(B) -> erts_debug:get_internal_state({binary_info, B}) end,
    Filtered = << <<X>> || X <- id([1, 2, 3]), X > 1 >>,
    Unsized = [
        << <<X/utf8>> || X <- id("abc") >>,
        << <<X:X>> || X <- id([1, 2, 3]) >>,
        << <<X>> || {X, _} <- id([{1, 2}]) >>,
        << <<X>> || L <- id([[1]]), X <- L >>
    ],
    Made = [setelement(4, Info(B), flags) || B <- [Filtered | Unsized]],
    Res = Made ++ [Info(id(<<"small">>))],
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

literals() ->
    persistent_term:put(literals, lists:seq(1, id(10))),
    Stored = persistent_term:get(literals),
    Res = [
        {erts_debug:size_shared(X), erts_debug:flat_size(X)}
     || X <- [Stored, [Stored], id({a, "constant"}), lists:seq(1, 10)]
    ],
    persistent_term:erase(literals),
    Res.

dirty() ->
    Wait = spawn(fun() -> erts_debug:dirty_io(wait, 1000) end),
    timer:sleep(100),
    Status = process_info(Wait, [status, current_function]),
    exit(Wait, kill),
    Sent = erts_debug:dirty_cpu(send, self()),
    Me = self(),
    [
        Status, Sent, receive {ok, Me} -> sent end, erts_debug:dirty_cpu(scheduler, type),
        erts_debug:dirty_io(scheduler, type), erts_debug:dirty_io(reschedule, 10),
        (try erts_debug:dirty_io(reschedule, 11) catch A:B -> {A, B} end),
        (try erts_debug:dirty_io(error, badarith) catch C:D -> {C, D} end)
    ].

long_builtins() ->
    Pairs = [{X, X} || X <- lists:seq(1, 100000)],
    Map = maps:from_list(Pairs),
    Bytes = binary:copy(<<0>>, 3000000),
    [
        paused({maps, from_list, 1}, fun() -> maps:from_list(Pairs) end),
        paused({maps, keys, 1}, fun() -> maps:keys(Map) end),
        begin
            {_, A} = process_info(self(), reductions),
            _ = id(<<1, Bytes/binary>>),
            {_, B} = process_info(self(), reductions),
            B - A > 2000
        end
    ].

%% Whether a process that does this pauses in the builtin.
paused(Builtin, Fun) ->
    Me = self(),
    {P, M} = spawn_monitor(fun() ->
        erlang:trace(self(), true, [running, {tracer, Me}]),
        Fun()
    end),
    receive {'DOWN', M, _, _, _} -> ok end,
    Done = erlang:trace_delivered(P),
    receive {trace_delivered, P, Done} -> ok end,
    length([out || {trace, _, out, MFA} <- flush(), MFA =:= Builtin]) > 2.

flush() -> receive X -> [X | flush()] after 0 -> [] end.

tables() ->
    Fill = fun(Options) ->
        T = ets:new(t, Options),
        [ets:insert(T, {X, integer_to_list(X)}) || X <- lists:seq(1, 1000)],
        T
    end,
    [Set, Ordered] = [Fill([Kind]) || Kind <- [set, ordered_set]],
    Many = ets:new(t, [public, {write_concurrency, auto}]),
    ets:insert(Ordered, {z}),
    Locks = fun(Options) ->
        Option = {write_concurrency, {debug_hash_fixed_number_of_locks, 1000}},
        T = ets:new(t, [Option | Options]),
        {ets:info(T, write_concurrency), ets:info(T, decentralized_counters)}
    end,
    ets:safe_fixtable(Set, true),
    Slots = element(1, ets:info(Set, stats)),
    ets:delete_all_objects(Set),
    Large = ets:new(t, []),
    Binary = binary:copy(<<"large">>, 100),
    ets:insert(Large, [{1, Binary}, {2, [Binary]}, {3, <<"small">>}]),
    [
        [ets:info(T, memory) || T <- [Fill([bag]), Fill([ordered_set]), ets:new(t, [])]],
        ets:info(Many, decentralized_counters),
        [(try Locks(O) catch A:B -> {A, B} end) || O <- [[public], [private], [public, ordered_set]]],
        [(try ets:F(T, '$end_of_table') catch X:Y -> {X, Y} end) || F <- [next, prev], T <- [Ordered]],
        Slots =:= element(1, ets:info(Set, stats)),
        [Size || {_, Size, _} <- ets:info(Large, binary)]
    ].

%% One process of the system has no name.
nameless() ->
    Calls = [process_info(P, initial_call) || P <- processes()],
    [P] = [P || P <- processes(),
                process_info(P, initial_call) =:= {initial_call, {erts_literal_area_collector, start, 0}}],
    Ref = make_ref(),
    P ! {get_status, Ref, self()},
    receive {Ref, Status} -> {length(Calls) > 1, Status} end.

held_collections() ->
    Was = erts_debug:set_internal_state(available_internal_state, true),
    Me = self(),
    P = spawn_link(fun() ->
        true = erts_debug:set_internal_state(gc_state, false),
        Me ! off,
        receive after 100 -> ok end,
        Me ! on,
        false = erts_debug:set_internal_state(gc_state, true),
        receive stop -> ok end
    end),
    receive off -> ok end,
    async = erlang:garbage_collect(P, [{async, later}]),
    First = receive on -> on; {garbage_collect, later, _} -> too_soon end,
    Then = receive {garbage_collect, later, It} -> It end,
    unlink(P),
    exit(P, kill),
    erts_debug:set_internal_state(available_internal_state, Was),
    {First, Then}.

hashes() ->
    Was = erts_debug:set_internal_state(available_internal_state, true),
    Res = [erts_debug:get_internal_state({internal_hash, X}) || X <- [0, 1, -1, 77674392, 1 bsl 58]],
    Least = erts_debug:get_internal_state(min_unique_monotonic_integer),
    erts_debug:set_internal_state(available_internal_state, Was),
    {Res, Least}.

%% Closures have the numbers of the table in the module's file.
closures() ->
    <<Unique:27, _/bits>> = ?MODULE:module_info(md5),
    N = length(processes()),
    Made = [fun(X) -> X + N end, fun tests/0, fun() -> fun(Y) -> {N, Y} end end, (made(fun() -> fun(Z) -> Z end end))(),
            made(fun Self(Q) -> {Self, Q} end)],
    [{erlang:fun_info(F, name), erlang:fun_info(F, index), erlang:fun_info(F, new_index), erlang:fun_info(F, uniq) =:= {uniq, Unique}}
     || F <- Made].

made(X) -> X.

texts_of_closures() ->
    F = made(fun(X) -> {X} end),
    Again = binary_to_term(term_to_binary(F)),
    "#Fun<" ++ Text = erlang:fun_to_list(F),
    [Module, Index, Unique] = string:lexemes(Text, ".>"),
    {Module, {index, list_to_integer(Index)} =:= erlang:fun_info(F, index), {uniq, list_to_integer(Unique)} =:= erlang:fun_info(F, uniq),
     Again(1), Again =:= F}.

%% What was collected is counted.
counted_collections() ->
    {Before, _, 0} = statistics(garbage_collection),
    counted_collections(Before).

counted_collections(Before) ->
    _ = lists:seq(1, 100000),
    erlang:garbage_collect(),
    case statistics(garbage_collection) of
        {After, Reclaimed, 0} when After > Before, Reclaimed > 0 -> true;
        _ -> counted_collections(Before)
    end.

%% Receives that ask for references, nested deeper than there are places to remember where to begin.
long_mailbox() ->
    [self() ! {old, N} || N <- lists:seq(1, 100000)],
    Echo = spawn_link(fun echo/0),
    Answers = [nested(Echo, 30) || _ <- lists:seq(1, 30)],
    exit(Echo, normal),
    {lists:usort(Answers), process_info(self(), message_queue_len), receive {old, N} -> N end}.

echo() ->
    receive {From, Reference, What} -> From ! {Reference, What}, echo() end.

nested(_, 0) ->
    done;
nested(Echo, N) ->
    Reference = make_ref(),
    Echo ! {self(), Reference, N},
    Inner = nested(Echo, N - 1),
    receive {Reference, N} -> Inner end.

%% Who holds what is of other nodes.
foreign() ->
    _ = erts_debug:set_internal_state(available_internal_state, true),
    Pid = binary_to_term(<<131, 88, 119, 5, "a@b.c", 1:32, 2:32, 3:32>>),
    Table = ets:new(foreign, []),
    Counts = [begin ets:insert(Table, {N, Pid, [Pid]}), held() end || N <- [1, 2]],
    ets:delete(Table),
    After = held(),
    _ = erts_debug:set_internal_state(available_internal_state, false),
    {Counts, After}.

held() ->
    {{node_references, Nodes}, {dist_references, _}} = erts_debug:get_internal_state(node_and_dist_references),
    case lists:keyfind({'a@b.c', 3}, 1, Nodes) of
        {_, _, Holders} -> lists:sum([N || {_, Held} <- Holders, {ets, N} <- Held]);
        false -> 0
    end.

%% Closures that hold as much as one can, and more.
large_closures() ->
    [{Arity, N, is_function(catch binary_to_term(written(Arity, N)), Arity)} || {Arity, N} <- [{0, 255}, {1, 255}, {0, 256}, {255, 0}]].

written(Arity, N) ->
    Held = binary:copy(<<97, 7>>, N),
    Pid = <<103, 119, 13, "nonode@nohost", 1:32, 0:32, 0>>,
    Closure = <<Arity, 0:128, Arity:32, N:32, 119, 1, "m", 97, 0, 97, 0, Pid/binary, Held/binary>>,
    <<131, 112, (byte_size(Closure) + 4):32, Closure/binary>>.
