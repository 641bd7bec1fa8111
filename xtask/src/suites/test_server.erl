%% The functions of test_server that suites call, without the server.
-module(test_server).
-compile([export_all, nowarn_export_all]).

lookup_config(Key, Config) ->
    case lists:keyfind(Key, 1, Config) of
        {Key, Value} -> Value;
        false -> undefined
    end.

timetrap(_) -> make_ref().
timetrap_cancel() -> ok.
timetrap_cancel(_) -> ok.
timetrap_scale_factor() -> 1.
get_timetrap_info() -> {infinity, {false, 1}}.
minutes(N) -> N * 60000.
seconds(N) -> N * 1000.
hours(N) -> N * 3600000.
sleep(Time) -> ct:sleep(Time).
adjusted_sleep(Time) -> ct:sleep(Time).

is_native(_) -> false.
is_cover() -> false.
is_cover(_) -> false.
is_debug() -> false.
is_asan() -> false.
is_valgrind() -> false.
is_commercial() -> false.
memory_checker() -> none.
os_type() -> os:type().

fail() -> exit(suite_failed).
fail(Reason) -> exit({suite_failed, Reason}).
fault(_, _) -> ok.
comment(_) -> ok.
format(_) -> ok.
format(_, _) -> ok.
format(_, _, _) -> ok.
capture_start() -> ct:capture_start().
capture_stop() -> ct:capture_stop().
capture_get() -> ct:capture_get().
messages_get() -> messages_get([]).
messages_get(Acc) ->
    receive Message -> messages_get([Message | Acc]) after 1 -> lists:reverse(Acc) end.

do_times(N, M, F, A) -> do_times(N, fun() -> apply(M, F, A) end).
do_times(0, _) -> ok;
do_times(N, Fun) when N > 0 ->
    Fun(),
    do_times(N - 1, Fun).

m_out_of_n(0, _, _) -> ok;
m_out_of_n(M, 0, _) -> exit({m_out_of_n_failed, {M, left_to_do}});
m_out_of_n(M, N, Fun) ->
    case catch Fun() of
        {'EXIT', _} -> m_out_of_n(M, N - 1, Fun);
        _ -> m_out_of_n(M - 1, N - 1, Fun)
    end.

call_crash(M, F, A) -> call_crash(infinity, M, F, A).
call_crash(Time, M, F, A) -> call_crash(Time, any, M, F, A).
call_crash(Time, Crash, M, F, A) ->
    {Pid, Monitor} = spawn_monitor(M, F, A),
    receive
        {'DOWN', Monitor, process, Pid, {Reason, _}} when Reason =:= Crash; Crash =:= any -> ok;
        {'DOWN', Monitor, process, Pid, Reason} when Reason =:= Crash; Crash =:= any -> ok;
        {'DOWN', Monitor, process, Pid, Reason} -> exit({wrong_crash_reason, Reason})
    after Time ->
            exit(call_crash_timeout)
    end.

timecall(M, F, A) ->
    {Elapsed, Value} = timer:tc(M, F, A),
    {Elapsed / 1000000, Value}.

temp_name(Stem) ->
    Stem ++ integer_to_list(erlang:unique_integer([positive])).

peer_name(Module, Case) ->
    peer:random_name(lists:concat([Module, "-", Case])).

start_peer(Opts, Module) -> start_peer(Opts, Module, undefined).
start_peer(Opts, Module, Case) when is_list(Opts) ->
    start_peer(#{args => Opts, connection => standard_io}, Module, Case);
start_peer(Opts, Module, Case) ->
    Name = maps:get(name, Opts, peer_name(Module, Case)),
    Args = ["-pa", filename:dirname(code:which(Module)) | maps:get(args, Opts, [])],
    peer:start_link(Opts#{name => Name, args => Args}).
