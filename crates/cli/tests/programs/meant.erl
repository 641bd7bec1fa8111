%% Functions whose failures matter to different degrees: see `levels.rs`.
-module(meant).
-export([shared/1, average/1, port/1, first/1, kept/1, parsed/1, named/1, asked/1, looked_up/1, found/1,
         thrown/1, checked/1, typed/2, loose/2, outer/1, inner/1, unknown/1, memory/1, remote/1,
         letter/1, validated/1, option/1]).

%% Elements above 42 are compared, others are not taken: both ends are of integers.
shared(L) -> lists:map(fun(X) when X > 42; X < 42 -> X end, L).

%% The sum of no numbers is divided by their count.
average(L) -> lists:sum(L) / length(L).

%% Options are tagged tuples; the value of a port is a number.
port([{port, N} | _]) when is_integer(N), N > 0 -> 65536 div (N - 8080);
port([{host, _} | T]) -> port(T);
port([]) -> none.

first([X | _]) -> X + 1.

-spec kept(integer()) -> integer().
kept(X) -> 100 div (X - 7).

%% A text that ends too early.
parsed(<<N, Rest/binary>>) -> take(N, Rest).
take(0, Rest) -> Rest;
take(N, <<_, Rest/binary>>) -> take(N - 1, Rest).

named(M) -> M:run().

asked(X) when X > 3 -> gen_server:call(no_such_server, X);
asked(X) -> X.

looked_up(X) when X > 3 -> ets:lookup(no_such_table, X);
looked_up(X) -> X.

found(X) when X * X =:= 49 -> error(found);
found(X) -> X.

thrown(X) when X > 3 -> throw({too_large, X});
thrown(X) -> X.

checked(X) when X > 3 -> error(badarg);
checked(X) -> X.

%% The spec says nothing of the second argument.
-spec typed(integer(), term()) -> term().
typed(0, X) -> X + 1;
typed(_, X) -> X.

-spec loose(term(), term()) -> term().
loose(0, X) -> X + 1;
loose(_, X) -> X.

%% One cause that is seen through two functions.
outer(X) -> {ok, inner(X)}.
inner(X) when is_integer(X) -> 1 / (X - 5);
inner(X) -> X.

%% An option that nobody knows.
unknown(red) -> 1;
unknown(green) -> 2;
unknown({mixed, L}) -> lists:sum([unknown(X) || X <- L]).

%% Nobody has the name.
-spec memory(atom()) -> term().
memory(Name) -> process_info(whereis(Name), memory).

-spec remote(atom()) -> term().
remote(Node) -> gen_server:call({server, Node}, ask).

%% No text has a surrogate code point.
-spec letter(char()) -> binary().
letter(Code) -> <<Code/utf8>>.

%% What is no option is refused in the clause for everything else.
validated(verbose) -> 1;
validated({depth, N}) -> 1 + N;
validated(Other) -> error({unknown_option, Other}).

%% A function that hands its arguments to `error/2` speaks of them.
option(X) when X > 3 -> erlang:error(too_large, [X]);
option(X) -> X.
