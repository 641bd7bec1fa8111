%% Records the calls of a project's exported functions with their results, in a runtime that the user's
%% command started, such as one for the project's own tests.
%%
%% Must not interfere with the command: if the recorder fails, the command continues.
-module(gimlet_recorder).
-export([start/2]).

%% The maximum number of recorded calls of a function, and of those with arguments of one shape.
-define(MAX_KEPT, 60).
-define(MAX_ALIKE, 3).
%% Tracing of a function ends after this many calls.
-define(MAX_CALLS, 3000).
%% The maximum size of recorded arguments and results, in words.
-define(MAX_WORDS, 3000).
%% The depth to which shapes are distinguished, and the number of list elements in a shape.
-define(DEPTH, 4).
-define(ITEMS, 4).
%% Tracing ends if this many trace messages are queued, since the recorder is too slow then.
-define(MAX_WAITING, 200000).

%% Starts tracing of all modules that are loaded from now on. `Root' is the project's directory.
start(File, Root) ->
    Self = self(),
    Pid = spawn(fun () -> begin_watching(Self, File, Root) end),
    receive {Pid, ready} -> ok after 2000 -> ok end.

begin_watching(Parent, File, Root) ->
    process_flag(priority, high),
    process_flag(message_queue_data, off_heap),
    {ok, Out} = file:open(File, [raw, binary, append]),
    erlang:trace(all, true, [call]),
    watch(on_load),
    Parent ! {self(), ready},
    loop(#{out => Out, root => filename:split(Root), modules => #{}, functions => #{}, open => #{}}).

watch(What) ->
    erlang:trace_pattern(What, [{'_', [], [{exception_trace}]}], [global]).

loop(State) ->
    receive
        Event ->
            case process_info(self(), message_queue_len) of
                {message_queue_len, N} when N > ?MAX_WAITING ->
                    erlang:trace(all, false, [call]),
                    loop(told(Event, State));
                _ ->
                    loop(told(Event, State))
            end
    end.

told({trace, _, call, {_, F, _}}, State) when F =:= module_info; F =:= '__info__' ->
    State;
told({trace, Pid, call, {M, F, Args}}, State) ->
    case is_own(M, State) of
        {true, Next} -> called(Pid, {M, F, length(Args)}, Args, Next);
        {false, Next} -> Next
    end;
told({trace, Pid, return_from, MFA, Value}, State) ->
    ended(Pid, MFA, {value, Value}, State);
told({trace, Pid, exception_from, MFA, {Class, Reason}}, State) ->
    ended(Pid, MFA, {raised, Class, Reason}, State);
told(_, State) ->
    State.

%% Whether a module belongs to the project. Other modules are not traced after their first call, unless they
%% are loaded in another version.
is_own(M, #{modules := Modules, root := Root} = State) ->
    case Modules of
        #{M := true} -> {true, State};
        #{} ->
            Version = catch erlang:get_module_info(M, md5),
            case Modules of
                #{M := Version} -> {false, State};
                #{} ->
                    IsOwn = M =/= ?MODULE andalso (catch is_of_project(M, Root)) =:= true,
                    IsOwn orelse erlang:trace_pattern({M, '_', '_'}, false, [global]),
                    Known = case IsOwn of true -> true; false -> Version end,
                    {IsOwn, State#{modules := Modules#{M => Known}}}
            end
    end.

%% Whether the module's source is in the project, and not in a dependency or a test.
is_of_project(M, Root) ->
    Source = proplists:get_value(source, M:module_info(compile)),
    case lists:prefix(Root, Path = filename:split(real(Source))) of
        false -> false;
        true ->
            Below = lists:nthtail(length(Root), Path),
            Dirs = lists:droplast(Below),
            Name = lists:last(Below),
            not lists:any(fun (It) -> lists:member(It, ["deps", "_build", "test", "tests"]) end, Dirs)
                andalso not is_test(filename:rootname(Name))
    end.

is_test(Name) ->
    lists:any(fun (End) -> lists:suffix(End, Name) end, ["_tests", "_test", "_SUITE"]).

%% Resolves symbolic links, since rebar3 links the sources of a project into its build directory.
real(Path) ->
    real(filename:split(Path), []).

real([], Done) ->
    Done;
real([Part | Rest], Done) ->
    Path = case Done of [] -> Part; _ -> filename:join(Done, Part) end,
    case file:read_link(Path) of
        {ok, To} ->
            Beside = filename:join(filename:dirname(Path), To),
            real(Rest, real(normal(filename:split(Beside), []), []));
        {error, _} ->
            real(Rest, Path)
    end.

normal([".." | Rest], [_ | Done]) -> normal(Rest, Done);
normal(["." | Rest], Done) -> normal(Rest, Done);
normal([Part | Rest], Done) -> normal(Rest, [Part | Done]);
normal([], Done) -> lists:reverse(Done).

called(Pid, MFA, Args, #{functions := Functions, open := Open} = State) ->
    {NCalls, NKept, Shapes} = maps:get(MFA, Functions, {0, 0, #{}}),
    NCalls + 1 =:= ?MAX_CALLS andalso erlang:trace_pattern(MFA, false, [global]),
    Shape = erlang:phash2([shape(It, ?DEPTH) || It <- Args]),
    NAlike = maps:get(Shape, Shapes, 0),
    IsWanted = NKept < ?MAX_KEPT andalso NAlike < ?MAX_ALIKE
        andalso erts_debug:flat_size(Args) =< ?MAX_WORDS andalso is_text(Args),
    Known = case IsWanted of
        true -> {NCalls + 1, NKept + 1, Shapes#{Shape => NAlike + 1}};
        false -> {NCalls + 1, NKept, Shapes}
    end,
    Kept = case IsWanted of true -> Args; false -> none end,
    State#{functions := Functions#{MFA => Known},
           open := Open#{Pid => [{MFA, Kept} | maps:get(Pid, Open, [])]}}.

ended(Pid, MFA, End, #{open := Open} = State) ->
    case lists:dropwhile(fun ({It, _}) -> It =/= MFA end, maps:get(Pid, Open, [])) of
        [{_, Args} | Rest] ->
            Args =:= none orelse keep(MFA, Args, End, State),
            case Rest of
                [] -> State#{open := maps:remove(Pid, Open)};
                _ -> State#{open := Open#{Pid := Rest}}
            end;
        [] ->
            State
    end.

%% Writes a call to the file immediately, since the runtime may halt without notice.
keep({M, F, _}, Args, End, #{out := Out}) ->
    Shown = case End of
        {value, Value} ->
            case erts_debug:flat_size(Value) =< ?MAX_WORDS andalso is_text(Value) of
                true -> {value, Value};
                false -> value
            end;
        {raised, Class, Reason} ->
            case erts_debug:flat_size(Reason) =< ?MAX_WORDS andalso is_text(Reason) of
                true -> {raised, Class, Reason};
                false -> {raised, Class}
            end
    end,
    Bytes = term_to_binary({M, F, Args, Shown}),
    file:write(Out, [<<(byte_size(Bytes)):32>>, Bytes]).

%% Whether a term has the same meaning in another runtime.
is_text(T) when is_pid(T); is_port(T); is_reference(T) -> false;
is_text(T) when is_function(T) -> erlang:fun_info(T, type) =:= {type, external};
is_text([H | T]) -> is_text(H) andalso is_text(T);
is_text(T) when is_tuple(T) -> is_text(tuple_to_list(T));
is_text(T) when is_map(T) -> is_text(maps:to_list(T));
is_text(_) -> true.

%% The shape of a term: its structure without its data.
shape(T, _) when is_atom(T) -> T;
shape(T, _) when is_integer(T) -> if T < 0 -> negative; T =:= 0 -> zero; true -> positive end;
shape(T, _) when is_float(T) -> 0.5;
shape(<<>>, _) -> <<>>;
shape(T, _) when is_bitstring(T) -> is_binary(T);
shape([], _) -> [];
shape(_, 0) -> '_';
shape([_ | _] = T, N) -> lists:usort(items(T, ?ITEMS, N - 1));
shape(T, N) when is_tuple(T) -> list_to_tuple([shape(It, N - 1) || It <- tuple_to_list(T)]);
shape(T, N) when is_map(T) -> {map, [{key(K, N - 1), shape(V, N - 1)} || {K, V} <- maps:to_list(T)]};
shape(T, _) when is_function(T) -> {function, erlang:fun_info(T, arity)};
shape(_, _) -> handle.

items([H | T], Left, N) when Left > 0 -> [shape(H, N) | items(T, Left - 1, N)];
items([_ | _], _, _) -> [];
items([], _, _) -> [];
items(Tail, _, N) -> [{tail, shape(Tail, N)}].

key(K, _) when is_atom(K) -> K;
key(K, N) -> shape(K, N).
