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
    %% Elixir's own modules expect that it runs.
    IsElixir = fun({Module, _, _}) -> lists:prefix("Elixir.", atom_to_list(Module)) end,
    case lists:any(IsElixir, Calls) of
        true -> [{ok, _} = application:ensure_all_started(Name) || Name <- [elixir, logger]];
        false -> ok
    end,
    {ok, File} = file:open(Answered, [write, raw, binary]),
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

work(Calls, File) ->
    ok = file:write(File, lists:reverse(answers(Calls, []))).

%% The answers, last one first.
answers([], Acc) ->
    Acc;
answers(Calls, Acc) ->
    Parent = self(),
    Limit = #{size => ?MAX_HEAP_WORDS, kill => true, error_logger => false},
    {Worker, Monitor} =
        spawn_opt(fun() -> answer(Calls, Parent) end, [monitor, {max_heap_size, Limit}]),
    {Rest, Acc1} = collect(Calls, Worker, Monitor, Acc),
    answers(Rest, Acc1).

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

%% Answers while the worker gives some, and the calls that are left when it is gone.
collect([], _, Monitor, Acc) ->
    demonitor(Monitor, [flush]),
    {[], Acc};
collect([_ | Later] = Calls, Worker, Monitor, Acc) ->
    receive
        {Worker, Answer} ->
            collect(Later, Worker, Monitor, [frame(Answer) | Acc]);
        {'DOWN', Monitor, process, Worker, Why} ->
            lost(Calls, Why, Acc)
    after ?PATIENCE_MS ->
            demonitor(Monitor, [flush]),
            exit(Worker, kill),
            lost(Calls, timeout, Acc)
    end.

lost([_ | Later], Why, Acc) ->
    {Later, [frame(term_to_binary({lost, Why})) | Acc]}.

frame(Answer) ->
    [<<(byte_size(Answer)):32>>, Answer].
