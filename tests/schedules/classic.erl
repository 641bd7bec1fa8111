%% Programs whose number of different schedules is known.
-module(classic).
-export([readers/1, last_zero/1, writers/1, wild/1, sel/1, counter/1, increments/1,
         philosophers/1, indexer/1, file_system/1, server/2, one_client/1, silent/0, alone/1,
         look_further/0]).

readers(N) ->
    T = ets:new(t, [public]),
    spawn(fun() -> ets:insert(T, {x, 42}) end),
    [spawn(fun() -> ets:lookup(T, I), ets:lookup(T, x) end) || I <- lists:seq(1, N)],
    receive after infinity -> ok end.

last_zero(N) ->
    T = ets:new(t, [public]),
    [ets:insert(T, {I, 0}) || I <- lists:seq(0, N)],
    spawn(fun() -> walk_down(T, N) end),
    [spawn(fun() ->
               [{_, V}] = ets:lookup(T, I - 1),
               ets:insert(T, {I, V + 1})
           end) || I <- lists:seq(1, N)],
    receive after infinity -> ok end.

walk_down(_, 0) -> ok;
walk_down(T, N) ->
    case ets:lookup(T, N) of
        [{_, 0}] -> ok;
        [_] -> walk_down(T, N - 1)
    end.

writers(N) ->
    T = ets:new(t, [public]),
    [spawn(fun() -> ets:insert(T, {x, I}) end) || I <- lists:seq(1, N)],
    receive after infinity -> ok end.

wild(N) ->
    Me = self(),
    [spawn(fun() -> Me ! {I, hello} end) || I <- lists:seq(1, N)],
    [receive M -> M end || _ <- lists:seq(1, N)].

sel(N) ->
    Me = self(),
    [spawn(fun() -> Me ! {I, hello} end) || I <- lists:seq(1, N)],
    [receive {I, M} -> M end || I <- lists:seq(1, N)].

%% Two operations on the counter each, then a word to whoever waits.
counter(N) ->
    Me = self(),
    T = ets:new(t, [public]),
    ets:insert(T, {c, 0}),
    [spawn(fun() ->
               ets:update_counter(T, c, 0),
               ets:update_counter(T, c, 1),
               Me ! done
           end) || _ <- lists:seq(1, N)],
    [receive done -> ok end || _ <- lists:seq(1, N)],
    ets:lookup(T, c).

%% Reads do not conflict with each other, nor do writes of the same.
increments(N) ->
    Me = self(),
    T = ets:new(t, [public]),
    ets:insert(T, {c, 0}),
    [spawn(fun() ->
               [{c, V}] = ets:lookup(T, c),
               ets:insert(T, {c, V + 1}),
               Me ! done
           end) || _ <- lists:seq(1, N)],
    [receive done -> ok end || _ <- lists:seq(1, N)],
    ets:lookup(T, c).

philosophers(N) ->
    Me = self(),
    Forks = list_to_tuple([spawn(fun fork/0) || _ <- lists:seq(1, N)]),
    [spawn(fun() ->
               Left = element(I, Forks),
               Right = element(I rem N + 1, Forks),
               take(Left), take(Right),
               put_back(Left), put_back(Right),
               Me ! full
           end) || I <- lists:seq(1, N)],
    [receive full -> ok end || _ <- lists:seq(1, N)],
    ok.

fork() ->
    receive {take, Pid} -> Pid ! {taken, self()} end,
    receive {put, Pid} -> fork() end.

take(Fork) ->
    Fork ! {take, self()},
    receive {taken, Fork} -> ok end.

put_back(Fork) -> Fork ! {put, self()}.

%% The two programs of Flanagan and Godefroid (POPL 2005, figures 2 and 3).
%%
%% Threads put four words each into a table of 128 places, by compare-and-swap, at the next place if
%% one is taken. Up to eleven of them never meet.
indexer(N) ->
    T = ets:new(t, [public]),
    [spawn(fun() -> put_words(T, Tid, 1) end) || Tid <- lists:seq(0, N - 1)],
    receive after infinity -> ok end.

