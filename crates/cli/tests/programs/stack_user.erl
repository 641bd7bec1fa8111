%% Uses the opaque types of other modules.
-module(stack_user).
-export([total/1, drain/1, pair/1, plain/1]).

-spec total([stacks:stack(integer())]) -> integer().
total(Stacks) ->
    case [stacks:depth(S) || S <- Stacks] of
        [2 | _] -> error(two_first);
        Depths -> lists:sum(Depths)
    end.

-spec drain(queue:queue(integer())) -> [integer()].
drain(Q) ->
    case queue:out(Q) of
        {empty, _} -> [];
        {{value, 42}, _} -> exit(forty_two);
        {{value, X}, Rest} -> [X | drain(Rest)]
    end.

-spec pair(#{left := stacks:stack(_), right => {some, queue:queue(_)} | none}) -> ok.
pair(#{left := Left, right := {some, Right}}) ->
    false = stacks:depth(Left) > 0 andalso queue:len(Right) =:= 2,
    ok;
pair(#{left := Left}) when is_tuple(Left) ->
    ok.

%% No type of another module.
-spec plain(integer()) -> integer().
plain(X) -> X + 1.
