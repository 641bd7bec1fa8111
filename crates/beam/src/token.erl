%% Lets the processes of a program take their steps in the order of a given schedule.
%%
%% Code is rewritten so that every operation that other processes can observe waits for its turn. One
%% process, the keeper, has the token: it gives turns in the order of the schedule, and after each one
%% waits until the process asks for the next or is dead. Processes that are not in the schedule do not
%% wait. The file is parsed form by form without a preprocessor, so it uses no macros and no includes.
-module(gimlet_token).
-export([rewrite/1, run/4, run/5]).
-export([call/3, patience/1, pause/1, live/2]).

%% Rewriting -------------------------------------------------------------------------------

rewrite(Forms) ->
    Own = [{Name, Arity} || {function, _, Name, Arity, _} <- Forms],
    Imported = [{Key, Module} || {attribute, _, import, {Module, Keys}} <- Forms, Key <- Keys],
    Known = {maps:from_keys(Own, true), maps:from_list(Imported)},
    [form(Form, Known) || Form <- Forms].

form({function, Anno, Name, Arity, Clauses}, Known) ->
    {function, Anno, Name, Arity, expr(Clauses, Known)};
form(Form, _) ->
    Form.

expr({op, Anno, '!', To, Message}, Known) ->
    turned(Anno, erlang, send, [expr(To, Known), expr(Message, Known)]);
expr({call, Anno, {remote, _, {atom, _, Module}, {atom, _, Name}}, Args}, Known) ->
    called(Anno, Module, Name, expr(Args, Known));
expr({call, Anno, {remote, _, Module, Name}, Args}, Known) ->
    Parts = [expr(Module, Known), expr(Name, Known), list(Anno, expr(Args, Known))],
    {call, Anno, {remote, Anno, {atom, Anno, gimlet_token}, {atom, Anno, call}}, Parts};
