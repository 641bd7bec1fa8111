#!/usr/bin/env escript
%% Compiles programs and runs many calls of them, each in a process of its own.
%%
%% Asked holds {[Path], [CompilerOption], [{Module, Function, [Arg]}]} in the external term format. Answered gets, per
%% call, 32 bits of length and {value, Value}, {Class, {Reason, Stacktrace}} or {lost, Why}; a
%% program that does not compile is lost.
-mode(compile).

-define(PATIENCE_MS, 60000).
-define(MAX_HEAP_WORDS, 100 * 1000 * 1000).

main([Asked, Answered]) ->
    {ok, Bytes} = file:read_file(Asked),
    {Paths, Options, Calls} = binary_to_term(Bytes),
    each(fun(Path) -> load(binary_to_list(Path), Options) end, Paths),
    {ok, File} = file:open(Answered, [write, raw, binary, delayed_write]),
    [file:write(File, frame(answer(Call))) || Call <- Calls],
    ok = file:close(File).

%% In as many processes as there are schedulers.
each(Fun, Items) ->
    N = erlang:system_info(schedulers),
    Workers = [spawn_monitor(fun() -> [Fun(I) || I <- Part] end) || Part <- parts(N, Items)],
    [receive {'DOWN', Ref, process, Pid, normal} -> ok;
             {'DOWN', Ref, process, Pid, Why} -> exit(Why) end || {Pid, Ref} <- Workers].

parts(N, Items) ->
    Numbered = lists:zip(lists:seq(1, length(Items)), Items),
    [[I || {At, I} <- Numbered, At rem N =:= Part] || Part <- lists:seq(0, N - 1)].

load(Path, Options) ->
    case compile:noenv_file(Path, [binary, return_errors | Options]) of
        {ok, Module, Beam} -> {module, Module} = code:load_binary(Module, Path, Beam);
        _ -> persistent_term:put(list_to_atom(filename:basename(Path, ".erl")), bad)
    end.

answer({Module, Function, Args}) ->
    case persistent_term:get(Module, good) of
        good -> answer(Module, Function, Args);
        bad -> term_to_binary({lost, does_not_compile})
    end.

answer(Module, Function, Args) ->
    Limit = #{size => ?MAX_HEAP_WORDS, kill => true, error_logger => false},
    Run = fun() -> exit({answer, term_to_binary(run(Module, Function, Args))}) end,
    {Pid, Ref} = spawn_opt(Run, [monitor, {max_heap_size, Limit}]),
    receive
        {'DOWN', Ref, process, Pid, {answer, Answer}} -> Answer;
        {'DOWN', Ref, process, Pid, Why} -> term_to_binary({lost, Why})
    after ?PATIENCE_MS ->
            exit(Pid, kill),
            term_to_binary({lost, timeout})
    end.

run(Module, Function, Args) ->
    try apply(Module, Function, Args) of
        Value -> {value, own(Value)}
    catch
        Class:Reason:Stack -> {Class, {own(Reason), own(Stack)}}
    end.

%% The frames of this script, under those of the program, are left out of stack traces.
own([{?MODULE, _, _, _} | _]) -> [];
own([Head | Tail]) -> [own(Head) | own(Tail)];
own(Tuple) when is_tuple(Tuple) -> list_to_tuple(own(tuple_to_list(Tuple)));
own(Other) -> Other.

frame(Answer) ->
    [<<(byte_size(Answer)):32>>, Answer].
