#!/usr/bin/env escript
%% Runs many calls and writes what became of each.
%%
%% Asked holds {Pool, [{Module, Function, [Place in Pool]}]} in the external term format. Answered
%% gets, per call, 32 bits of length and {value, Value}, {Class, Reason} or {lost, Why}. Calls run in
%% workers, so that one which does not end, or takes all memory, costs only itself.
-mode(compile).

-define(CHUNK, 5000).
-define(PATIENCE_MS, 10000).
-define(MAX_HEAP_WORDS, 50 * 1000 * 1000).

main([Asked, Answered]) ->
    {ok, Bytes} = file:read_file(Asked),
    {Pool, Calls} = binary_to_term(Bytes),
    persistent_term:put(pool, Pool),
    {ok, File} = file:open(Answered, [write, raw, binary, delayed_write]),
    run(Calls, File),
    ok = file:close(File).

run([], _) ->
    ok;
run(Calls, File) ->
    {Now, Later} = chunk(Calls),
    work(Now, File),
    run(Later, File).

chunk(Calls) when length(Calls) =< ?CHUNK -> {Calls, []};
chunk(Calls) -> lists:split(?CHUNK, Calls).

work([], _) ->
    ok;
work(Calls, File) ->
    Parent = self(),
    Limit = #{size => ?MAX_HEAP_WORDS, kill => true, error_logger => false},
    {Worker, Monitor} =
        spawn_opt(fun() -> answer(Calls, Parent) end, [monitor, {max_heap_size, Limit}]),
    Rest = collect(Calls, Worker, Monitor, File),
    work(Rest, File).

answer(Calls, Parent) ->
    Pool = persistent_term:get(pool),
    [Parent ! {self(), answer(Module, Function, [element(At, Pool) || At <- Places])}
     || {Module, Function, Places} <- Calls],
    ok.

answer(Module, Function, Args) ->
    Answer = try apply(Module, Function, Args) of
                 Value -> {value, Value}
             catch
                 Class:Reason -> {Class, Reason}
             end,
    term_to_binary(Answer, [{minor_version, 2}]).

%% The calls that are left when the worker is gone.
collect([], _, Monitor, _) ->
    demonitor(Monitor, [flush]),
    [];
collect([_ | Later] = Calls, Worker, Monitor, File) ->
    receive
        {Worker, Answer} ->
            write(Answer, File),
            collect(Later, Worker, Monitor, File);
        {'DOWN', Monitor, process, Worker, Why} ->
            lost(Calls, Why, File)
    after ?PATIENCE_MS ->
            demonitor(Monitor, [flush]),
            exit(Worker, kill),
            lost(Calls, timeout, File)
    end.

lost([_ | Later], Why, File) ->
    write(term_to_binary({lost, Why}), File),
    Later.

write(Answer, File) ->
    ok = file:write(File, [<<(byte_size(Answer)):32>>, Answer]).
