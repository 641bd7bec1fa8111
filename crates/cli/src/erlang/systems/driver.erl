%% Performs steps on the process of a behaviour, or on a module with state, as a user at the shell would.
%% Runs on our machine, where it is explored like the code under test, and on BEAM.
%%
%% run/3 returns the results of the steps. If the process under test fails, it fails with the reason and the
%% stack trace of that process, and not with the exit of a call to it.
-module(gimlet_system).
-export([run/3]).

run(Config, Start, Steps) ->
    process_flag(trap_exit, true),
    case start(Config, Start) of
        {running, Server, Reply} ->
            steps(Steps, maps:get(steps, Config), Config, Server, [Reply]);
        {ended, Reply} ->
            [Reply]
    end.

%% With `none` no process is started and monitored.
start(_, none) ->
    {running, none, none};
start(#{protocol := gen_server, module := Module}, {init, Arg}) ->
    started(gen_server:start(Module, Arg, []));
start(#{protocol := gen_statem, module := Module}, {init, Arg}) ->
    started(gen_statem:start(Module, Arg, []));
start(#{protocol := supervisor, module := Module}, {init, Arg}) ->
    started(supervisor:start_link(Module, Arg));
start(#{protocol := gen_event, module := Module}, {init, Arg}) ->
    {ok, Manager} = gen_event:start(),
    case gen_event:add_sup_handler(Manager, Module, Arg) of
        ok -> started({ok, Manager});
        {'EXIT', Why} -> failed(Why), {ended, failed};
        Other -> {ended, Other}
    end;
start(Config, Step) ->
    started(api(Step, Config, none, [])).

started({ok, Pid}) when is_pid(Pid) -> {running, {Pid, monitor(process, Pid)}, {ok, Pid}};
started({error, Why} = Reply) -> failed(Why), {ended, Reply};
started(Reply) -> {ended, Reply}.

steps([], _, Config, Server, Replies) ->
    settle(Config, Server),
    lists:reverse(Replies);
steps(_, 0, _, _, _) ->
    throw('gimlet$refused');
steps([Step | Rest], Left, Config, Server, Replies) ->
    Reply =
        try
            step(Step, Config, Server, Replies)
        catch
            exit:{_, {_, _, _}} -> settle(Config, Server), failed;
            throw:'gimlet$refused' -> throw('gimlet$refused');
            Class:Why:Stack ->
                settle(Config, Server),
                erlang:raise(Class, Why, own(Stack))
        end,
    case has_ended(Server, 0) of
        true -> lists:reverse(Replies, [Reply]);
        false -> steps(Rest, Left - 1, Config, Server, [Reply | Replies])
    end.

step({call, Request}, #{protocol := gen_server}, {Pid, _}, _) -> gen_server:call(Pid, Request, 50);
step({cast, Message}, #{protocol := gen_server}, {Pid, _}, _) -> gen_server:cast(Pid, Message);
step({call, Request}, #{protocol := gen_statem}, {Pid, _}, _) ->
    gen_statem:call(Pid, Request, {dirty_timeout, 50});
step({cast, Message}, #{protocol := gen_statem}, {Pid, _}, _) -> gen_statem:cast(Pid, Message);
step({call, Request}, #{protocol := gen_event, module := Module}, {Pid, _}, _) ->
    gen_event:call(Pid, Module, Request, 50);
step({notify, Event}, #{protocol := gen_event}, {Pid, _}, _) -> gen_event:notify(Pid, Event);
step({info, Message}, _, {Pid, _}, _) -> Pid ! plain(Message);
step({wait, Time}, _, Server, _) -> has_ended(Server, Time), ok;
step(Step, Config, Server, Replies) -> api(Step, Config, Server, Replies).

%% Refuses messages that only the behaviour's own functions send, and the exit of the starting process.
plain({'$gen_call', _, _}) -> throw('gimlet$refused');
plain({'$gen_cast', _}) -> throw('gimlet$refused');
plain({system, _, _}) -> throw('gimlet$refused');
plain({'EXIT', Pid, _}) when Pid =:= self() -> throw('gimlet$refused');
plain(Message) -> Message.

%% Calls a function of the module; the first element of the step is its name, the others are the arguments.
api(Step, Config, Server, Replies) ->
    {Module, Function, Roles} = find(element(1, Step), Step, Config),
    apply(Module, Function, arguments(Roles, 2, Step, Server, Replies)).

%% Without a harness, the roles of the arguments follow from their values.
find(Tag, _, #{switch := Module}) ->
    Module:find(Tag);
find(Tag, Step, #{module := Module}) ->
    [Name, _] = string:split(atom_to_list(Tag), "/", trailing),
    Function = list_to_atom(Name),
    {Module, Function, [role(Arg) || Arg <- tl(tuple_to_list(Step))]}.

role('$server') -> server;
role({'$result', _}) -> handle;
role({'$content', _}) -> handle;
role(_) -> value.

arguments([], _, _, _, _) ->
    [];
arguments([server | Roles], N, Step, {Pid, _} = Server, Replies) ->
    [Pid | arguments(Roles, N + 1, Step, Server, Replies)];
arguments([handle | Roles], N, Step, Server, Replies) ->
    [handle(element(N, Step), Replies) | arguments(Roles, N + 1, Step, Server, Replies)];
arguments([process | Roles], N, Step, Server, Replies) ->
    Given = element(N, Step),
    Value = handle(Given, Replies),
    case Value =:= Given orelse is_pid(Value) orelse is_reference(Value) orelse is_port(Value) of
        true -> [Value | arguments(Roles, N + 1, Step, Server, Replies)];
        false -> throw('gimlet$refused')
    end;
arguments([_ | Roles], N, Step, Server, Replies) ->
    [element(N, Step) | arguments(Roles, N + 1, Step, Server, Replies)].

%% Replaces a reference to an earlier step by the result of that step.
handle({'$result', N}, Replies) when is_integer(N), 0 < N, N =< length(Replies) ->
    case lists:nth(length(Replies) + 1 - N, Replies) of
        failed -> throw('gimlet$refused');
        Reply -> Reply
    end;
handle({'$content', N}, Replies) when is_integer(N), 0 < N, N =< length(Replies) ->
    case lists:nth(length(Replies) + 1 - N, Replies) of
        {ok, Content} -> Content;
        _ -> throw('gimlet$refused')
    end;
handle({'$result', _}, _) ->
    throw('gimlet$refused');
handle({'$content', _}, _) ->
    throw('gimlet$refused');
handle(Value, _) ->
    Value.

%% Waits until all messages have arrived and the process is idle, so that no failure is missed.
settle(#{settle := Time}, Server) ->
    case has_ended(Server, Time) of
        true -> ok;
        false -> idle(Server)
    end.

idle(none) ->
    ok;
idle({Pid, _} = Server) ->
    case process_info(Pid, status) of
        {status, Status} when Status =:= running; Status =:= runnable ->
            has_ended(Server, 1) orelse idle(Server);
        _ ->
            has_ended(Server, 0)
    end.

has_ended(none, Time) ->
    receive after Time -> false end;
has_ended({_, Monitor}, Time) ->
    receive
        {'DOWN', Monitor, process, _, Reason} -> failed(Reason), true;
        {gen_event_EXIT, _, {'EXIT', Reason}} -> failed(Reason), true;
        {gen_event_EXIT, _, _} -> true
    after Time -> false
    end.

%% Raises the error with which a process ended; an orderly end is no error.
failed({Reason, [{_, _, _, _} | _] = Stack}) -> erlang:raise(error, Reason, Stack);
failed({bad_return_value, _} = Reason) -> erlang:raise(exit, Reason, []);
failed({bad_return_from_init, _} = Reason) -> erlang:raise(exit, Reason, []);
failed({bad_return_from_state_function, _} = Reason) -> erlang:raise(exit, Reason, []);
failed({bad_action_from_state_function, _} = Reason) -> erlang:raise(exit, Reason, []);
failed(_) -> ok.

own([{gimlet_system, _, _, _} | _]) -> [];
own([Frame | Rest]) -> [Frame | own(Rest)];
own([]) -> [].