expr({call, Anno, {atom, _, Name} = Called, Args}, {Own, Imported} = Known) ->
    Key = {Name, length(Args)},
    case {Own, Imported} of
        {#{Key := _}, _} -> {call, Anno, Called, expr(Args, Known)};
        {_, #{Key := Module}} -> called(Anno, Module, Name, expr(Args, Known));
        _ ->
            case erl_internal:bif(Name, length(Args)) of
                true -> called(Anno, erlang, Name, expr(Args, Known));
                false -> {call, Anno, Called, expr(Args, Known)}
            end
    end;
expr({'receive', Anno, Clauses}, Known) ->
    Wait = own_call(Anno, patience, [{atom, Anno, infinity}]),
    {block, Anno, [Wait, {'receive', Anno, expr(Clauses, Known)}]};
%% A receive that only waits for a timeout takes no turn, unless it waits for ever.
expr({'receive', Anno, [], Time, Body}, Known) ->
    {block, Anno, [own_call(Anno, pause, [expr(Time, Known)]) | expr(Body, Known)]};
expr({'receive', Anno, Clauses, Time, Body}, Known) ->
    Patience = own_call(Anno, patience, [expr(Time, Known)]),
    {'receive', Anno, expr(Clauses, Known), Patience, expr(Body, Known)};
%% Calls in guards and patterns cannot be observed by other processes.
expr({clause, Anno, Patterns, Guards, Body}, Known) ->
    {clause, Anno, Patterns, Guards, expr(Body, Known)};
expr([Head | Tail], Known) ->
    [expr(Head, Known) | expr(Tail, Known)];
expr(Code, Known) when is_tuple(Code) ->
    list_to_tuple([expr(Part, Known) || Part <- tuple_to_list(Code)]);
expr(Code, _) ->
    Code.

called(Anno, erlang, apply, [_, _, _] = Args) ->
    own_call(Anno, call, Args);
called(Anno, Module, Name, Args) ->
    case kind(Module, Name, length(Args)) of
        local -> {call, Anno, {remote, Anno, {atom, Anno, Module}, {atom, Anno, Name}}, Args};
        _ -> turned(Anno, Module, Name, Args)
    end.

turned(Anno, Module, Name, Args) ->
    own_call(Anno, call, [{atom, Anno, Module}, {atom, Anno, Name}, list(Anno, Args)]).

own_call(Anno, Name, Args) ->
    {call, Anno, {remote, Anno, {atom, Anno, gimlet_token}, {atom, Anno, Name}}, Args}.

list(Anno, Items) ->
    lists:foldr(fun(Item, Tail) -> {cons, Anno, Item, Tail} end, {nil, Anno}, Items).

%% Returns how a function takes its turn. For builtins the machine's tables are appended to this text as
%% clauses of row/3; the others are functions written in Erlang that make one observable call.
kind(Module, Name, Arity) ->
    case row(Module, Name, Arity) of
        none -> kind_of_code(Module, Name, Arity);
        Kind -> Kind
    end.

kind_of_code(erlang, hibernate, 3) -> hibernate;
kind_of_code(erlang, spawn_request, _) -> request;
kind_of_code(erlang, Name, _) when
    Name =:= spawn; Name =:= spawn_link; Name =:= spawn_monitor; Name =:= spawn_opt
-> spawn;
kind_of_code(erlang, disconnect_node, 1) -> turn;
kind_of_code(ets, Name, _) ->
    unless([match_spec_compile, match_spec_run, is_compiled_ms, fun2ms, repair_continuation], Name);
kind_of_code(counters, Name, _) -> unless([new, info], Name);
kind_of_code(_, _, _) -> local.

unless(Names, Name) ->
    case lists:member(Name, Names) of
        true -> local;
        false -> turn
    end.

%% In the rewritten program ----------------------------------------------------------------

call(Module, Name, Args) ->
    case get(gimlet_token) of
        undefined -> apply(Module, Name, Args);
        Me -> scheduled(Me, Module, Name, Args)
    end.

scheduled(Me, erlang, apply, [Module, Name, Args]) ->
    scheduled(Me, Module, Name, Args);
scheduled(Me, Module, Name, Args) when is_atom(Module), is_atom(Name), is_list(Args) ->
    How = case kind(Module, Name, length(Args)) of
        local -> ok;
        turn -> turn(Me, step);
        table -> is_named(Args) andalso turn(Me, step);
        flag -> hd(Args) =:= trap_exit andalso turn(Me, step);
        info -> is_noticed(Args) andalso turn(Me, step);
        nodes -> is_alive() andalso turn(Me, step);
        clock -> is_fine(Args) andalso turn(Me, step);
        unique -> is_ordered(Args) andalso turn(Me, step);
        system_info -> is_changing(Args) andalso turn(Me, step);
        _ -> ok
    end,
    case kind(Module, Name, length(Args)) of
        spawn -> start(Me, Name, Args);
        request -> request(Me, Args);
        timer -> start_timer(Me, Name, Args);
        cancel -> cancel(Me, cancel, Args);
        signal -> signal(Me, Args);
        read -> cancel(Me, read, Args);
        hibernate -> erlang:hibernate(gimlet_token, live, [Me, list_to_tuple(Args)]);
        _ when How =:= loses -> sent_in_vain(Name, Args);
        _ -> apply(Module, Name, Args)
    end;
scheduled(_, Module, Name, Args) ->
    apply(Module, Name, Args).

%% Returns the result of sending without sending.
sent_in_vain(send, [_, _, _]) -> ok;
sent_in_vain(send_nosuspend, _) -> true;
sent_in_vain(_, [_, Message | _]) -> Message.

%% Whether the new table has a name, or an heir, which must exist.
is_named([_, Options | _]) when is_list(Options) ->
    lists:any(
        fun(named_table) -> true; ({heir, Pid, _}) -> is_pid(Pid); (_) -> false end, Options
    );
is_named(_) ->
    false.

is_noticed([Pid | Items]) ->
    Noticed = [messages, message_queue_len, registered_name, links, group_leader],
    Pid =/= self() orelse lists:any(fun(It) -> lists:member(It, Noticed) end, lists:flatten(Items)).

%% Whether a unit of time is so fine that a run does not happen at a single instant.
is_fine([Unit]) when is_integer(Unit) -> Unit > 1000;
is_fine([Unit]) -> not lists:member(Unit, [second, millisecond, seconds, milli_seconds]);
is_fine([]) -> true.

is_changing([Item]) -> lists:member(Item, changing_items()).

is_ordered([Options]) when is_list(Options) -> lists:member(monotonic, Options);
is_ordered(_) -> false.

%% Returns how long a receive may wait once it has its turn.
patience(Time) ->
    case get(gimlet_token) of
        undefined -> Time;
        Me ->
            case turn(Me, {wait, Time}) of
                takes -> infinity;
                gives_up when is_integer(Time) -> 0;
                _ -> Time
            end
    end.

pause(infinity) ->
    Left = patience(infinity),
    receive after Left -> ok end;
pause(Time) ->
    Left = case get(gimlet_token) of
        Me when Me =/= undefined, is_integer(Time), Time > 0 -> 0;
        _ -> Time
    end,
    receive after Left -> ok end.

%% Waits for the token; messages to the process stay in the mailbox meanwhile.
turn({Name, Keeper}, What) ->
    Ask = make_ref(),
    Keeper ! {ask, Name, self(), Ask, What},
    receive {gimlet_token, Ask, How, Names} -> put(gimlet_names, Names), How end.

%% Returns the name of the next process or timer that the step starts.
next_name() ->
    case get(gimlet_names) of
        [Name | Names] -> put(gimlet_names, Names), Name;
        _ -> unknown
    end.

start({_, Keeper} = Me, Name, Args) ->
    turn(Me, step),
    Child = next_name(),
    {Node, Run, Options} = asked(Name, Args),
    is_callable(Run) orelse error(badarg),
    Started =
        case Node =:= node() of
            true ->
                erlang:spawn_opt(gimlet_token, live, [{Child, Keeper}, Run], Options);
            %% The other node replies with a message.
            false ->
                case lists:member(Node, nodes(connected)) of
                    true ->
                        There = erlang:spawn_opt(Node, gimlet_token, live, [{Child, Keeper}, Run], Options),
                        turn(Me, {wait, infinity}),
                        There;
                    false ->
                        turn(Me, {wait, infinity}),
                        in_vain(Me, Node, Run, Options)
                end
        end,
    Pid = case Started of {It, _} -> It; It -> It end,
    Child =:= unknown orelse (Keeper ! {born, Child, Pid}),
    Started.

%% Starts a process that ends at once, in place of one on a node that does not exist.
in_vain({_, Keeper} = Me, Node, Run, Options) ->
    {M, F, A} = case Run of {Fun, []} -> {erlang, apply, [Fun, []]}; _ -> Run end,
    turn(Me, step),
    Crash = {erts_internal, crasher, [Node, M, F, A, Options, noconnection]},
    erlang:spawn_opt(gimlet_token, live, [{next_name(), Keeper}, Crash], Options).

asked(Name, Args) ->
    {Run, Options} =
        case Name of
            spawn_opt -> {lists:droplast(Args), lists:last(Args)};
            _ -> {Args, option(Name)}
        end,
    case Run of
        [Fun] -> {node(), {Fun, []}, Options};
        [Node, Fun] -> {Node, {Fun, []}, Options};
        [M, F, A] -> {node(), {M, F, A}, Options};
        [Node, M, F, A] -> {Node, {M, F, A}, Options}
    end.

%% Starts a process by `spawn_request`: the caller is told of it by a message, and the process announces
%% itself to the keeper.
request({_, Keeper} = Me, Args) ->
    turn(Me, step),
    Child = next_name(),
    {Node, Run, Options} =
        case Args of
            [F] -> {node(), {F, []}, []};
            [F, O] when is_function(F) -> {node(), {F, []}, O};
            [N, F] -> {N, {F, []}, []};
            [N, F, O] when is_function(F) -> {N, {F, []}, O};
            [M, F, A] -> {node(), {M, F, A}, []};
            [M, F, A, O] when is_atom(F), is_list(A) -> {node(), {M, F, A}, O};
            [N, M, F, A] -> {N, {M, F, A}, []};
            [N, M, F, A, O] -> {N, {M, F, A}, O}
        end,
    is_callable(Run) orelse error(badarg),
    erlang:spawn_request(Node, gimlet_token, live, [{Child, Keeper}, Run], Options).

option(spawn) -> [];
option(spawn_link) -> [link];
option(spawn_monitor) -> [monitor].

is_callable({Fun, []}) -> is_function(Fun, 0);
is_callable({M, F, A}) -> is_atom(M) andalso is_atom(F) andalso is_list(A).

%% Runs a process under the token; its end is a step, too.
live({Name, Keeper} = Me, Run) ->
    put(gimlet_token, Me),
    Keeper ! {born, Name, self()},
    End =
        try
            case Run of
                {Fun, []} -> {value, Fun()};
                {M, F, A} -> {value, call(M, F, A)}
            end
        catch
            Class:Reason:Trace -> {raised, Class, Reason, clean(Trace)}
        end,
    turn(Me, step),
    Keeper ! {ended, Name, without_us(End)},
    case End of
        {value, _} -> ok;
        {raised, exit, Why, _} -> exit(Why);
        {raised, throw, Why, Where} -> exit({{nocatch, Why}, Where});
        {raised, error, Why, Where} -> exit({Why, Where})
    end.

%% Removes frames of the tool from a result, which may contain a caught exception.
without_us([{gimlet_token, Name, _, _} | Tail]) when is_atom(Name) -> without_us(Tail);
without_us([Head | Tail]) -> [without_us(Head) | without_us(Tail)];
without_us(Tuple) when is_tuple(Tuple) ->
    list_to_tuple([without_us(Part) || Part <- tuple_to_list(Tuple)]);
without_us(Other) -> Other.

clean(Trace) -> [Frame || Frame <- Trace, element(1, Frame) =/= gimlet_token].

%% The keeper holds the timers, which fire when it is their turn.
start_timer(Me, Name, [_, To | _] = Args) when is_pid(To), node(To) =/= node() ->
    turn(Me, step),
    apply(erlang, Name, Args);
start_timer({_, Keeper} = Me, Name, [_, To, Message | _]) ->
    turn(Me, step),
    Ref = make_ref(),
    Sent = case Name of send_after -> Message; start_timer -> {timeout, Ref, Message} end,
    Keeper ! {timer, next_name(), Ref, To, Sent},
    Ref.

cancel({_, Keeper} = Me, What, [Ref | _]) ->
    turn(Me, step),
    Ask = make_ref(),
    Keeper ! {What, self(), Ask, Ref},
    receive {gimlet_token, Ask, Left} -> Left end.

%% Sends an exit signal that arrives when it is its turn.
signal({_, Keeper} = Me, [To, Reason]) ->
    turn(Me, step),
    case next_name() of
        unknown -> exit(To, Reason);
        Name -> Keeper ! {signal, Name, self(), To, Reason}, true
    end.

%% The keeper of the token -----------------------------------------------------------------
%%
%% A step is {Name, next | takes | gives_up | loses, [NameOfWhatItStarts]}.

run(Module, Function, Args, Steps) ->
    run(Module, Function, Args, Steps, #{}).

%% Runs a call on several nodes, which are reached through `Echoes`.
run(Module, Function, Args, Steps, Echoes) ->
    Keeper = self(),
    First = <<"P">>,
    {Pid, _} = spawn_monitor(fun() -> live({First, Keeper}, {Module, Function, Args}) end),
    State = #{
        pids => #{First => Pid}, names => #{Pid => First}, asking => #{}, timers => #{},
        ends => #{}, dead => #{}, nodes => Echoes
    },
    {Fate, Last} = follow(Steps, 0, State),
    Free = freely(Last, erlang:monotonic_time(millisecond) + 700),
    Ends = maps:get(ends, Free),
    End =
        case Ends of
            #{First := It} -> It;
            #{} -> maps:get(First, maps:get(dead, Free), waiting)
        end,
    Others = maps:to_list(maps:remove(First, Ends)),
    {followed, Fate, End, [{Name, It} || {Name, {raised, _, _, _} = It} <- Others, is_binary(Name)]}.

follow([], _, State) ->
    settle(State),
    {whole, State};
follow([{Name, How, Names} | Steps], N, State) ->
    settle(State),
    case State of
        #{timers := #{Name := {_, To, Message}} = Timers} ->
            catch To ! Message,
            follow(Steps, N + 1, State#{timers := maps:remove(Name, Timers)});
        #{timers := #{Name := {signal, From, To, Reason}} = Timers} ->
            arrive(From, To, Reason),
            follow(Steps, N + 1, State#{timers := maps:remove(Name, Timers)});
        #{nodes := #{Name := Echo} = Nodes} ->
            Left = maps:remove(Name, Nodes),
            gimlet_nodes:fall(Echo, maps:values(Left)),
            follow(Steps, N + 1, State#{nodes := Left});
        #{} ->
            case until_asks(Name, State) of
                {asks, {Pid, Ask, What}, Asked} ->
                    Left = maps:remove(Name, maps:get(asking, Asked)),
                    Fits = fits(What, How),
                    Fits andalso (Pid ! {gimlet_token, Ask, How, Names}),
                    case until_asks(Name, Asked#{asking := Left}) of
                        %% An exit signal to the process is on its way.
                        {gone, Next} -> follow(Steps, N + 1, Next);
                        {asks, _, Next} -> follow(Steps, N + 1, Next);
                        {late, Late} when Fits -> {{lost, N}, Late};
                        {late, #{asking := Others} = Late} ->
                            {{lost, N}, Late#{asking := Others#{Name => {Pid, Ask, What}}}}
                    end;
                %% The process was ended by a signal, which was its step.
                {gone, Next} -> follow(Steps, N + 1, Next);
                {late, Late} -> {{lost, N}, Late}
            end
    end.

%% Delivers an exit signal; a process that traps exits gets a message with the sender.
arrive(From, To, Reason) ->
    case catch erpc:call(node(To), erlang, process_info, [To, trap_exit]) of
        {trap_exit, true} when Reason =/= kill -> To ! {'EXIT', From, Reason};
        _ -> exit(To, Reason)
    end.

%% Waits until everything sent to other nodes has arrived, before the next turn.
settle(#{nodes := Nodes}) when map_size(Nodes) > 0 -> gimlet_nodes:settle(maps:values(Nodes));
settle(_) -> ok.

fits(step, next) -> true;
fits(step, loses) -> true;
fits({wait, _}, takes) -> true;
fits({wait, _}, gives_up) -> true;
fits(_, _) -> false.

until_asks(Name, #{asking := Asking, dead := Dead} = State) ->
    case {Asking, Dead} of
        {#{Name := Ask}, _} -> {asks, Ask, State};
        {_, #{Name := _}} -> {gone, State};
        _ ->
            case heard(State, 1000) of
                nothing -> {late, State};
                Next -> until_asks(Name, Next)
            end
    end.

heard(State, Time) ->
    receive
        {ask, Name, Pid, Ask, What} ->
            #{asking := Asking} = State,
            State#{asking := Asking#{Name => {Pid, Ask, What}}};
        {born, Name, Pid} ->
            monitor(process, Pid),
            #{pids := Pids, names := Names} = State,
            State#{pids := Pids#{Name => Pid}, names := Names#{Pid => Name}};
        {ended, Name, End} ->
            #{ends := Ends} = State,
            State#{ends := Ends#{Name => End}};
        {timer, Name, Ref, To, Message} ->
            #{timers := Timers} = State,
            State#{timers := Timers#{Name => {Ref, To, Message}}};
        {signal, Name, From, To, Reason} ->
            #{timers := Timers} = State,
            State#{timers := Timers#{Name => {signal, From, To, Reason}}};
        {What, Pid, Ask, Ref} when What =:= cancel; What =:= read ->
            #{timers := Timers} = State,
            Found = [Name || {Name, {It, _, _}} <- maps:to_list(Timers), It =:= Ref],
            Pid ! {gimlet_token, Ask, case Found of [] -> false; _ -> 1 end},
            case {What, Found} of
                {cancel, [Name]} -> State#{timers := maps:remove(Name, Timers)};
                _ -> State
            end;
        {'DOWN', _, process, Pid, Reason} ->
            #{names := Names, dead := Dead, asking := Asking} = State,
            case Names of
                #{Pid := Name} ->
                    State#{dead := Dead#{Name => {exited, Reason}}, asking := maps:remove(Name, Asking)};
                #{} ->
                    State
            end
    after Time ->
        nothing
    end.

%% Lets the remaining processes run freely, until all are done or the time is over.
freely(#{asking := Asking} = State, Until) when map_size(Asking) > 0 ->
    [Pid ! {gimlet_token, Ask, freely, []} || {Pid, Ask, _} <- maps:values(Asking)],
    freely(State#{asking := #{}}, Until);
freely(#{names := Names, dead := Dead} = State, Until) ->
    Left = Until - erlang:monotonic_time(millisecond),
    case map_size(Dead) >= map_size(Names) orelse Left =< 0 of
        true -> State;
        false ->
            case heard(State, Left) of
                nothing -> State;
                Next -> freely(Next, Until)
            end
    end.
