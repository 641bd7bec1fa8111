%% What specs can't say: which texts, functions and records are meant. See `levels.rs`.
-module(unsaid).
-export([month/1, volume/1, shout/1, day/1, kept/2, sorted/2, counted/2, used/1, spent/1, new/1, limited/2,
         remote/1, front/1, second/1, called/3]).

-record(meter, {limit = none, used = 0}).

%% Only some texts are months, and there is no result for others.
-spec month(string()) -> integer().
month("Jan") -> 1;
month("Feb") -> 2;
month("No." ++ Number) -> list_to_integer(Number).

%% The same, but a text that is none has a result: it is promised.
-spec volume(string()) -> {ok, 1..3} | error.
volume("low") -> {ok, 1};
volume("lo") -> {ok, 2};
volume([$l, $o | Rest]) -> volume_of(Rest);
volume(_) -> error.

volume_of("ud") -> {ok, 3}.

%% What comes of a text is a text: it should take all of them.
-spec shout(string()) -> string().
shout([First | Rest]) -> [max(First - 32, 0) | Rest].

%% Texts are refused by an exception of its own, but not this one.
-spec day(binary()) -> 1..7.
day(<<"mon", Rest/binary>>) -> rest(Rest);
day(_) -> error(badarg).

rest(<<>>) -> 1;
rest(<<"day">>) -> 1.

%% Nothing says how many arguments the function takes, nor what it returns.
-spec kept(fun(), [term()]) -> [term()].
kept(F, L) -> [X || X <- L, F(X)].

-spec sorted(fun((term()) -> term()), [term()]) -> {[term()], [term()]}.
sorted(F, L) -> {[X || X <- L, F(X)], [X || X <- L, not F(X)]}.

%% The spec does, and it is not so of 0.
-spec counted(fun((integer()) -> integer()), integer()) -> integer().
counted(F, N) -> 100 div (F(N) - 3).

%% A meter is made with a limit that is a number or `none'.
new(Limit) when is_integer(Limit) -> #meter{limit = Limit}.

limited(#meter{} = Meter, Used) when is_integer(Used) -> Meter#meter{used = Used}.

used(#meter{limit = none}) -> 0;
used(#meter{limit = Limit, used = Used}) -> Used / Limit.

-spec spent(#meter{}) -> number().
spent(#meter{used = Used}) -> Used + 1.

%% No such module is anywhere.
remote(X) -> unsaid_and_not_there:go(X).

%% The arguments are handed on, and the other function says what it takes.
-spec front(queue:queue()) -> term().
front(Q) -> queue:get(Q).

-spec second(queue:queue()) -> term().
second(Q) -> queue:len(queue:tail(Q)).

%% Whatever is named is called.
called(Module, Function, Args) -> apply(Module, Function, Args).
