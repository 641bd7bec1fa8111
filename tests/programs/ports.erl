%% Programs about ports and the operating system. Each returns a term that must be the same on BEAM.
-module(ports).
-compile([export_all, nowarn_export_all]).

tests() ->
    [commands, command_options, wide_commands, echoing, binaries, lines, long_lines, packets, statuses, killed_programs, ends,
     executables, missing_executables, names_of_arguments, variables, directories, errors_together, owners, connecting, closing,
     closing_by_message, wrong_messages, monitors, monitors_by_name, monitors_of_nobody, links, ended_owners, exits_of_ports, names, infos, bad_options,
     gone_ports, large_data, two_programs, waiting, environment, executables_found, no_input, timers_meanwhile].

%% All that a port says until it is over.
heard(Port) ->
    receive
        {Port, {data, Data}} -> [Data | heard(Port)];
        {Port, Other} -> [Other];
        {'EXIT', Port, Why} -> [{'EXIT', Why}]
    after 5000 -> [nothing]
    end.

together(Said) ->
    {Data, Rest} = lists:splitwith(fun(It) -> is_list(It) orelse is_binary(It) end, Said),
    {iolist_to_binary(Data), Rest}.

trapping() -> process_flag(trap_exit, true).

commands() ->
    [os:cmd("echo hello"), os:cmd("printf 'a\\nb'"), os:cmd("exit 3"), os:cmd("echo out; echo err 1>&2"), os:cmd('echo atom'),
     os:cmd("cat </dev/null"), os:cmd("no_such_program_here 2>/dev/null"), catch_badarg(fun() -> os:cmd([a]) end),
     os:cmd("# comment"), os:cmd("for i in 1 2 3; do echo $i; done")].

catch_badarg(Work) -> try Work() catch error:badarg -> badarg end.

