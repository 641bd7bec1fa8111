%% Programs that a back end must survive, and what only the real runtime can compute.
-module(rough).
-compile([export_all, nowarn_export_all]).

halts(1) -> halt();
halts(2) -> apply(erlang, halt, [0]);
halts(3) -> F = fun erlang:halt/0, F();
halts(_) -> ok.

loops(1) -> loops(1);
loops(_) -> ok.

eats(X) when X > 17 -> eats(X, []);
eats(_) -> ok.

eats(X, L) -> eats(X, [erlang:make_tuple(1000, x) | L]).

kills(1) -> exit(self(), kill), ok;
kills(2) -> spawn_link(fun() -> exit(odd) end), timer:sleep(50), ok;
kills(_) -> ok.

files(1) -> file:delete("never");
files(2) -> catch file:read_file("never"), ok;
files(_) -> ok.

%% The clock is read once on BEAM, and the machine takes what it said.
clock(X) when is_integer(X) ->
    case erlang:system_time(second) of
        Now when Now > 1600000000, X =:= 7 -> error(late);
        _ -> ok
    end;
clock(_) -> ok.

%% A native function of another library: followed no further than its result.
digest(X) when is_binary(X) ->
    case crypto:hash(md5, X) of
        <<0, _/binary>> -> low;
        _ when byte_size(X) =:= 3 -> error(three);
        _ -> ok
    end;
digest(_) -> ok.

%% Computes for long on what is not symbolic, then looks at its input.
long(X) ->
    N = work(3000000, 0),
    case X of
        {N, _} -> error(found);
        _ -> ok
    end.

work(0, S) -> S;
work(N, S) -> work(N - 1, (S * 7 + N) band 65535).

%% Only the real runtime has it.
profiles(X) when X > 0 -> erlang:system_profile(undefined, []), ok;
profiles(_) -> ok.

%% A process that is left behind.
leaves(X) ->
    Pid = spawn(fun() -> receive stop -> ok end end),
    register(left_behind, Pid),
    case X of
        {a, Y} when Y > 3 -> error(found);
        _ -> ok
    end.

%% Messages between two real processes.
talks(X) ->
    Me = self(),
    Pid = spawn(fun() -> receive {From, Y} -> From ! {answer, Y, Y} end end),
    Pid ! {Me, X},
    receive
        {answer, [1, 2 | _], _} -> error(found);
        {answer, _, _} -> ok
    end.

%% Memory that is in no heap of the process, and tables of the whole runtime.
floods(1) -> binaries([]);
floods(2) -> byte_size(<<0:(1 bsl 40)>>);
floods(3) -> rows(ets:new(rows, [public]), 0);
floods(4) -> forks();
floods(5) -> atoms(0);
floods(6) -> letters(spawn(fun() -> receive never -> ok end end));
floods(_) -> ok.

binaries(L) -> binaries([binary:copy(<<"x">>, 10000000) | L]).

rows(T, N) -> ets:insert(T, {N, binary:copy(<<"x">>, 1000000)}), rows(T, N + 1).

forks() -> spawn(fun forks/0), spawn(fun forks/0), forks().

atoms(N) -> list_to_atom("rough_" ++ integer_to_list(N)), atoms(N + 1).

letters(Pid) -> Pid ! binary_to_list(binary:copy(<<"x">>, 100000)), letters(Pid).

%% Fewer atoms than one runtime holds, but not many times.
few_atoms(X) -> [list_to_atom("rough_" ++ integer_to_list(X * 150000 + N)) || N <- lists:seq(1, 150000)], ok.

%% Parts of the runtime that others need.
breaks(1) -> exit(group_leader(), kill), ok;
breaks(2) -> catch exit(whereis(code_server), kill), timer:sleep(20), ok;
breaks(3) -> [catch unregister(Name) || Name <- registered()], ok;
breaks(4) -> [exit(Pid, kill) || Pid <- processes(), Pid =/= self()], ok;
breaks(5) -> catch exit(whereis(init), kill), timer:sleep(20), ok;
breaks(_) -> ok.

%% What would be there for others too.
effects(1) -> os:cmd("true"), ok;
effects(2) -> open_port({spawn, "true"}, []), ok;
effects(3) -> gen_tcp:connect("localhost", 1, []), ok;
effects(4) -> file:write_file("never", "x"), ok;
effects(5) -> code:delete(calendar), ok;
effects(6) -> application:set_env(stdlib, rough, 1), ok;
effects(7) -> persistent_term:put(rough, 1), ok;
effects(8) -> os:putenv("ROUGH", "1"), ok;
effects(9) -> erlang:system_flag(backtrace_depth, 3), ok;
effects(10) -> Module = code, Module:delete(calendar), ok;
effects(11) -> F = fun application:set_env/3, F(stdlib, rough, 1), ok;
effects(12) -> apply(gen_udp, open, [0]), ok;
effects(_) ->
    undefined = application:get_env(stdlib, rough),
    none = persistent_term:get(rough, none),
    false = os:getenv("ROUGH"),
    {ok, clean}.

%% The dictionary is the program's own.
dictionary(X) ->
    put(a, X),
    All = get(),
    Keys = {get_keys(), get_keys([]), apply(erlang, get_keys, [])},
    Erased = erase(),
    {All, Keys, Erased, get()}.

%% A module that is rewritten is met by another process first.
meets(X) ->
    Me = self(),
    spawn(fun() -> Me ! {day, calendar:day_of_the_week(2024, 1, X)} end),
    receive {day, 3} -> error(wednesday); {day, Day} -> Day end.

%% Others do for it what it must not.
hands_on(1) -> spawn(file, delete, ["never"]), timer:sleep(20), ok;
hands_on(2) -> timer:apply_after(0, file, delete, ["never"]), timer:sleep(20), ok;
hands_on(3) -> proc_lib:spawn(fun() -> file:delete("never") end), timer:sleep(20), ok;
hands_on(4) -> {'EXIT', {badarg, _}} = (catch spawn(none)), ok;
hands_on(5) -> {'EXIT', {badarg, _}} = (catch spawn(m, f, none)), ok;
hands_on(6) -> {_, Ref} = spawn_monitor(lists, nth, [0, []]), receive {'DOWN', Ref, _, _, {R, _}} -> R end;
hands_on(7) -> {_, Ref} = spawn_opt(fun() -> exit(seven) end, [monitor]), receive {'DOWN', Ref, _, _, R} -> R end.

timers(X) ->
    {ok, _} = timer:send_after(1, {time, X}),
    receive {time, [_ | _]} -> error(found); {time, _} -> ok end.

%% Elements of two kinds, in some order.
ways([X | Rest]) when is_integer(X) -> ways(Rest);
ways([_ | Rest]) -> ways(Rest);
ways([]) -> ok.
