%% Programs that want more than they should get, and programs that only look as if they did.
-module(budgets).
-export([deep/1, tail/1, foldr/1, garbage/1, forever/0, hog/1, atoms/1, square/1, bomb/0, stuck/0,
         later/1, small/1]).

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