command_options() ->
    [os:cmd("echo hello world", #{max_size => 5}), os:cmd("echo hi", #{max_size => 100}), catch_badarg(fun() -> os:cmd("echo", []) end)].

wide_commands() -> [os:cmd("printf '%s' 'åäö→'"), os:cmd("printf '\\377'")].

echoing() ->
    trapping(),
    Port = open_port({spawn, "cat"}, []),
    true = port_command(Port, "hello"),
    A = receive {Port, {data, X}} -> X end,
    Port ! {self(), {command, ["wo", <<"rld">>]}},
    B = receive {Port, {data, Y}} -> Y end,
    {is_port(Port), A, B, port_close(Port), receive {'EXIT', Port, Why} -> Why end}.

binaries() ->
    Port = open_port({spawn, "cat"}, [binary]),
    true = port_command(Port, [1, 2, <<3, 255>>]),
    R = receive {Port, {data, X}} -> X end,
    {R, port_close(Port)}.

lines() ->
    trapping(),
    Port = open_port({spawn, "printf 'one\\ntwo\\n\\nlast'"}, [{line, 100}]),
    heard(Port).

long_lines() ->
    trapping(),
    Port = open_port({spawn, "printf '0123456789\\n01234\\n012345'"}, [{line, 5}, binary]),
    heard(Port).

packets() ->
    [begin
         Port = open_port({spawn, "cat"}, [{packet, N}, binary]),
         true = port_command(Port, "hello"),
         true = port_command(Port, <<>>),
         true = port_command(Port, binary:copy(<<"x">>, 200)),
         R = [receive {Port, {data, X}} -> X end || _ <- [1, 2, 3]],
         true = port_close(Port),
         R
     end || N <- [1, 2, 4]].

statuses() ->
    trapping(),
    [together(heard_all(open_port({spawn, "sh -c 'echo x; exit " ++ integer_to_list(N) ++ "'"}, [exit_status]))) || N <- [0, 1, 42, 255]].

heard_all(Port) ->
    receive
        {Port, {data, Data}} -> [Data | heard_all(Port)];
        {'EXIT', Port, Why} -> [{'EXIT', Why}];
        {Port, Other} -> [Other | heard_all(Port)]
    after 5000 -> [nothing]
    end.

killed_programs() ->
    trapping(),
    heard_all(open_port({spawn, "sh -c 'kill -9 $$'"}, [exit_status])).

ends() ->
    trapping(),
    Port = open_port({spawn, "echo x"}, [eof, exit_status]),
    R = [receive {Port, {data, D}} -> D end, receive {Port, {exit_status, S}} -> S end, receive {Port, eof} -> eof end],
    R ++ [is_list(erlang:port_info(Port)), port_close(Port), erlang:port_info(Port)].

executables() ->
    trapping(),
    Port = open_port({spawn_executable, "/bin/echo"}, [{args, ["a b", <<"c">>, "$HOME"]}, exit_status]),
    together(heard_all(Port)).

missing_executables() ->
    trapping(),
    [try open_port({spawn_executable, F}, []) catch C:R -> {C, R} end || F <- ["/no/such/program", "/etc/passwd"]]
        ++ [try open_port({spawn_driver, "no_such_driver"}, []) catch C:R -> {C, R} end,
            heard_all(open_port({spawn_executable, "/tmp"}, [exit_status]))].

names_of_arguments() ->
    trapping(),
    Port = open_port({spawn_executable, "/bin/sh"}, [{arg0, "other"}, {args, ["-c", "echo $0"]}]),
    together(heard(Port)).

variables() ->
    trapping(),
    true = os:putenv("GIMLET_OUTER", "outer"),
    Port = open_port({spawn, "sh -c 'echo $GIMLET_ONE,$GIMLET_OUTER,$GIMLET_GONE'"},
                     [{env, [{"GIMLET_ONE", "1"}, {"GIMLET_GONE", false}]}]),
    together(heard(Port)).

directories() ->
    trapping(),
    Port = open_port({spawn, "pwd"}, [{cd, "/usr"}]),
    {together(heard(Port)), heard_all(open_port({spawn, "pwd"}, [{cd, "/no/such/dir"}, exit_status]))}.

errors_together() ->
    trapping(),
    together(heard(open_port({spawn, "sh -c 'echo out; echo err >&2'"}, [stderr_to_stdout]))).

owners() ->
    Self = self(),
    P = spawn(fun() -> Port = open_port({spawn, "cat"}, []), Self ! Port, receive stop -> ok end end),
    Port = receive X when is_port(X) -> X end,
    R = [erlang:port_info(Port, connected) =:= {connected, P}, port_command(Port, "x")],
    P ! stop,
    M = monitor(port, Port),
    receive {'DOWN', M, port, Port, Why} when Why =:= normal; Why =:= noproc -> ok end,
    R ++ [erlang:port_info(Port)].

connecting() ->
    Self = self(),
    Port = open_port({spawn, "cat"}, []),
    P = spawn_link(fun() -> receive {_, {data, D}} -> Self ! {heard, D} end end),
    R = [port_connect(Port, P), erlang:port_info(Port, connected) =:= {connected, P}, unlink(Port), port_command(Port, "to him")],
    R ++ [receive {heard, D} -> D end].

closing() ->
    trapping(),
    Port = open_port({spawn, "cat"}, []),
    [port_close(Port), receive {'EXIT', Port, Why} -> Why end, catch_badarg(fun() -> port_close(Port) end),
     catch_badarg(fun() -> port_command(Port, "x") end), Port ! {self(), close}] -- [{self(), close}].

closing_by_message() ->
    trapping(),
    Port = open_port({spawn, "cat"}, []),
    Port ! {self(), close},
    R = receive {Port, Said} -> Said after 1000 -> nothing end,
    [R, receive {'EXIT', Port, Why} -> Why after 100 -> no_exit end].

wrong_messages() ->
    Port = open_port({spawn, "cat"}, []),
    [begin
         {P, M} = spawn_monitor(fun() -> Port ! Message, receive after 100 -> fine end end),
         receive {'DOWN', M, process, P, Why} -> Why end
     end || Message <- [nonsense, {self(), nonsense}, {self(), {command, not_bytes}}]] ++ [port_close(Port)].

monitors() ->
    Port = open_port({spawn, "cat"}, []),
    M = monitor(port, Port),
    N = monitor(port, Port),
    R = [process_info(self(), monitors) =:= {monitors, [{port, Port}, {port, Port}]}, demonitor(N), port_close(Port)],
    R ++ [receive {'DOWN', M, port, Port, Why} -> Why end, receive {'DOWN', N, _, _, _} -> down after 50 -> none end,
          begin K = monitor(port, Port), receive {'DOWN', K, port, Port, Why2} -> Why2 end end].

monitors_by_name() ->
    Port = open_port({spawn, "cat"}, []),
    true = register(gimlet_port, Port),
    M = monitor(port, gimlet_port),
    true = port_close(gimlet_port),
    receive {'DOWN', M, port, What, Why} -> {What, Why} end.

monitors_of_nobody() ->
    Monitored = fun(Kind, What, Options) ->
        M = erlang:monitor(Kind, What, Options),
        receive {Tag, M, Kind, Who, Why} -> {Tag, Who, Why} end
    end,
    [try Monitored(Kind, What, Options) catch Class:Reason -> {Class, Reason} end
     || Kind <- [process, port], What <- [nobody, {nobody, node()}, {1}, {1, node()}, {nobody, nowhere}],
        Options <- [[], [{alias, explicit_unalias}], [{tag, mine}], [other]]].

links() ->
    trapping(),
    Self = self(),
    Port = open_port({spawn, "cat"}, []),
    P = spawn(fun() -> process_flag(trap_exit, true), link(Port), Self ! linked, receive {'EXIT', Port, W} -> Self ! {his, W} end end),
    receive linked -> ok end,
    {links, L} = erlang:port_info(Port, links),
    R = [lists:sort(L) =:= lists:sort([self(), P]), lists:member(Port, element(2, process_info(self(), links))), unlink(Port), port_close(Port)],
    R ++ [receive {his, W} -> W end, receive {'EXIT', Port, _} -> mine after 50 -> none end, catch link(Port),
          receive {'EXIT', Port, W2} -> W2 after 50 -> none end].

ended_owners() ->
    Self = self(),
    [begin
         {P, M} = spawn_monitor(fun() -> Port = open_port({spawn, "cat"}, []), Self ! {port, Port}, exit(Why) end),
         receive {'DOWN', M, process, P, Why} -> ok end,
         Port = receive {port, X} -> X end,
         erlang:port_info(Port)
     end || Why <- [normal, other]].

exits_of_ports() ->
    trapping(),
    [begin
         Port = open_port({spawn, "cat"}, []),
         true = exit(Port, Why),
         receive {'EXIT', Port, W} -> W after 50 -> none end
     end || Why <- [normal, other, kill]].

names() ->
    Port = open_port({spawn, "cat"}, []),
    R = [register(gimlet_port, Port), whereis(gimlet_port) =:= Port, lists:member(gimlet_port, registered()),
         erlang:port_info(gimlet_port, registered_name), port_command(gimlet_port, "by name")],
    S = [receive {Port, {data, D}} -> D end, gimlet_port ! {self(), {command, "again"}}] -- [{self(), {command, "again"}}],
    T = [receive {Port, {data, E}} -> E end, unregister(gimlet_port), whereis(gimlet_port), port_close(Port)],
    R ++ S ++ T.

infos() ->
    Port = open_port({spawn, "cat"}, [binary]),
    true = port_command(Port, "12345"),
    receive {Port, {data, _}} -> ok end,
    R = [erlang:port_info(Port, I) || I <- [name, input, output]],
    {os_pid, Os} = erlang:port_info(Port, os_pid),
    S = [is_integer(Os), erlang:port_info(Port, connected) =:= {connected, self()}, lists:member(Port, erlang:ports()),
         lists:sort(proplists:get_keys(erlang:port_info(Port))), catch_badarg(fun() -> erlang:port_info(Port, what) end), port_close(Port),
         lists:member(Port, erlang:ports())],
    R ++ S.

bad_options() ->
    [catch_badarg(fun() -> open_port({spawn, "cat"}, O) end) || O <- [what, [what], [{packet, 3}], [{line, 0}], [{args, ["x"]}], [{cd, 1}], [{env, x}]]]
        ++ [catch_badarg(fun() -> open_port(W, []) end) || W <- [{spawn, 1}, {what, "cat"}, {spawn, ""}]].

gone_ports() ->
    Port = list_to_port("#Port<0.99999>"),
    [erlang:port_info(Port), catch_badarg(fun() -> port_close(Port) end), Port ! {self(), close} =:= {self(), close}, unlink(Port),
     catch_badarg(fun() -> erlang:port_info(no_such_name) end), exit(Port, x)].

large_data() ->
    Port = open_port({spawn, "cat"}, [binary]),
    Bytes = binary:copy(<<"0123456789abcdef">>, 20000),
    true = port_command(Port, Bytes),
    R = collect(Port, byte_size(Bytes), []),
    {R =:= Bytes, port_close(Port)}.

collect(_, 0, Acc) -> iolist_to_binary(lists:reverse(Acc));
collect(Port, N, Acc) ->
    receive {Port, {data, D}} -> collect(Port, N - byte_size(D), [D | Acc]) end.

two_programs() ->
    trapping(),
    Ports = [open_port({spawn, "sh -c 'sleep 0." ++ integer_to_list(N) ++ "; echo " ++ integer_to_list(N) ++ "'"}, []) || N <- [3, 1]],
    [receive {P, {data, D}} -> D end || P <- lists:reverse(Ports)].

waiting() ->
    Begin = erlang:monotonic_time(millisecond),
    "" = os:cmd("sleep 0.2"),
    erlang:monotonic_time(millisecond) - Begin >= 190.

environment() ->
    [os:putenv("GIMLET_X", "1"), os:getenv("GIMLET_X"), os:cmd("echo $GIMLET_X"), os:unsetenv("GIMLET_X"), os:getenv("GIMLET_X"),
     is_list(os:getenv("PATH")), os:getenv("GIMLET_NONE", "default")].

executables_found() ->
    [is_list(os:find_executable("sh")), os:find_executable("no_such_program_here"), os:find_executable("sh", "/bin:/usr/bin") =/= false,
     os:find_executable("/bin/sh")].

no_input() ->
    trapping(),
    together(heard_all(open_port({spawn, "cat"}, [in, exit_status]))).

timers_meanwhile() ->
    Port = open_port({spawn, "cat"}, []),
    R = receive {Port, _} -> said after 50 -> silence end,
    {R, port_close(Port)}.
