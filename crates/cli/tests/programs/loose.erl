%% What specs say only loosely: which atoms, keys, handles and functions are meant. See `loose.rs`.
-module(loose).
-export([setting/1, known/1, new/0, put/3, take/2, held/2, share/2, process/2, method/1, first/2, each/2, say/2,
         total/1, total/2, compiled/1, told/2, key/1, digits/1, size_of/1, either/1, sized/2]).
-export_type([shelf/0]).

-opaque shelf() :: #{integer() => integer()}.

%% Only some atoms are settings, and there is no result for others.
-spec setting(atom()) -> pos_integer().
setting(width) -> 80;
setting(height) -> 25.

%% The same, but there is one.
-spec known(atom()) -> {ok, pos_integer()} | {error, atom()}.
known(width) -> {ok, 80};
known(height) -> {ok, 25}.

-spec new() -> shelf().
new() -> #{}.

-spec put(integer(), integer(), shelf()) -> shelf().
put(Id, N, Shelf) -> Shelf#{Id => N}.

%% No type says which keys are there.
-spec take(integer(), shelf()) -> shelf().
take(Id, Shelf) ->
    {ok, _} = found(Id, Shelf),
    maps:remove(Id, Shelf).

%% A result for a key that is not there is declared, and forgotten.
-spec held(integer(), [{integer(), integer()}]) -> integer() | undefined.
held(Id, Shelf) ->
    {Id, N} = lists:keyfind(Id, 1, Shelf),
    N.

%% What is there need not be a divisor.
-spec share(integer(), shelf()) -> float().
share(Id, Shelf) ->
    case found(Id, Shelf) of
        {ok, N} -> 1 / N;
        error -> 0.0
    end.

found(Id, Shelf) -> maps:find(Id, Shelf).

%% Not every such text stands for a process that can be.
-spec process(1..9, 0..9) -> pid().
process(A, B) -> list_to_pid([$<, $0 + A, $., $0 + B, $., $0, $>]).

%% An atom that stands for one text says no to none, and a part of a text is none that is made.
-spec method(binary()) -> '*' | binary().
method(<<"*">>) -> '*';
method(<<C, _/binary>> = Text) when C >= $A, C =< $Z -> Text.

%% The spec says what one of the functions returns.
-spec first(fun((integer()) -> integer()), fun((term()) -> term())) -> integer().
first(F, G) -> G(F(1)).

-spec each(fun(), [integer()]) -> [term()].
each(F, L) -> lists:map(F, L) ++ [done].

%% What else is needed depends on the text.
-spec say(string(), [term()]) -> string().
say(Text, Args) -> lists:flatten(io_lib:format(Text, Args)).

-spec total([integer()]) -> {ok, integer()}.
total(L) -> total(L, 0).

-spec total([integer()], integer()) -> {ok, integer()}.
total(L, N) -> lists:sum(L) + N.

%% What is a match specification, no type says.
-spec compiled([{tuple(), [term()], [term()]}]) -> ok.
compiled(Specs) ->
    _ = ets:match_spec_compile(Specs),
    ok.

%% No such device is there.
-spec told(atom(), 0..9) -> ok.
told(Device, N) -> io:put_chars(Device, [$0 + N, $!]).

%% Most texts are no keys: a format is read, whatever is made of it.
-spec key(binary()) -> binary().
key(<<$(, C, $), Rest/binary>>) -> key(Rest, <<C, C>>).

key(<<>>, Key) -> Key;
key(<<$;, Rest/binary>>, Key) -> <<Key/binary, Rest/binary>>.

%% A text is refused by an exception that shows what is wrong with it.
-spec digits(binary()) -> [0..9].
digits(<<>>) -> [];
digits(<<C, Rest/binary>>) when C >= $0, C =< $9 -> [C - $0 | digits(Rest)];
digits(<<C, _/binary>>) -> error({no_digit, C}).

%% No spec says that the numbers are bytes.
size_of(L) -> iolist_size(L) + 1.

%% The spec has a clause for each kind.
-spec either(pos_integer()) -> pos_integer(); (string()) -> pos_integer().
either(N) when is_integer(N) -> N;
either("Jan") -> 1.

%% A number is taken, but not beside `list'.
sized(number, X) -> X + 1;
sized(list, X) -> 100 div (hd(X) - 3).
