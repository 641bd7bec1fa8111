%% Programs that want more than they should get, and programs that only look as if they did.
-module(budgets).
-export([deep/1, tail/1, foldr/1, garbage/1, forever/0, hog/1, atoms/1, square/1, bomb/0, stuck/0,
         later/1, small/1]).
-export([factorial/1, power/2, digits/1, number/1, double/1, shared/1, cells/1, maps/1, equal/1,
         hashed/1, flat/1, iolist/0, encoded/1, raised/1, kept/0, wide/1, zeros/1, copies/1, bytes/1,
         flood/0, letters/1, again/1, parts/1, nest/2, nests/1]).

deep(0) -> 0;
deep(N) -> 1 + deep(N - 1).

tail(0) -> done;
tail(N) -> tail(N - 1).

foldr(N) -> lists:foldr(fun(X, Sum) -> X + Sum end, 0, lists:seq(1, N)).

garbage(N) -> garbage(N, {N, [N]}).

garbage(0, {_, [Last]}) -> Last;
garbage(N, {_, _}) -> garbage(N - 1, {N, [N]}).

forever() -> forever().

hog(List) -> hog([List | List]).

atoms(N) -> atoms(N, list_to_atom("made_" ++ integer_to_list(N))).

atoms(N, _) -> atoms(N + 1).

square(N) -> square(N * N).

bomb() -> spawn(fun bomb/0), bomb().

stuck() -> receive never -> ok end.

later(Millis) -> receive never -> ok after Millis -> later end.

small([]) -> 0;
small([X | Rest]) when is_integer(X) -> X + small(Rest);
small([{X, Name} | Rest]) -> X + length(atom_to_list(Name)) + small(Rest).

%% Single operations that would take longer, or more memory, than anyone has.

factorial(0) -> 1;
factorial(N) -> N * factorial(N - 1).

power(_, 0) -> 1;
power(Base, N) when N band 1 =:= 0 -> power(Base * Base, N div 2);
power(Base, N) -> Base * power(Base, N - 1).

digits(N) -> length(integer_to_list(power(3, N))).

number(N) -> list_to_integer(lists:duplicate(N, $7)).

double(List) -> double(List ++ List).

shared(N) -> lists:foldl(fun(_, A) -> {A, A} end, N, lists:seq(1, 60)).
cells(N) -> lists:foldl(fun(_, A) -> [A | A] end, N, lists:seq(1, 60)).
maps(N) -> lists:foldl(fun(_, A) -> #{A => A} end, N, lists:seq(1, 60)).

equal(N) ->
    {shared(N) =:= shared(N), cells(N) == cells(N), maps(N) =:= maps(N), shared(1) < shared(2)}.

hashed(N) -> erlang:phash2(shared(N)).
flat(N) -> erts_debug:flat_size(shared(N)).
iolist() -> iolist_size(lists:foldl(fun(_, A) -> [A | A] end, "a", lists:seq(1, 60))).
encoded(N) -> term_to_binary(shared(N)).
raised(N) -> error(shared(N)).

kept() -> Parent = self(), spawn(fun() -> Parent ! shared(1) end), receive {A, A} -> kept end.

wide(N) -> length(io_lib:format("~*c", [N, $x])).
zeros(N) -> byte_size(<<0:N>>).
copies(N) -> byte_size(binary:copy(<<"0123456789">>, N)).
bytes(N) -> length(binary_to_list(binary:copy(<<"0">>, N))).
flood() -> io:put_chars(lists:duplicate(1000, $x)), flood().
letters(N) -> self() ! N, letters(N + 1).
again(List) -> List = lists:reverse(lists:reverse(List)), again(List).
parts(N) -> B = binary:copy(<<"a">>, 1000000), [B || _ <- lists:seq(1, N)].

nest(0, Nest) -> Nest;
nest(N, Nest) -> nest(N - 1, {Nest}).

nests(N) -> nest(N, []) =:= nest(N, []) andalso is_integer(erlang:phash2(nest(N, []))).
