%% The agent of the tool inside OTP: it turns modules into Core Erlang, and applies functions.
%%
%% It is parsed form by form without a preprocessor, so it uses no macros and no includes. It exchanges
%% frames with a length field of four bytes on a port of its own. Standard input and output are not used,
%% so that the output of a program cannot disturb a frame.
-module(gimlet_agent).
-export([main/1, out/1, out/2]).
-export([outside/3, dynamic/3, refused/2, undefined_function/3, undefined_lambda/3]).
-export([start/1, start/3, start_link/1, start_link/3, start_monitor/1, start_monitor/3]).
-export([start_opt/2, start_opt/4]).
-export([dictionary/0, erase_dictionary/0, dictionary_keys/0, dictionary_keys/1]).

main(Port) ->
    process_flag(trap_exit, true),
    %% The agent must be scheduled whatever a program starts.
    process_flag(priority, high),
    register(gimlet_agent, self()),
    %% Otherwise the timer server would start with the first timer and count as a process left behind by
    %% a program.
    timer:start(),
    reply(Port, 0, term_to_binary({ready, info()})),
    loop(Port, spawn_link(fun sink/0), registered(), #{}).

%% `Names` are the processes registered at the start; `Code` has the modules loaded since.
loop(Port, Sink, Names, Code) ->
    receive
        {loaded, Module, Path, Beam} ->
            loop(Port, Sink, Names, Code#{Module => {Path, Beam}});
        {Port, {data, <<Id:32, 0:32, Body/binary>>}} ->
            run(binary_to_term(Body)),
            reply(Port, Id, term_to_binary(running)),
            loop(Port, Sink, registered(), Code);
        {Port, {data, <<Id:32, Limit:32, Body/binary>>}} ->
            Heard = heard(Sink),
            Answer = limited(Port, Heard, Limit, Body, Code),
            %% If a registered process of the runtime is missing, later answers cannot be trusted.
            reply(Port, Id, case Names -- registered() of [] -> Answer; _ -> damaged(Answer) end),
            loop(Port, Heard, Names, Code);
        {Port, eof} ->
            erlang:halt(0);
        {'EXIT', Port, _} ->
            erlang:halt(0);
        _ ->
            loop(Port, Sink, Names, Code)
    end.

%% Starts the applications that run as long as the runtime. One that cannot be started is missing in the
%% machine, too.
run({Environment, Loaded, Started}) ->
    application:set_env(Environment, [{persistent, true}]),
    [application:load(Described) || Described <- Loaded],
    [application:ensure_all_started(Name) || Name <- Started].

heard(Sink) ->
    case is_process_alive(Sink) of
        true -> Sink;
        false -> spawn_link(fun sink/0)
    end.

damaged(Answer) -> term_to_binary({damaged, binary_to_term(Answer)}, [{minor_version, 2}]).

reply(Port, Id, Answer) ->
    port_command(Port, [<<Id:32>>, Answer]).

%% Handles a request in a process of its own, so that its time and memory are limited and its exit
%% signals do not reach the agent.
limited(Port, Sink, Limit, Body, Code) ->
    Agent = self(),
    Before = processes(),
    Run = fun() ->
        group_leader(Sink, self()),
        Answer =
            case binary_to_term(Body) of
                {on, Nodes, Request} -> on(Nodes, Request, Limit, Code);
                Request -> answer(Request)
            end,
        Agent ! {answer, self(), term_to_binary(Answer, [{minor_version, 2}])}
    end,
    {Pid, Ref} = spawn_opt(Run, [monitor, {max_heap_size, heap(2000000000)}]),
    End = erlang:monotonic_time(millisecond) + Limit,
    Outcome = await(Port, Pid, Ref, {computed(), End}, Before),
    exit(Pid, kill),
    receive {'DOWN', Ref, process, Pid, _} -> ok after 1000 -> erlang:demonitor(Ref, [flush]) end,
    receive {answer, Pid, _} -> ok after 0 -> ok end,
    sweep(Before, 20),
    Outcome.

%% The heap of a process has a limit; the memory of binaries, tables and other processes is polled.
await(Port, Pid, Ref, {Computed, End} = Times, Before) ->
    Left = max(0, End - erlang:monotonic_time(millisecond)),
    receive
        {answer, Pid, Answer} -> Answer;
        {abort, Answer} -> term_to_binary(Answer);
        {'DOWN', Ref, process, Pid, Reason} -> term_to_binary({exited, Reason});
        {Port, eof} -> erlang:halt(0)
    after min(Left, 25) ->
        IsLarge = erlang:memory(total) > 2000000000,
        if
            IsLarge -> term_to_binary({exited, killed});
            Left =< 25 -> term_to_binary(timeout(processes() -- Before, computed() - Computed));
            true -> await(Port, Pid, Ref, Times, Before)
        end
    end.

%% Returns what these processes did in so many milliseconds on processors. Waiting takes no reductions. A process
%% within a native operation makes none either and can't be asked; a millisecond counts as a thousand of them.
timeout(Pids, Computed) ->
    Asking = fun() -> exit({reductions, reductions(Pids)}) end,
    {Asked, Ref} = spawn_monitor(Asking),
    receive
        {'DOWN', Ref, process, Asked, {reductions, Count}} ->
            {timeout, max(Count, Computed * 1000), waiting}
    after 200 ->
        erlang:demonitor(Ref, [flush]),
        exit(Asked, kill),
        {timeout, Computed * 1000, computing}
    end.

%% Returns the milliseconds that all threads of the runtime have been on processors.
computed() ->
    element(1, erlang:statistics(runtime)).

%% Returns the reductions of these processes. Waiting takes none.
reductions(Pids) ->
    lists:sum([Count || Pid <- Pids, {reductions, Count} <- [process_info(Pid, reductions)]]).

%% Kills the processes that a request has started, and those started meanwhile.
sweep(_, 0) ->
    erlang:halt(1);
sweep(Before, Rounds) ->
    case erlang:system_info(process_count) > length(Before) of
        true ->
            Kill = fun(Pid) -> Ref = monitor(process, Pid), exit(Pid, kill), Ref end,
            Refs = [Kill(Pid) || Pid <- processes() -- Before],
            [receive {'DOWN', Ref, process, _, _} -> ok after 1000 -> ok end || Ref <- Refs],
            Refs =:= [] orelse sweep(Before, Rounds - 1);
        false ->
            ok
    end.

heap(Bytes) ->
    #{size => Bytes div erlang:system_info(wordsize), kill => true, error_logger => false}.

read_config(Path, Options) ->
    case filelib:is_regular(Path) of
        true -> 'Elixir.Config.Reader':'read!'(Path, Options);
        false -> []
    end.

%% Handles a request that needs several nodes.
on(Nodes, {replay, Module, Function, Text}, Limit, Code) ->
    on(Nodes, Text, fun(Args) -> {gimlet_nodes, call, [Module, Function, Args]} end, Limit, Code);
on(Nodes, {follow, Module, Function, Text, Steps}, Limit, Code) ->
    Follow = fun(Args) -> {gimlet_token, run, [Module, Function, Args, Steps]} end,
    on(Nodes, Text, Follow, Limit, Code).

on(Nodes, Text, Call, Limit, Code) ->
    Loaded = [{Module, Path, Beam} || {Module, {Path, Beam}} <- maps:to_list(Code)],
    case arguments(Text) of
        {ok, Args} -> gimlet_nodes:on(Nodes, Loaded, Call(Args), Limit);
        error -> unreadable
    end.

answer({apply, Module, Function, Args}) ->
    try {value, apply(Module, Function, Args)}
    catch Class:Reason:Trace -> {raised, Class, Reason, trim(Trace)}
    end;
answer({replay, Module, Function, Text}) ->
    case arguments(Text) of
        {ok, Args} ->
            process_flag(max_heap_size, heap(500000000)),
            answer({apply, Module, Function, Args});
        error ->
            unreadable
    end;
answer({touches, Module, Function, Text, Named}) ->
    case arguments(Text) of
        {ok, Args} -> touches(Module, Function, Args, Named);
        error -> nothing
    end;
answer({use_beam, Module, Path}) ->
    case file:read_file(Path) of
        {ok, Beam} -> use(Module, Path, Beam);
        {error, Why} -> {unusable, text(file:format_error(Why))}
    end;
answer({use_source, Module, Path, Options}) ->
    Source = unicode:characters_to_list(Path),
    case compile:noenv_file(Source, [binary, debug_info, return_errors | options(Options)]) of
        {ok, _, Beam} -> use(Module, Path, Beam);
        {ok, _, Beam, _} -> use(Module, Path, Beam);
        _ -> {unusable, <<"the compiler refused it">>}
    end;
answer({helper, Source}) ->
    Forms = scanned(unicode:characters_to_list(Source), 1, []),
    {ok, Module, Beam} = compile:noenv_forms(Forms, [binary]),
    use(Module, <<(atom_to_binary(Module))/binary, ".erl">>, Beam);
answer({take_turns, Module}) ->
    case code:get_object_code(Module) of
        {Module, Beam, Path} ->
            code:unstick_mod(Module),
            take_turns(Module, unicode:characters_to_binary(Path), Beam);
        error ->
            {unusable, <<"it has no file">>}
    end;
answer({take_turns, Module, Path, beam}) ->
    case file:read_file(Path) of
        {ok, Beam} -> take_turns(Module, Path, Beam);
        {error, Why} -> {unusable, text(file:format_error(Why))}
    end;
answer({take_turns, Module, Path, Options}) ->
    Source = unicode:characters_to_list(Path),
    case compile:noenv_file(Source, [binary, debug_info, return_errors | options(Options)]) of
        {ok, _, Beam} -> take_turns(Module, Path, Beam);
        {ok, _, Beam, _} -> take_turns(Module, Path, Beam);
        _ -> {unusable, <<"the compiler refused it">>}
    end;
answer({follow, Module, Function, Text, Steps}) ->
    case arguments(Text) of
        {ok, Args} -> gimlet_token:run(Module, Function, Args, Steps);
        error -> unreadable
    end;
answer({watch, Path, beam, Watched, First}) ->
    case file:read_file(Path) of
        {ok, Beam} -> watch(Beam, Watched, First);
        {error, Why} -> {unreadable, text(file:format_error(Why))}
    end;
answer({watch, Path, Options, Watched, First}) ->
    Source = unicode:characters_to_list(Path),
    case compile:noenv_file(Source, [binary, debug_info, return_errors | options(Options)]) of
        {ok, _, Beam} -> watch(Beam, Watched, First);
        {ok, _, Beam, _} -> watch(Beam, Watched, First);
        {error, Errors, _} -> {compile_errors, messages(Errors)}
    end;
answer({load_beam, Path}) ->
    load_beam(Path);
answer({load_binary, Beam}) ->
    %% A module made from Core Erlang or assembly has no forms that could be compiled.
    case from_beam(Beam, []) of
        {module, _, _} = Loaded -> Loaded;
        _ -> from_assembly(Beam)
    end;
answer({load_source, Path, Options}) ->
    load_source(unicode:characters_to_list(Path), Options);
answer({load_text, Source}) ->
    Forms = scanned(unicode:characters_to_list(Source), 1, []),
    {ok, _, Beam} = compile:noenv_forms(Forms, [binary, debug_info]),
    from_beam(Beam, []);
answer({configuration, Path, Runtime, Env}) ->
    {ok, _} = application:ensure_all_started(elixir),
    Options = [{env, binary_to_atom(Env)}, {target, host}],
    try
        Compiled = read_config(Path, Options),
        Late =
            try read_config(Runtime, [{imports, disabled} | Options])
            %% The configuration for releases may be incomplete.
            catch _:_ -> []
            end,
        {configuration, 'Elixir.Config.Reader':merge(Compiled, Late)}
    catch
        error:Reason:Trace ->
            Exception = 'Elixir.Exception':normalize(error, Reason, Trace),
            {unreadable, 'Elixir.Exception':message(Exception)};
        Class:Reason ->
            {unreadable, text(io_lib:format("~tp: ~tp", [Class, Reason]))}
    end;
answer({compile_elixir, Path}) ->
    {ok, _} = application:ensure_all_started(elixir),
    'Elixir.Code':put_compiler_option(debug_info, true),
    'Elixir.Code':put_compiler_option(ignore_module_conflict, true),
    Self = self(),
    Each = fun(_, Module, Beam) -> Self ! {gimlet_compiled, Module, Beam} end,
    case 'Elixir.Kernel.ParallelCompiler':compile([Path], [{each_module, Each}]) of
        {ok, Modules, _} ->
            Compiled = [receive {gimlet_compiled, M, Beam} -> {M, Beam} end || M <- Modules],
            %% The compiler has loaded them, perhaps in place of modules of the same name.
            [code:purge(M) || M <- Modules, code:delete(M)],
            {modules, Compiled};
        {error, Errors, _} ->
            {compile_errors, [elixir_error(E) || E <- Errors]}
    end;
answer({add_paths, Paths}) ->
    code:add_pathsa(lists:reverse([unicode:characters_to_list(P) || P <- Paths])),
    done;
answer({define, Module, Core}) ->
    define(Module, Core);
answer({scope, Rows, Own, Alone, Lasting}) ->
    Modules = maps:from_list(
        [{M, {lasting, Names}} || {M, Names} <- Lasting] ++
            [{M, own} || M <- Own] ++ [{M, both} || M <- Alone]
    ),
    persistent_term:put(gimlet_scope, {maps:from_list(Rows), Modules}),
    done;
answer({alone, Module}) ->
    {Rows, Modules} = persistent_term:get(gimlet_scope),
    persistent_term:put(gimlet_scope, {Rows, Modules#{Module => outside}}),
    done;
answer({rewritten, Module, Core, File}) ->
    case compile:noenv_forms(with_file(Core, File), [from_core, binary, return_errors]) of
        {ok, _, Beam} -> compiled(Module, Beam);
        {ok, _, Beam, _} -> compiled(Module, Beam);
        {error, Errors, _} -> {unusable, text(lists:join("\n", messages(Errors)))};
        error -> {unusable, <<"the compiler refused it">>}
    end;
answer({use_binary, Module, Beam}) ->
    use(Module, <<"gimlet">>, Beam);
answer({run, Module, Function, Args, Heap}) ->
    run(Module, Function, Args, Heap);
answer({run_text, Module, Function, Text, Heap}) ->
    case arguments(Text) of
        {ok, Args} -> run(Module, Function, Args, Heap);
        error -> {refused, <<"an input that can't be written down">>}
    end;
answer({observe, Module, Function, Args}) ->
    put(gimlet_events, []),
    End =
        try {value, apply(Module, Function, Args)}
        catch Class:Reason -> {raised, Class, Reason}
        end,
    {observed, End, lists:reverse(get(gimlet_events))};
answer(info) ->
    {info, info()}.

%% Returns the first of the named functions that a call reaches, also in processes that it starts.
touches(Module, Function, Args, Named) ->
    process_flag(max_heap_size, heap(500000000)),
    Self = self(),
    Witness = spawn(fun() -> witness(none) end),
    Known = [MFA || {M, _, _} = MFA <- Named, is_tuple(code:ensure_loaded(M))],
    [erlang:trace_pattern(MFA, true, [local]) || MFA <- Known],
    Traced = try erlang:trace(Self, true, [call, set_on_spawn, {tracer, Witness}]) of
        _ -> true
    catch
        error:badarg -> false
    end,
    try apply(Module, Function, Args) catch _:_ -> ok end,
    Traced andalso erlang:trace(Self, false, [all]),
    [erlang:trace_pattern(MFA, false, [local]) || MFA <- Known],
    Delivered = erlang:trace_delivered(all),
    receive {trace_delivered, all, Delivered} -> ok end,
    Witness ! {first, Self},
    receive {first, First} -> First end.

witness(First) ->
    receive
        {trace, _, call, {M, F, Args}} when First =:= none -> witness({touches, {M, F, length(Args)}});
        {trace, _, call, _} -> witness(First);
        {first, From} when First =:= none -> From ! {first, nothing};
        {first, From} -> From ! {first, First};
        _ -> witness(First)
    end.

%% Rewrites a module so that it reports its reductions; returns it with its places.
watch(Beam, Watched, First) ->
    case forms(Beam) of
        {ok, Module, Forms} ->
            {New, Places} = gimlet_watch:rewrite(Forms, Watched, First),
            case to_core(Beam, Module, New, []) of
                {module, Code, _} -> {watched, Code, Places};
                Other -> Other
            end;
        Other ->
            Other
    end.

%% Rewrites a module so that its processes wait for their turns if a token is passed around.
take_turns(Module, Path, Beam) ->
    case forms(Beam) of
        {ok, Module, Forms} ->
            Rewritten = [tolerant(Form) || Form <- gimlet_token:rewrite(Forms)],
            case compile:noenv_forms(Rewritten, [binary, return_errors]) of
                {ok, _, New} -> use(Module, Path, New);
                {ok, _, New, _} -> use(Module, Path, New);
                _ -> {unusable, <<"the compiler refused it">>}
            end;
        {_, Why} ->
            {unusable, Why}
    end.

scanned(Text, Line, Forms) ->
    case erl_scan:tokens([], Text, Line) of
        {done, {ok, Tokens, Next}, Rest} ->
            {ok, Form} = erl_parse:parse_form(Tokens),
            scanned(Rest, Next, [Form | Forms]);
        _ ->
            lists:reverse(Forms)
    end.

%% Rewritten code --------------------------------------------------------------------------
%%
%% Modules under test keep their names; the rewritten copy of an OTP module is called `gimlet lists`, so
%% that OTP itself uses the original. The results that a process got from outside are in its dictionary,
%% the newest first.

run(Module, Function, Args, Heap) ->
    process_flag(max_heap_size, heap(Heap)),
    process_flag(error_handler, gimlet_agent),
    put(gimlet_log, []),
    put(gimlet_path, 0),
    End =
        try dynamic(Module, Function, Args) of
            Value -> {value, Value}
        catch Class:Reason:Trace -> {raised, Class, Reason, clean(Trace)}
        end,
    {ran, End, get(gimlet_log), get(gimlet_path), get_keys(gimlet_seen)}.

compiled(Module, Beam) ->
    case use(Module, <<"gimlet">>, Beam) of
        done -> {compiled, Beam};
        Unusable -> Unusable
    end.

%% Calls code that is not rewritten, and logs the result; calls back into rewritten code are not logged.
outside(Module, Function, Args) ->
    Called = {original(Module), Function, length(Args)},
    Log = put(gimlet_log, []),
    Path = erase(gimlet_path),
    try apply(Module, Function, Args) of
        Value -> note({Called, Value}, Log, Path), Value
    catch Class:Reason:Trace ->
        Clean = clean(Trace),
        note({Called, Class, Reason, Clean}, Log, Path),
        erlang:raise(Class, Reason, Clean)
    end.

note(_, undefined, _) -> erase(gimlet_log);
note(Entry, Log, undefined) -> put(gimlet_log, [Entry | Log]);
note(Entry, Log, Path) -> put(gimlet_path, Path), put(gimlet_log, [Entry | Log]).

%% Processes that a program starts are subject to the same restrictions as the program.
start(Fun) -> spawn(begins(Fun)).
start(Module, Function, Args) -> start(fun_of(Module, Function, Args)).
start_link(Fun) -> spawn_link(begins(Fun)).
start_link(Module, Function, Args) -> start_link(fun_of(Module, Function, Args)).
start_monitor(Fun) -> spawn_monitor(begins(Fun)).
start_monitor(Module, Function, Args) -> start_monitor(fun_of(Module, Function, Args)).
start_opt(Fun, Options) -> spawn_opt(begins(Fun), Options).
start_opt(Module, Function, Args, Options) -> start_opt(fun_of(Module, Function, Args), Options).

begins(Fun) when is_function(Fun) ->
    fun() ->
        process_flag(error_handler, gimlet_agent),
        Fun()
    end;
begins(Other) ->
    Other.

fun_of(Module, Function, Args) when is_atom(Module), is_atom(Function), length(Args) >= 0 ->
    fun() -> dynamic(Module, Function, Args) end;
fun_of(_, _, _) ->
    none.

%% Returns the dictionary without entries of the tool.
dictionary() ->
    [Entry || {Key, Value} = Entry <- get(), not hidden(Key), Value =/= gimlet_seen].

erase_dictionary() ->
    Entries = dictionary(),
    [erase(Key) || {Key, _} <- Entries],
    Entries.

dictionary_keys() -> [Key || {Key, _} <- dictionary()].

dictionary_keys(Value) -> [Key || Key <- get_keys(Value), not hidden(Key)].

hidden(gimlet_log) -> true;
hidden(gimlet_path) -> true;
hidden(_) -> false.

%% Makes a call whose target only the run knows.
dynamic(Module, Function, Args) when is_atom(Module), is_atom(Function), is_list(Args) ->
    case placed(Module, Function, Args) of
        both -> apply(Module, Function, Args);
        outside -> outside(Module, Function, Args);
        rewritten -> apply(name(Module), Function, Args);
        {Name} -> apply(gimlet_agent, Name, Args);
        What -> refused(What, Args)
    end;
dynamic(Module, Function, Args) ->
    apply(Module, Function, Args).

placed(Module, Function, Args) ->
    {Rows, Modules} = persistent_term:get(gimlet_scope),
    Key = {Module, Function, try length(Args) catch error:badarg -> improper end},
    case {Rows, Modules} of
        {#{Key := Placed}, _} -> Placed;
        {_, #{Module := own}} -> both;
        {_, #{Module := {lasting, Names}}} ->
            case lists:member(Function, Names) of
                true -> atom_to_binary(Function);
                false -> elsewhere(Module)
            end;
        {_, #{Module := Placed}} -> Placed;
        _ -> elsewhere(Module)
    end.

elsewhere(Module) when Module =:= erlang; Module =:= erts_internal; Module =:= erts_debug -> outside;
elsewhere(_) -> rewritten.

name(Module) -> binary_to_atom(<<"gimlet ", (atom_to_binary(Module))/binary>>).

original(Module) ->
    case atom_to_binary(Module) of
        <<"gimlet plain ", Name/binary>> -> binary_to_atom(Name);
        <<"gimlet ", Name/binary>> -> binary_to_atom(Name);
        _ -> Module
    end.

refused(What, _) -> abort({refused, What}).

%% Aborts the run in a way that the program cannot catch; the run does not count.
abort(Why) ->
    gimlet_agent ! {abort, Why},
    receive after infinity -> ok end.

undefined_function(Module, Function, Args) ->
    Original = original(Module),
    {_, Modules} = persistent_term:get(gimlet_scope),
    IsAlone = maps:get(Original, Modules, none) =:= outside,
    case Original =:= Module orelse erlang:module_loaded(Module) of
        true -> error_handler:undefined_function(Original, Function, Args);
        false when IsAlone -> outside(Original, Function, Args);
        false -> abort({need, Original})
    end.

undefined_lambda(Module, Fun, Args) -> error_handler:undefined_lambda(Module, Fun, Args).

%% Returns a trace without frames of the tool.
clean(Trace) ->
    [{original(M), F, A, L} || {M, F, A, L} <- Trace, M =/= gimlet_agent].

%% Annotations are sent without the name of the main file.
with_file(List, File) when is_list(List) ->
    [with_file(Item, File) || Item <- List];
with_file({c_literal, _, _} = Literal, _) ->
    Literal;
with_file(Node, File) when is_tuple(Node), is_atom(element(1, Node)), tuple_size(Node) > 2 ->
    [Kind, Anno | Parts] = tuple_to_list(Node),
    HasLine = lists:any(fun({L, C}) -> is_integer(L) andalso is_integer(C); (L) -> is_integer(L) end, Anno),
    Placed =
        case HasLine andalso not lists:keymember(file, 1, Anno) of
            true -> Anno ++ [{file, File}];
            false -> Anno
        end,
    list_to_tuple([Kind, Placed | [with_file(Part, File) || Part <- Parts]]);
with_file({Name, Fun}, File) ->
    {Name, with_file(Fun, File)};
with_file(Other, _) ->
    Other.

%% Records an event of an instrumented program.
out(Event) -> put(gimlet_events, [Event | get(gimlet_events)]).

out(Event, Value) -> put(gimlet_events, [{Event, Value} | get(gimlet_events)]).

%% Compiles Core Erlang and loads the result as the module.
define(Module, Core) ->
    case compile:noenv_forms(Core, [from_core, binary, no_copt, return_errors]) of
        {ok, _, Beam} -> compiled(Module, Beam);
        {ok, _, Beam, _} -> compiled(Module, Beam);
        {error, Errors, _} -> {unusable, text(lists:join("\n", messages(Errors)))};
        error -> {unusable, <<"the compiler refused it">>}
    end.

%% Evaluates the arguments, since they may contain funs.
arguments(Text) ->
    try
        {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list([Text, "."])),
        {ok, Exprs} = erl_parse:parse_exprs(Tokens),
        {value, Args, _} = erl_eval:exprs(Exprs, erl_eval:new_bindings()),
        {ok, Args}
    catch
        _:_ -> error
    end.

%% Loads the module so that calls reach it.
use(Module, Path, Beam) ->
    _ = code:purge(Module),
    case has(Module, Beam) orelse code:load_binary(Module, unicode:characters_to_list(Path), Beam) of
        true -> done;
        {module, _} -> gimlet_agent ! {loaded, Module, Path, Beam}, done;
        {error, Why} -> {unusable, text(io_lib:format("~tp", [Why]))}
    end.

%% Whether the runtime has this code already: modules of OTP cannot be loaded again.
has(Module, Beam) ->
    case {beam_lib:md5(Beam), catch Module:module_info(md5)} of
        {{ok, {Module, Md5}}, Md5} -> code:is_sticky(Module);
        _ -> false
    end.

%% Drops the frames below the function that was called, which belong to the tool.
trim([{gimlet_agent, _, _, _} | _]) -> [];
trim([Frame | Rest]) -> [Frame | trim(Rest)];
trim([]) -> [].

info() ->
    Release = erlang:system_info(otp_release),
    Root = code:root_dir(),
    File = filename:join([Root, "releases", Release, "OTP_VERSION"]),
    Version =
        case file:read_file(File) of
            {ok, Text} -> string:trim(Text);
            {error, _} -> Release
        end,
    Paths = [P || P <- code:get_path(), filename:pathtype(P) =:= absolute],
    Erts = filename:join([Root, "lib", "erts-" ++ erlang:system_info(version), "ebin"]),
    {text(Release), text(Version), text(erlang:system_info(version)), text(Root),
        [text(P) || P <- Paths ++ [Erts]]}.

text(Chars) -> unicode:characters_to_binary(Chars).

%% The group leader of applied functions: discards output, and reports the end of input.
sink() ->
    receive
        {io_request, From, ReplyAs, Request} ->
            From ! {io_reply, ReplyAs, sink_reply(Request)},
            sink();
        {'EXIT', _, _} ->
            ok;
        _ ->
            sink()
    end.

sink_reply({put_chars, Chars}) ->
    sink_reply({put_chars, latin1, Chars});
sink_reply({put_chars, Module, Function, Args}) ->
    sink_reply({put_chars, latin1, Module, Function, Args});
%% Refuses data that is not text, as a terminal or a file would.
sink_reply({put_chars, Encoding, Chars}) ->
    written(Encoding, Chars, {put_chars, Encoding, Chars});
sink_reply({put_chars, Encoding, io_lib, Function, Args}) ->
    written(Encoding, catch apply(io_lib, Function, Args), Function);
sink_reply({requests, Requests}) when is_list(Requests) ->
    all_of(Requests);
sink_reply(Request) when is_tuple(Request) ->
    case element(1, Request) of
        put_chars -> ok;
        setopts -> ok;
        get_geometry -> {error, enotsup};
        _ -> eof
    end;
sink_reply(getopts) -> [];
sink_reply(_) -> {error, request}.

written(Encoding, Chars, What) ->
    case catch unicode:characters_to_binary(Chars, Encoding) of
        Text when is_binary(Text) -> ok;
        _ -> {error, What}
    end.

all_of([Request | Rest]) ->
    case sink_reply(Request) of
        {error, _} = Error -> Error;
        Last when Rest =:= [] -> Last;
        _ -> all_of(Rest)
    end;
all_of(_) ->
    ok.

%% Loading -----------------------------------------------------------------------------------

load_beam(Path) ->
    case file:read_file(Path) of
        {ok, Beam} ->
            case from_beam(Beam, []) of
                {module, Code, []} -> {module, Code, readers(Path, Beam)};
                Other -> Other
            end;
        {error, Why} ->
            {unreadable, text(file:format_error(Why))}
    end.

%% Returns the file itself, and the module that reads its debug info if that is not part of the runtime.
readers(Path, Beam) ->
    case beam_lib:chunks(Beam, [debug_info]) of
        {ok, {_, [{debug_info, {debug_info_v1, Backend, _}}]}} ->
            case files_of([Backend]) of
                [] -> [];
                Files -> [Path | Files]
            end;
        _ ->
            []
    end.

%% Returns the files of these modules and of all modules they call, except for those of the runtime. The
%% result of a parse transform depends on all of them.
files_of(Modules) ->
    Root = filename:join(code:root_dir(), "lib"),
    files_of(Modules, Root, #{}).

files_of([Module | Rest], Root, Seen) when is_map_key(Module, Seen) ->
    files_of(Rest, Root, Seen);
files_of([Module | Rest], Root, Seen) ->
    File = code:which(Module),
    case is_list(File) andalso File =/= [] andalso not lists:prefix(Root, File) of
        true -> files_of(called(File) ++ Rest, Root, Seen#{Module => File});
        false -> files_of(Rest, Root, Seen#{Module => none})
    end;
files_of([], _, Seen) ->
    lists:sort([text(File) || File <- maps:values(Seen), File =/= none]).

called(File) ->
    case beam_lib:chunks(File, [imports]) of
        {ok, {_, [{imports, Imports}]}} -> lists:usort([Module || {Module, _, _} <- Imports]);
        _ -> []
    end.

%% Compiles the whole module with debug info first: MD5 and attributes are then the same as on BEAM, and
%% the module is treated like any other.
load_source(Path, #{rebar := Configs} = Given) ->
    Options = options(Given),
    case compile:noenv_file(Path, [binary, debug_info, return_errors | Options]) of
        {ok, _, Beam} -> from_beam(Beam, needed(Path, Configs, Options));
        {ok, _, Beam, _} -> from_beam(Beam, needed(Path, Configs, Options));
        {error, Errors, _} -> {compile_errors, messages(Errors)};
        error -> {compile_errors, [text([Path, ": the compiler refused it"])]}
    end.

%% Returns the files that the code depends on besides the source and its includes: the project's options
%% and the parse transforms. The compiler removes the names of transforms from the forms, so the source
%% is read again.
needed(Path, Configs, Options) ->
    Macros = [{Name, Value} || {d, Name, Value} <- Options] ++ [Name || {d, Name} <- Options],
    Includes = [filename:dirname(Path) | [Dir || {i, Dir} <- Options]],
    Forms =
        case epp:parse_file(Path, [{includes, Includes}, {macros, Macros}]) of
            {ok, Read} -> Read;
            {error, _} -> []
        end,
    Named = lists:flatten([Option || {attribute, _, compile, Option} <- Forms]),
    Kinds = [parse_transform, core_transform],
    Transforms = [M || {Kind, M} <- Options ++ Named, lists:member(Kind, Kinds)],
    Included = lists:usort([File || {attribute, _, file, {File, _}} <- Forms, File =/= Path]),
    Absent = lists:append([passed_over(File, Includes) || File <- Included]),
    [text(Path) | Configs] ++ files_of([M || M <- Transforms, is_atom(M)]) ++
        [text(File) || File <- lists:usort(Absent)].

%% Returns the files that would be included instead if they existed: the directories are searched for an
%% include in order.
passed_over(File, Dirs) ->
    Below = [{Dir, Name} || Dir <- Dirs, Name <- below(filename:absname(Dir), filename:absname(File))],
    [
        filename:absname(Name, First)
     || {Dir, Name} <- Below, First <- lists:takewhile(fun(It) -> It =/= Dir end, Dirs)
    ].

below(Dir, File) ->
    case lists:prefix(Dir ++ "/", File) of
        true -> [lists:nthtail(length(Dir) + 1, File)];
        false -> []
    end.

options(#{rebar := Configs, includes := Includes, defines := Defines}) ->
    Rebar = lists:append([rebar_options(unicode:characters_to_list(C)) || C <- Configs]),
    Given = uniq([define(D) || D <- Defines]),
    Names = [element(2, D) || D <- Given],
    User = [{i, unicode:characters_to_list(I)} || I <- Includes] ++ Given,
    % The compiler refuses a macro that is defined twice; the command line takes precedence.
    User ++ uniq([O || O <- Rebar, not is_define(O, Names)]).

is_define(Option, Names) ->
    is_tuple(Option) andalso element(1, Option) =:= d andalso lists:member(element(2, Option), Names).

uniq([]) -> [];
uniq([First | Rest]) -> [First | uniq([It || It <- Rest, It =/= First])].

define({Name, none}) ->
    {d, binary_to_atom(Name, utf8)};
define({Name, Value}) ->
    Chars = unicode:characters_to_list(Value),
    Term =
        case erl_scan:string(Chars ++ ".") of
            {ok, Tokens, _} ->
                case erl_parse:parse_term(Tokens) of
                    {ok, Parsed} -> Parsed;
                    {error, _} -> Chars
                end;
            {error, _, _} -> Chars
        end,
    {d, binary_to_atom(Name, utf8), Term}.

%% Returns the options of a rebar.config that change the meaning of the code.
rebar_options(Config) ->
    Root = filename:dirname(Config),
    case file:consult(Config) of
        {ok, Terms} ->
            Options = lists:append([O || {erl_opts, O} <- Terms, is_list(O)]),
            lists:flatmap(fun(Option) -> rebar_option(Option, Root) end, Options);
        {error, _} -> []
    end.

rebar_option({i, Dir}, Root) -> [{i, filename:absname(Dir, Root)}];
rebar_option({d, _} = Define, _) -> [Define];
rebar_option({d, _, _} = Define, _) -> [Define];
rebar_option({platform_define, Pattern, Name}, _) ->
    [{d, Name} || platform(Pattern)];
rebar_option({platform_define, Pattern, Name, Value}, _) ->
    [{d, Name, Value} || platform(Pattern)];
rebar_option({parse_transform, _} = Transform, _) -> [Transform];
rebar_option({feature, _, _} = Feature, _) -> [Feature];
rebar_option({no_auto_import, _} = Option, _) -> [Option];
rebar_option(no_auto_import, _) -> [no_auto_import];
rebar_option(export_all, _) -> [export_all];
rebar_option(_, _) -> [].

platform(Pattern) ->
    System = [
        erlang:system_info(otp_release), "-", erlang:system_info(system_architecture), "-",
        integer_to_list(8 * erlang:system_info({wordsize, external}))
    ],
    re:run(System, Pattern, [{capture, none}]) =:= match.

%% The first line says what is wrong and where; a stack trace of the compiler may follow.
elixir_error({_File, _Place, Message}) ->
    hd(string:split(text(Message), "\n")).

messages(Errors) ->
    [message(File, Error) || {File, Here} <- Errors, Error <- Here].

message(File, {none, Module, What}) ->
    text([File, ": ", Module:format_error(What)]);
message(File, {Place, Module, What}) ->
    text([File, ":", place(Place), ": ", Module:format_error(What)]);
message(File, {Module, What}) ->
    text([File, ": ", Module:format_error(What)]).

place({Line, Column}) -> [integer_to_list(Line), ":", integer_to_list(Column)];
place(Line) when is_integer(Line) -> integer_to_list(Line);
place(Other) -> io_lib:format("~p", [Other]).

from_beam(Beam, Dependencies) ->
    case forms(Beam) of
        {ok, Module, Forms} -> to_core(Beam, Module, Forms, Dependencies);
        Error -> Error
    end.

%% Reads a module that was stripped or compiled without debug info.
from_assembly(Beam) ->
    case beam_disasm:file(Beam) of
        {beam_file, Module, Exports, _, _, Functions} ->
            {Lines, Files} = lines(raw_chunk(Beam, "Line")),
            Main = atom_to_list(Module) ++ ".erl",
            {ok, {Module, Md5}} = beam_lib:md5(Beam),
            Assembly = {
                assembly, Module, Exports, Functions, Lines, [text(Main) | Files],
                raw_chunk(Beam, "StrT")
            },
            Loaded = {
                Module, Assembly, [], chunk(Beam, "Attr"), chunk(Beam, "CInf"), text(Main), Md5, closures(Beam)
            },
            {module, term_to_binary(Loaded, [{minor_version, 2}]), []};
        {error, beam_lib, Why} ->
            {not_a_module, text(beam_lib:format_error(Why))};
        {error, _, Why} ->
            {no_debug_info, text(io_lib:format("~tp", [Why]))}
    end.

raw_chunk(Beam, Name) ->
    case beam_lib:chunks(Beam, [Name], [allow_missing_chunks]) of
        {ok, {_, [{_, Bytes}]}} when is_binary(Bytes) -> Bytes;
        _ -> <<>>
    end.

%% Returns file and line of each entry, and the names of the files from the second on.
lines(<<_:8/binary, _:32, NLines:32, _:32, Items/binary>>) ->
    {Lines, Rest} = line_items(NLines, 0, Items, []),
    {Lines, file_names(Rest)};
lines(_) ->
    {[], []}.

line_items(0, _, Rest, Acc) ->
    {lists:reverse(Acc), Rest};
line_items(N, File, Items, Acc) ->
    case compact(Items) of
        {1, Line, Rest} -> line_items(N - 1, File, Rest, [{File, Line} | Acc]);
        {2, Next, Rest} -> line_items(N, Next, Rest, Acc)
    end.

file_names(<<Size:16, Name:Size/binary, Rest/binary>>) -> [Name | file_names(Rest)];
file_names(_) -> [].

%% Reads a tag and a number in the compact form of BEAM files.
compact(<<Value:4, 0:1, Tag:3, Rest/binary>>) ->
    {Tag, Value, Rest};
compact(<<High:3, 0:1, 1:1, Tag:3, Low, Rest/binary>>) ->
    {Tag, High bsl 8 bor Low, Rest};
compact(<<Size:3, 1:1, 1:1, Tag:3, Rest/binary>>) ->
    Bytes = Size + 2,
    <<Value:Bytes/unit:8, After/binary>> = Rest,
    {Tag, Value, After}.

forms(Beam) ->
    case beam_lib:chunks(Beam, [debug_info]) of
        {ok, {Module, [{debug_info, {debug_info_v1, Backend, Data}}]}} ->
            backend_forms(Module, Backend, Data);
        {ok, {Module, _}} ->
            abstract_code(Beam, Module);
        {error, beam_lib, {missing_chunk, _, _}} ->
            abstract_code(Beam, beam);
        {error, beam_lib, {key_missing_or_invalid, _, _}} ->
            {no_debug_info, <<"its debug info is encrypted">>};
        {error, beam_lib, Why} ->
            {not_a_module, text(beam_lib:format_error(Why))}
    end.

backend_forms(Module, Backend, Data) ->
    try Backend:debug_info(erlang_v1, Module, Data, []) of
        {ok, Forms} -> {ok, Module, Forms};
        {error, _} -> {no_debug_info, <<"it was compiled without debug info">>}
    catch
        error:undef ->
            {no_debug_info, text(io_lib:format("its debug info needs the module ~tp", [Backend]))};
        _:_ ->
            {no_debug_info, text(io_lib:format("~tp cannot read its debug info", [Backend]))}
    end.

%% Reads the chunk used before OTP 20.
abstract_code(Beam, _) ->
    case beam_lib:chunks(Beam, [abstract_code]) of
        {ok, {Module, [{abstract_code, {raw_abstract_v1, Forms}}]}} -> {ok, Module, Forms};
        _ -> {no_debug_info, <<"it was compiled without debug info">>}
    end.

%% Compiles to Core Erlang without optimisation, so that no clause of the source is lost.
to_core(Beam, Module, Forms, Dependencies) ->
    Options = [to_core, binary, no_copt, return_errors],
    case compile:noenv_forms([marked(tolerant(F)) || F <- Forms], Options) of
        {ok, Module, Core} -> module(Beam, Module, Core, Forms, Dependencies);
        {ok, Module, Core, _} -> module(Beam, Module, Core, Forms, Dependencies);
        {error, Errors, _} -> {compile_errors, messages(Errors)};
        error -> {compile_errors, [<<"the compiler refused its debug info">>]}
    end.

%% Removes `warnings_as_errors`, since warnings must not prevent loading.
tolerant({attribute, Anno, compile, Options}) when is_list(Options) ->
    {attribute, Anno, compile, [O || O <- Options, O =/= warnings_as_errors]};
tolerant({attribute, Anno, compile, warnings_as_errors}) ->
    {attribute, Anno, compile, []};
tolerant(Form) ->
    Form.

%% Marks the clauses of the source by columns that no file has, because Core Erlang has further clauses.
marked({clause, Anno, Patterns, Guards, Body}) ->
    Location =
        case erl_anno:location(Anno) of
            {Line, Column} -> {Line, 1000000 + Column};
            Line -> {Line, 1000000}
        end,
    {clause, erl_anno:set_location(Location, Anno), Patterns, Guards, marked(Body)};
marked({function, Anno, Name, Arity, Clauses}) ->
    {function, Anno, Name, Arity, marked(Clauses)};
marked({attribute, _, _, _} = Attribute) ->
    Attribute;
marked(Code) when is_tuple(Code) ->
    list_to_tuple([marked(Part) || Part <- tuple_to_list(Code)]);
marked([First | Rest]) ->
    [marked(First) | marked(Rest)];
marked(Code) ->
    Code.

module(Beam, Module, Core, Forms, Dependencies) ->
    Files = [File || {attribute, _, file, {File, _}} <- Forms],
    Main = case Files of [First | _] -> First; [] -> atom_to_list(Module) ++ ".erl" end,
    {ok, {Module, Md5}} = beam_lib:md5(Beam),
    {Attributes, CompileInfo, Shown} =
        case lists:member(Module, erlang:pre_loaded()) of
            %% Modules linked into the emulator have no such chunks and no line numbers.
            true -> {Module:module_info(attributes), Module:module_info(compile), ""};
            false -> {chunk(Beam, "Attr"), chunk(Beam, "CInf"), Main}
        end,
    Needed =
        case Dependencies of
            [] -> [];
            _ -> Dependencies ++ [text(F) || F <- lists:usort(Files), F =/= Main]
        end,
    Loaded = {
        Module, reduce(Core, Main), [F || F <- Forms, declares(F)] ++ of_elixir(Beam, Forms),
        Attributes, CompileInfo, text(Shown), Md5, closures(Beam)
    },
    {module, term_to_binary(Loaded, [{minor_version, 2}]), Needed}.

%% Returns attributes that are made from Elixir's debug info.
of_elixir(Beam, Forms) ->
    case beam_lib:chunks(Beam, [debug_info], [allow_missing_chunks]) of
        {ok, {_, [{debug_info, {debug_info_v1, _, {elixir_v1, #{definitions := Definitions}, _}}}]}} ->
            [generated(Definitions) | shortened(Definitions, Forms)];
        _ ->
            []
    end.

%% Returns an attribute with the generated functions, which macros of Elixir's own modules defined.
generated(Definitions) ->
    Names = [
        Name
     || {Name, _, Meta, _} <- Definitions,
        {context, Module} <- Meta,
        shelf(Module) =:= shelf('Elixir.Kernel')
    ],
    {attribute, 0, gimlet_generated, Names}.

%% Returns specs for functions with default arguments: each shorter function gets the corresponding part
%% of the full function's spec.
shortened(Definitions, Forms) ->
    Specs = maps:from_list([Spec || {attribute, _, spec, Spec} <- Forms]),
    [
        {attribute, 0, spec, {{Name, Arity}, [shorter(Clause, Vars, Args) || Clause <- Clauses]}}
     || {{Name, Arity}, _, _, [{_, Vars, [], {super, [{super, {_, Name}} | _], Args}}]} <- Definitions,
        not is_map_key({Name, Arity}, Specs),
        Clauses <- [maps:get({Name, length(Args)}, Specs, [])],
        Clauses =/= [],
        length([Var || {Var, _, _} <- Vars, Arg <- Args, is_tuple(Arg), element(1, Arg) =:= Var])
            =:= Arity
    ].

shorter({type, Anno, bounded_fun, [Fun, Bounds]}, Vars, Args) ->
    {type, Anno, bounded_fun, [shorter(Fun, Vars, Args), Bounds]};
shorter({type, Anno, 'fun', [{type, Product, product, Types}, Result]}, Vars, Args) ->
    Names = [Var || {Var, _, _} <- Vars],
    Kept = [
        Type
     || {Arg, Type} <- lists:zip(Args, Types), is_tuple(Arg), lists:member(element(1, Arg), Names)
    ],
    {type, Anno, 'fun', [{type, Product, product, Kept}, Result]}.

%% Returns the directory of the application to which a module belongs.
shelf(Module) ->
    case code:which(Module) of
        File when is_list(File) -> filename:dirname(filename:dirname(filename:dirname(File)));
        None -> None
    end.

%% Returns names and arities of closures, in the order of their indices.
closures(Beam) ->
    case beam_lib:chunks(Beam, [atoms, "FunT"], [allow_missing_chunks]) of
        {ok, {_, [{atoms, Atoms}, {_, <<_:32, Funs/binary>>}]}} ->
            Names = maps:from_list(Atoms),
            Table = [
                {Index, {maps:get(Name, Names), Arity - Free}}
             || <<Name:32, Arity:32, _:32, Index:32, Free:32, _:32>> <= Funs
            ],
            [Closure || {_, Closure} <- lists:keysort(1, Table)];
        _ ->
            []
    end.

chunk(Beam, Name) ->
    case beam_lib:chunks(Beam, [Name], [allow_missing_chunks]) of
        {ok, {_, [{_, Bytes}]}} when is_binary(Bytes) -> binary_to_term(Bytes);
        _ -> []
    end.

declares({attribute, _, Kind, _}) ->
    lists:member(Kind, [file, spec, type, opaque, nominal, callback, record, behaviour, behavior]);
declares(_) ->
    false.

%% Returns Core Erlang with only those annotations that the tool reads.
reduce({c_literal, Anno, Value}, Main) ->
    {c_literal, anno(Anno, Main), Value};
reduce({c_var, Anno, Name}, Main) ->
    {c_var, anno(Anno, Main), Name};
reduce([Head | Tail], Main) ->
    [reduce(Head, Main) | reduce(Tail, Main)];
reduce({Left, Right}, Main) ->
    {reduce(Left, Main), reduce(Right, Main)};
reduce(Node, Main) when is_tuple(Node) ->
    [Kind, Anno | Parts] = tuple_to_list(Node),
    list_to_tuple([Kind, anno(Anno, Main) | reduce(Parts, Main)]);
reduce(Other, _) ->
    Other.

anno([Item | Rest], Main) ->
    case keep(Item, Main) of
        true -> [Item | anno(Rest, Main)];
        false -> anno(Rest, Main)
    end;
anno([], _) ->
    [].

keep(Line, _) when is_integer(Line) -> true;
keep({Line, Column}, _) when is_integer(Line), is_integer(Column) -> true;
keep({file, File}, Main) -> File =/= Main;
keep({function, _}, _) -> true;
keep({id, _}, _) -> true;
keep({eval_failure, _}, _) -> true;
keep({segment, _}, _) -> true;
keep(compiler_generated, _) -> true;
keep(letrec_goto, _) -> true;
keep(list_comprehension, _) -> true;
keep(result_not_wanted, _) -> true;
keep(_, _) -> false.
