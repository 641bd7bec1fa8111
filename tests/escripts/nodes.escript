#!/usr/bin/env escript
%% Runs the functions that a module lists in tests/0 on the first of two nodes, and writes what
%% became of each.
%%
%% Asked holds the path of the source. Answered gets frames of 32 bits of length and a term: first
%% {nodes, [Name]} or {alone, Why}, then, per function, {Function, {value, Value}},
%% {Function, {Class, Reason}} or {Function, {lost, Why}}.
-mode(compile).

-define(PATIENCE_MS, 30000).

main([Asked, Answered]) ->
    {ok, Path} = file:read_file(Asked),
    Name = unicode:characters_to_list(Path),
    {ok, Module, Beam} = compile:file(Name, [binary, debug_info, report_errors]),
    {module, Module} = code:load_binary(Module, Name, Beam),
    ok = logger:remove_handler(default),
    Daemon = start_daemon(),
    Frames =
        case start() of
            {ok, Peer, Other} ->
                pong = net_adm:ping(Other),
                {module, Module} = erpc:call(Other, code, load_binary, [Module, Name, Beam]),
                ok = erpc:call(Other, logger, remove_handler, [default]),
                ok = global:sync(),
                Ends = [frame({Function, run(Module, Function)}) || Function <- Module:tests()],
                catch peer:stop(Peer),
                [frame({nodes, [node(), Other]}) | Ends];
            {error, Why} ->
                [frame({alone, unicode:characters_to_binary(io_lib:format("~tp", [Why]))})]
        end,
    net_kernel:stop(),
    [os:cmd("epmd -kill") || Daemon =:= ours],
    ok = file:write_file(Answered, Frames).

%% The daemon that knows the names of nodes; one that was there stays.
start_daemon() ->
    case erl_epmd:names() of
        {ok, _} -> theirs;
        {error, _} -> os:cmd("epmd -daemon"), ours
    end.

start() ->
    Name = fun(What) -> list_to_atom("gimlet_" ++ What ++ "_" ++ os:getpid()) end,
    case net_kernel:start(Name("a"), #{name_domain => shortnames}) of
        {ok, _} ->
            %% A node that is lost must not end because of that.
            peer:start(#{name => Name("b"), connection => standard_io});
        Error -> Error
    end.

run(Module, Function) ->
    Parent = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> Parent ! {self(), answer(Module, Function)} end),
    receive
        {Pid, Answer} -> demonitor(Monitor, [flush]), Answer;
        {'DOWN', Monitor, process, Pid, Why} -> {lost, Why}
    after ?PATIENCE_MS ->
            {lost, timeout}
    end.

answer(Module, Function) ->
    try {value, Module:Function()}
    catch Class:Reason -> {Class, Reason}
    end.

frame(Term) ->
    Bytes = term_to_binary(Term, [{minor_version, 2}]),
    [<<(byte_size(Bytes)):32>>, Bytes].
