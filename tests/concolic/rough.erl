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
