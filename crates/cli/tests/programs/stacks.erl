%% Types whose values only this module makes.
-module(stacks).
-export([new/0, push/2, pop/1, of_list/1, checked/1, forever/1, depth/1, label/2, name/1, broken/1]).
-export_type([stack/1, box/0]).

-opaque stack(T) :: {stack, non_neg_integer(), [T]}.

-record(box, {name :: atom(), size :: integer()}).
-type box() :: #box{}.

-spec new() -> stack(_).
new() -> {stack, 0, []}.

-spec push(T, stack(T)) -> stack(T).
push(X, {stack, N, L}) -> {stack, N + 1, [X | L]}.

%% Gives no stack for an empty list.
-spec of_list([T]) -> {ok, stack(T)} | {error, empty}.
of_list([]) -> {error, empty};
of_list(L) -> {ok, {stack, length(L), L}}.

%% Takes integers that are not negative, whatever its spec says.
-spec checked(integer()) -> stack(integer()).
checked(N) when N >= 0 -> {stack, 1, [N]}.

%% Does not end for 7.
-spec forever(integer()) -> stack(integer()).
forever(7) -> forever(7);
forever(N) -> {stack, 1, [N]}.

%% Wrong for a stack of three with 7 on the top.
-spec pop(stack(integer())) -> {integer(), stack(integer())} | empty.
pop({stack, 0, []}) -> empty;
pop({stack, N, [X | L]}) -> {top(N, X), {stack, N - 1, L}}.

top(3, 7) -> error(lost);
top(_, X) -> X.

%% Right for all stacks that there are: the number is the length.
-spec depth(stack(_)) -> non_neg_integer().
depth({stack, N, L}) when N =:= length(L) -> N.

-spec label(atom(), pos_integer()) -> box().
label(Name, Size) when is_atom(Name), Size > 0 -> #box{name = Name, size = Size}.

%% Right for all boxes that there are.
-spec name(box()) -> atom().
name(#box{name = Name, size = Size}) when Size > 0 -> Name.

%% Called by nobody as it should be: it fails for what it makes itself.
-spec broken(stack(integer())) -> stack(integer()).
broken({stack, 2, _}) -> error(two);
broken(S) -> S.