put_words(_, _, 5) -> ok;
put_words(T, Tid, M) ->
    Word = M * 11 + Tid,
    put_word(T, Word, Word * 7 rem 128),
    put_words(T, Tid, M + 1).

put_word(T, Word, Place) ->
    case ets:insert_new(T, {Place, Word}) of
        true -> ok;
        false -> put_word(T, Word, (Place + 1) rem 128)
    end.

%% Threads give 32 inodes blocks out of 26; each inode and each block has a lock of its own. Up to 13
%% threads never meet.
file_system(N) ->
    T = ets:new(t, [public]),
    Locks = maps:from_list([begin
                                ets:insert(T, {Key, free}),
                                {Key, spawn(fun lock/0)}
                            end || Key <- [{inode, I} || I <- lists:seq(0, 31)]
                                       ++ [{block, I} || I <- lists:seq(0, 25)]]),
    [spawn(fun() -> give_block(T, Locks, Tid rem 32) end) || Tid <- lists:seq(0, N - 1)],
    receive after infinity -> ok end.

give_block(T, Locks, I) ->
    lock(Locks, {inode, I}),
    case ets:lookup(T, {inode, I}) of
        [{_, free}] -> find_block(T, Locks, I, I * 2 rem 26);
        [_] -> ok
    end,
    unlock(Locks, {inode, I}).

find_block(T, Locks, I, B) ->
    lock(Locks, {block, B}),
    case ets:lookup(T, {block, B}) of
        [{_, free}] ->
            ets:insert(T, {{block, B}, busy}),
            ets:insert(T, {{inode, I}, B}),
            unlock(Locks, {block, B});
        [_] ->
            unlock(Locks, {block, B}),
            find_block(T, Locks, I, (B + 1) rem 26)
    end.

lock() ->
    receive {lock, Pid} -> Pid ! {locked, self()} end,
    receive unlock -> lock() end.

lock(Locks, Key) ->
    Lock = map_get(Key, Locks),
    Lock ! {lock, self()},
    receive {locked, Lock} -> ok end.

unlock(Locks, Key) -> map_get(Key, Locks) ! unlock.

%% Figure 3 of the paper with any number of clients: the server ends with the last "last".
server(N, Clients) ->
    Me = self(),
    [spawn(fun() -> client(1, Me) end) || _ <- lists:seq(1, Clients)],
    serve(N, Clients).

serve(_, 0) -> ok;
serve(N, Clients) ->
    receive
        {Pid, M} when M < N -> Pid ! ok, serve(N, Clients);
        {Pid, M} when M >= N -> Pid ! last, serve(N, Clients - 1)
    end.

one_client(N) -> server(N, 1).

client(N, Pid) ->
    Pid ! {self(), N},
    receive
        ok -> client(N + 1, Pid);
        last -> ok
    end.

silent() -> receive after infinity -> ok end.

alone(X) when X > 3, X < 10 -> a;
alone(X) when is_atom(X) -> b;
alone(_) -> c.

%% What a reader does next depends on what it saw: the same two steps race in many runs, and each
%% time something else can come before them.
look_further() ->
    T = ets:new(t, [public]),
    [ets:insert(T, {Key, 0}) || Key <- [x, y, z]],
    Reads = fun(Key) -> ets:lookup_element(T, Key, 2) end,
    Further = fun() -> Reads(y) =:= 1 andalso Reads(z) end,
    [spawn(It) || It <- [
        fun() -> ets:insert(T, {z, 1}) end,
        fun() -> ets:insert(T, {x, 1}) end,
        fun() -> ets:insert(T, {y, 1}) end,
        fun() -> Reads(x) =:= 1 andalso Further() end,
        Further,
        fun() -> ets:insert(T, {x, 2}) end
    ]],
    receive after infinity -> ok end.
