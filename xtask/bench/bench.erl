%% What the machine's speed is measured on. Each function returns a checksum that both sides
%% must agree on.
-module(bench).
-export([fib/1, nrev/1, qsort/1, words/1, parse/1, strings/1, ping_pong/1]).
-export([long3/1, long4/1, long5/1, long6/1, long7/1]).
-export([init/1, handle_call/3, handle_cast/2]).

-behaviour(gen_server).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

%% Computes for so many steps on what is not symbolic, then looks at its input.
long3(X) -> long(1000, X).
long4(X) -> long(10000, X).
long5(X) -> long(100000, X).
long6(X) -> long(1000000, X).
long7(X) -> long(10000000, X).

long(N, X) ->
    Sum = work(N, 0),
    case X of
        {Sum, _} -> error(found);
        [_, _ | T] when is_list(T) -> two;
        _ -> ok
    end.

work(0, Sum) -> Sum;
work(N, Sum) -> work(N - 1, (Sum * 7 + N) band 65535).

%% Naive reverse of a list, many times.
nrev(Times) -> nrev(Times, lists:seq(1, 300), 0).

nrev(0, _, Sum) -> Sum;
nrev(Times, List, Sum) -> nrev(Times - 1, List, Sum + hd(naive(List))).

naive([]) -> [];
naive([H | T]) -> append(naive(T), [H]).

append([], Ys) -> Ys;
append([X | Xs], Ys) -> [X | append(Xs, Ys)].

%% Quicksort of pseudo-random integers.
qsort(N) ->
    Sorted = sort(numbers(N, 42, [])),
    lists:nth(N div 2, Sorted) + length(Sorted).

numbers(0, _, Acc) -> Acc;
numbers(N, Seed, Acc) -> numbers(N - 1, (Seed * 1103515245 + 12345) band 16#7fffffff, [Seed | Acc]).

sort([]) -> [];
sort([Pivot | Rest]) ->
    {Smaller, Larger} = split(Pivot, Rest, [], []),
    sort(Smaller) ++ [Pivot | sort(Larger)].

split(_, [], Smaller, Larger) -> {Smaller, Larger};
split(Pivot, [X | Rest], Smaller, Larger) when X < Pivot ->
    split(Pivot, Rest, [X | Smaller], Larger);
split(Pivot, [X | Rest], Smaller, Larger) ->
    split(Pivot, Rest, Smaller, [X | Larger]).

%% Counts words in a map.
words(N) ->
    Counts = count(numbers(N, 7, []), #{}),
    maps:fold(fun(_, Count, Acc) -> Acc + Count * Count end, 0, Counts) + maps:size(Counts).

count([], Counts) -> Counts;
count([X | Rest], Counts) ->
    Word = element(1 + X rem 8, {apple, pear, plum, fig, kiwi, lime, nut, rye}),
    Key = {Word, X rem 500},
    case Counts of
        #{Key := N} -> count(Rest, Counts#{Key := N + 1});
        #{} -> count(Rest, Counts#{Key => 1})
    end.

%% A length-prefixed protocol, built once and parsed several times.
parse(Times) ->
    Packets = << <<(N rem 50):8, 0:((N rem 50) * 8), (N * 7):16>> || N <- lists:seq(1, 2000) >>,
    parse(Times, Packets, 0).

parse(0, _, Sum) -> Sum;
parse(Times, Packets, Sum) -> parse(Times - 1, Packets, Sum + packets(Packets, 0)).

packets(<<Size:8, Body:Size/binary, Check:16, Rest/binary>>, Sum) ->
    packets(Rest, Sum + Check + bytes(Body, 0));
packets(<<>>, Sum) -> Sum.

bytes(<<Byte, Rest/binary>>, Sum) -> bytes(Rest, Sum + Byte + 1);
bytes(<<>>, Sum) -> Sum.

%% Builds text as iolists, strings and binaries.
strings(N) -> strings(N, <<>>, 0).

strings(0, Acc, Sum) -> byte_size(Acc) + Sum;
strings(N, Acc, Sum) ->
    Text = integer_to_list(N) ++ ", " ++ atom_to_list(item),
    Line = iolist_to_binary([Text, $:, <<" ok">>]),
    strings(N - 1, <<Acc/binary, Line/binary, $\n>>, Sum + length(Text)).

%% Calls to a server.
ping_pong(N) ->
    {ok, Server} = gen_server:start_link(?MODULE, 0, []),
    Sum = calls(N, Server, 0),
    ok = gen_server:stop(Server),
    Sum.

calls(0, _, Sum) -> Sum;
calls(N, Server, Sum) -> calls(N - 1, Server, Sum + gen_server:call(Server, {add, N})).

init(State) -> {ok, State}.

handle_call({add, N}, _From, State) -> {reply, State + N, State + 1}.

handle_cast(_, State) -> {noreply, State}.
