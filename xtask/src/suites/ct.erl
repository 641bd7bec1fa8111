%% The functions of ct that suites call, without its server: failures exit, logs are discarded.
-module(ct).
-compile([export_all, nowarn_export_all]).

fail(Reason) ->
    exit({test_case_failed, Reason}).

fail(Format, Args) ->
    exit({test_case_failed, lists:flatten(io_lib:format(Format, Args))}).

log(_) -> ok.
log(_, _) -> ok.
log(_, _, _) -> ok.
log(_, _, _, _) -> ok.
log(_, _, _, _, _) -> ok.
pal(_) -> ok.
pal(_, _) -> ok.
pal(_, _, _) -> ok.
pal(_, _, _, _) -> ok.
print(_) -> ok.
print(_, _) -> ok.
comment(_) -> ok.
comment(_, _) -> ok.
error(_) -> ok.
error(_, _) -> ok.

timetrap(_) -> ok.
get_timetrap_info() -> {infinity, {false, 1}}.
sleep({hours, N}) -> timer:sleep(N * 3600000);
sleep({minutes, N}) -> timer:sleep(N * 60000);
sleep({seconds, N}) -> timer:sleep(N * 1000);
sleep(Time) -> timer:sleep(Time).

get_config(_) -> undefined.
get_config(_, Default) -> Default.
get_status() -> no_tests_running.
get_progname() ->
    case init:get_argument(progname) of
        {ok, [[Name]]} -> Name;
        _ -> "no_prog_name"
    end.

capture_start() ->
    Leader = group_leader(),
    Capture = spawn(fun() -> capture(Leader, []) end),
    put(gimlet_ct_capture, {Capture, Leader}),
    group_leader(Capture, self()),
    ok.

capture_stop() ->
    {_, Leader} = get(gimlet_ct_capture),
    group_leader(Leader, self()),
    ok.

capture_get() -> capture_get([default]).
capture_get(_) ->
    {Capture, _} = get(gimlet_ct_capture),
    Capture ! {get, self()},
    receive {Capture, Texts} -> Texts end.

capture(Leader, Acc) ->
    receive
        {get, Asker} ->
            Asker ! {self(), lists:reverse(Acc)},
            capture(Leader, []);
        {io_request, From, Ref, {put_chars, Encoding, Chars}} ->
            capture_text(Leader, Acc, From, Ref, Encoding, Chars);
        {io_request, From, Ref, {put_chars, Encoding, M, F, A}} ->
            capture_text(Leader, Acc, From, Ref, Encoding, apply(M, F, A));
        Other ->
            Leader ! Other,
            capture(Leader, Acc)
    end.

capture_text(Leader, Acc, From, Ref, Encoding, Chars) ->
    From ! {io_reply, Ref, ok},
    capture(Leader, [unicode:characters_to_list(Chars, Encoding) | Acc]).
