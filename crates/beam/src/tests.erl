%% Runs a generated file of tests as a whole, and reports which tests passed.
%%
%% Like the agent it uses no macros and no includes. It is the listener of EUnit and the formatter of
%% ExUnit, both of which report each test to it.
-module(gimlet_tests).
-export([eunit/2, exunit/2]).
-export([start/1, init/1, handle_begin/3, handle_end/3, handle_cancel/3, terminate/2]).
-export([handle_call/3, handle_cast/2, handle_info/2, code_change/3]).

%% Returns the lines of the tests that passed, or those with compiler warnings.
eunit(Text, Limit) ->
    {Dir, File} = written(Text, ".erl"),
    Options = [binary, return, no_error_module_mismatch],
    Answer =
        case compile:noenv_file(File, Options) of
            {ok, Module, Beam, []} ->
                {module, Module} = code:load_binary(Module, File, Beam),
                Listen = [{report, {gimlet_tests, [{to, self()}]}}, no_tty],
                {passed, collected(fun() -> eunit:test({module, Module}, Listen) end, Limit)};
            {ok, _, _, Warnings} ->
                {said, lines(Warnings)};
            {error, Errors, Warnings} ->
                {said, lines(Errors ++ Warnings)}
        end,
    gone(Dir),
    Answer.

%% Returns the lines of the assertions that failed, or of the tests that failed elsewhere.
exunit(Text, Limit) ->
    {Dir, File} = written(Text, ".exs"),
    {ok, _} = application:ensure_all_started(ex_unit),
    'Elixir.ExUnit':start([{autorun, false}, {formatters, [gimlet_tests]}, {seed, 0}]),
    persistent_term:put(gimlet_tests, {self(), unicode:characters_to_binary(File)}),
    Run = fun() ->
        'Elixir.Code':compile_file(unicode:characters_to_binary(File)),
        'Elixir.ExUnit':run()
    end,
    Failed = collected(Run, Limit),
    persistent_term:erase(gimlet_tests),
    gone(Dir),
    {said, Failed}.

%% The directory is not shared: it is that of the sandbox if there is one.
written(Text, Suffix) ->
    Base =
        case os:getenv("TMPDIR") of
            false -> "/tmp";
            Named -> Named
        end,
    Name = binary_to_list(binary:encode_hex(rand:bytes(16))),
    Dir = filename:join(Base, "gimlet-tests-" ++ Name),
    ok = file:make_dir(Dir),
    File = filename:join(Dir, "tests" ++ Suffix),
    ok = file:write_file(File, Text),
    {Dir, File}.

gone(Dir) -> file:del_dir_r(Dir).

lines(Said) ->
    lists:usort([line(Place) || {_, Here} <- Said, {Place, _, _} <- Here]).

line({Line, _}) -> Line;
line(Line) when is_integer(Line) -> Line;
line(_) -> 0.

%% Collects the reports until the run ends or its time is over.
collected(Run, Limit) ->
    {Pid, Ref} = spawn_monitor(Run),
    collect(Pid, Ref, erlang:monotonic_time(millisecond) + Limit, []).

collect(Pid, Ref, End, Lines) ->
    receive
        {told, Line} -> collect(Pid, Ref, End, [Line | Lines]);
        {'DOWN', Ref, process, Pid, Reason} -> rest(failed_at(Reason) ++ Lines)
    after max(0, End - erlang:monotonic_time(millisecond)) ->
        exit(Pid, kill),
        rest(Lines)
    end.

rest(Lines) ->
    receive
        {told, Line} -> rest([Line | Lines])
    after 0 -> lists:usort(Lines)
    end.

%% Handles a file that does not compile.
failed_at({#{line := Line}, _}) when is_integer(Line) -> [Line];
failed_at(_) -> [].

%% The listener of EUnit ---------------------------------------------------------------------

start(Options) -> eunit_listener:start(gimlet_tests, Options).

init(Options) when is_list(Options) ->
    case proplists:get_value(to, Options) of
        undefined -> {ok, persistent_term:get(gimlet_tests)};
        To -> receive {start, _} -> To end
    end;
init(_) ->
    {ok, persistent_term:get(gimlet_tests)}.

handle_begin(_, _, To) -> To.

handle_end(test, Data, To) ->
    case {proplists:get_value(status, Data), proplists:get_value(line, Data)} of
        {ok, Line} when is_integer(Line) -> To ! {told, Line};
        _ -> ok
    end,
    To;
handle_end(_, _, To) ->
    To.

handle_cancel(_, _, To) -> To.

terminate(_, _) -> ok.

%% The formatter of ExUnit -------------------------------------------------------------------

handle_cast({test_finished, #{state := {failed, Failures}, tags := Tags}}, {To, File} = State) ->
    Base = list_to_binary(filename:basename(File)),
    Found = [Line || {_, _, Stack} <- Failures, is_list(Stack), Line <- in_file(Stack, Base)],
    To ! {told, case Found of [Line | _] -> Line; [] -> maps:get(line, Tags, 0) end},
    {noreply, State};
handle_cast({test_finished, #{state := {Bad, _}, tags := Tags}}, {To, _} = State) when Bad =/= excluded ->
    To ! {told, maps:get(line, Tags, 0)},
    {noreply, State};
handle_cast(_, State) ->
    {noreply, State}.

in_file(Stack, Base) ->
    [
        Line
     || {_, _, _, Place} <- Stack,
        list_to_binary(filename:basename(proplists:get_value(file, Place, ""))) =:= Base,
        Line <- [proplists:get_value(line, Place, 0)]
    ].

handle_call(_, _, State) -> {reply, ok, State}.
handle_info(_, State) -> {noreply, State}.
code_change(_, State, _) -> {ok, State}.
