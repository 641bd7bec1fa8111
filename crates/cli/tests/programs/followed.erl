%% Inputs that go into what processes share: each function exits with `found' for one kind of input only, and
%% nothing but following the builtin leads there.
-module(followed).
-export([sent_later/1, timer_started/1, timer_time/1, waits/1, counted/1, counted_at/1, wrapped/1,
         atomic/1, atomic_index/1, atomic_round/1, counter/1, exchanged/1, term/1,
         matched/1, matched_object/1, selected/1, selected_value/1, pattern/1, guard/1, replaced/1,
         deleted/1, deleted_object/1, in_bag/1, first_key/1, next_key/1, select_counted/1,
         name_sent_to/1, name_looked_up/1, name_given/1, spawned/1, key_read_before/1, key_put_before/1]).
-export([ends/0, stays/0]).

sent_later(X) ->
    erlang:send_after(10, self(), X),
    receive 42 -> exit(found); _ -> ok end.

timer_started(X) ->
    R = erlang:start_timer(10, self(), X),
    receive {timeout, R, 42} -> exit(found); _ -> ok end.

%% Only what is short can be there before a time is over that is short.
timer_time(T) when is_integer(T), T >= 0, T < 5000 ->
    erlang:send_after(T, self(), a),
    receive a -> ok after 20 -> exit(found) end;
timer_time(_) -> ok.

waits(T) when is_integer(T), T >= 0, T < 5000 ->
    P = self(),
    spawn(fun() -> P ! a end),
    receive a -> ok after T -> exit(found) end;
waits(_) -> ok.

table(Options, Objects) ->
    T = ets:new(t, [public | Options]),
    ets:insert(T, Objects),
    T.

counted(K) when is_integer(K) ->
    T = table([], {c, 0}),
    case ets:update_counter(T, c, K) of 77 -> exit(found); _ -> ok end;
counted(_) -> ok.

counted_at(K) when is_integer(K) ->
    T = table([], {c, 0, 1}),
    ets:update_counter(T, c, [{2, 1}, {3, K}]),
    case ets:lookup(T, c) of [{c, 1, 77}] -> exit(found); _ -> ok end;
counted_at(_) -> ok.

wrapped(K) when is_integer(K), K > 0 ->
    T = table([], {c, 5}),
    case ets:update_counter(T, c, {2, K, 1000, 0}) of 0 -> exit(found); _ -> ok end;
wrapped(_) -> ok.

atomic(K) when is_integer(K), K > 0, K < 1000 ->
    A = atomics:new(1, []),
    atomics:add(A, 1, K),
    case atomics:get(A, 1) of 77 -> exit(found); _ -> ok end;
atomic(_) -> ok.

atomic_index(K) when is_integer(K), K > 0, K < 4 ->
    A = atomics:new(3, []),
    atomics:put(A, 2, 1),
    case atomics:get(A, K) of 1 -> exit(found); _ -> ok end;
atomic_index(_) -> ok.

atomic_round(K) when is_integer(K), K > 0, K < 1000 ->
    A = atomics:new(1, []),
    atomics:put(A, 1, 16#7fffffffffffff00),
    case atomics:add_get(A, 1, K) of N when N < 0 -> exit(found); _ -> ok end;
atomic_round(_) -> ok.

counter(K) when is_integer(K), K > 0, K < 1000 ->
    C = counters:new(1, [write_concurrency]),
    counters:sub(C, 1, K),
    case counters:get(C, 1) of -77 -> exit(found); _ -> ok end;
counter(_) -> ok.

exchanged(K) when is_integer(K), K > 0, K < 1000 ->
    A = atomics:new(1, []),
    atomics:put(A, 1, K),
    case atomics:compare_exchange(A, 1, 917, 3) of ok -> exit(found); _ -> ok end;
exchanged(_) -> ok.

term(K) ->
    persistent_term:put({?MODULE, 917}, 1),
    case persistent_term:get({?MODULE, K}, no) of 1 -> exit(found); _ -> ok end.

matched(X) ->
    T = table([], {X, 1}),
    case ets:match(T, {boom, '$1'}) of [[1]] -> exit(found); _ -> ok end.

matched_object(X) ->
    T = table([], [{a, 1}, {b, X}]),
    case ets:match_object(T, {'_', {boom, '_'}}) of [_] -> exit(found); _ -> ok end.

selected(X) when is_integer(X) ->
    T = table([], {a, X}),
    Spec = [{{a, '$1'}, [{'>', {'+', '$1', 1}, 100}, {'=<', '$1', 100}], ['$1']}],
    case ets:select(T, Spec) of [_] -> exit(found); _ -> ok end;
selected(_) -> ok.

selected_value(X) ->
    T = table([], {a, X}),
    case ets:select(T, [{{a, '$1'}, [], ['$1']}]) of [55] -> exit(found); _ -> ok end.

pattern(X) when is_atom(X) ->
    T = table([], [{a, 1}, {b, 2}]),
    case ets:match(T, {X, '$1'}) of [[2]] -> exit(found); _ -> ok end;
pattern(_) -> ok.

guard(X) when is_integer(X) ->
    T = table([], [{a, 1}, {b, 200}]),
    case ets:select(T, [{{'$1', '$2'}, [{'<', '$2', X}], ['$1']}]) of [a] -> exit(found); _ -> ok end;
guard(_) -> ok.

replaced(X) ->
    T = table([], {c, X}),
    case ets:select_replace(T, [{{c, 7}, [], [{{c, 8}}]}]) of 1 -> exit(found); _ -> ok end.

deleted(X) ->
    T = table([], {a, X}),
    ets:match_delete(T, {a, 917}),
    case ets:info(T, size) of 0 -> exit(found); _ -> ok end.

deleted_object(X) ->
    T = table([bag], [{c, 5}, {c, 6}]),
    ets:delete_object(T, {c, X}),
    case ets:lookup(T, c) of [{c, 6}] -> exit(found); _ -> ok end.

in_bag(X) ->
    T = table([bag], {c, 55}),
    ets:insert(T, {c, X}),
    case ets:lookup(T, c) of [_] -> exit(found); _ -> ok end.

first_key(X) ->
    T = table([], {X, 1}),
    case ets:first(T) of 917 -> exit(found); _ -> ok end.

next_key(X) when is_integer(X) ->
    T = table([ordered_set], [{1, 1}, {10, 2}, {100, 3}]),
    case ets:next(T, X) of 100 -> exit(found); _ -> ok end;
next_key(_) -> ok.

select_counted(X) ->
    T = table([], {a, X}),
    case ets:select_count(T, [{{a, 917}, [], [true]}]) of 1 -> exit(found); _ -> ok end.

name_sent_to(X) when is_atom(X) ->
    register(alice, self()),
    catch (X ! hi),
    receive hi -> exit(found) after 10 -> ok end;
name_sent_to(_) -> ok.

name_looked_up(X) when is_atom(X) ->
    register(alice, self()),
    case whereis(X) of undefined -> ok; _ -> exit(found) end;
name_looked_up(_) -> ok.

%% Only if the name was given before somebody asks for it.
name_given(X) when is_atom(X), X =/= undefined ->
    P = self(),
    spawn(fun() -> register(X, self()), P ! done, receive stop -> ok end end),
    case whereis(srv) of undefined -> ok; _ -> exit(found) end,
    receive done -> ok end;
name_given(_) -> ok.

spawned(F) when is_atom(F) ->
    {_, R} = spawn_monitor(?MODULE, F, []),
    receive {'DOWN', R, _, _, boom} -> exit(found); {'DOWN', R, _, _, _} -> ok end;
spawned(_) -> ok.

ends() -> exit(boom).

stays() -> ok.

%% The two meet at one object only for one key.
key_read_before(X) ->
    T = table([], []),
    P = self(),
    spawn(fun() -> ets:insert(T, {X, 1}), P ! done end),
    case ets:lookup(T, 5) of [] -> ok; _ -> exit(found) end,
    receive done -> ok end.

key_put_before(X) ->
    T = table([], []),
    P = self(),
    spawn(fun() -> P ! {read, ets:lookup(T, 5)} end),
    ets:insert(T, {X, 1}),
    receive {read, []} -> ok; {read, _} -> exit(found) end.
