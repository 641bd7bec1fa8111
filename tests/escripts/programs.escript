#!/usr/bin/env escript
%% Runs the functions that a module lists in tests/0 and writes what became of each.
%%
%% Asked holds the path of the source. Answered gets, per function, 32 bits of length and
%% {Function, {value, Value}}, {Function, {Class, Reason}} or {Function, {lost, Why}}.
-mode(compile).

-define(PATIENCE_MS, 20000).

main([Asked, Answered]) ->
    {ok, Path} = file:read_file(Asked),
    {ok, Module, Beam} =
        compile:file(unicode:characters_to_list(Path), [binary, debug_info, report_errors]),
    {module, Module} = code:load_binary(Module, unicode:characters_to_list(Path), Beam),
    ok = logger:remove_handler(default),
    Frames = [frame({Function, run(Module, Function)}) || Function <- Module:tests()],
    ok = file:write_file(Answered, Frames).

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
