%% What a small library offers. Its helpers are in `back'.
-module(front).
-export([volume/1, sizes/1, started/0]).

%% @doc The volume of a box or a ball.
volume({box, A, B, C}) -> back:product([A, B, C]);
volume({ball, R}) when is_integer(R) -> back:ball({ball, R}).

%% @doc All sizes, doubled.
sizes(L) when is_list(L) -> [back:twice(length(X)) || X <- L].

%% @doc Calls that are passed on.
started() -> [{back, passed_on, [1]}].
