%% What can be told of how messages travel.
-module(delivery).
-export([triangle/0, crossing/0, one_way/0, to_itself/0]).

%% The second message is caused by the first, but comes from somebody else.
triangle() ->
    Me = self(),
    Friend = spawn(fun() -> receive go -> Me ! second end end),
    spawn(fun() -> Me ! first, Friend ! go end),
    [receive A -> A end, receive B -> B end].

%% Two who send to two, each to the other one first.
crossing() ->
    Me = self(),
    [P, Q] = [spawn(fun() -> Me ! {N, [receive A -> A end, receive B -> B end]} end)
              || N <- [p, q]],
    spawn(fun() -> P ! a, Q ! a end),
    spawn(fun() -> Q ! b, P ! b end),
    [receive {p, X} -> X end, receive {q, Y} -> Y end].

%% What one process sends to another always comes in order.
one_way() ->
    Me = self(),
    spawn(fun() -> Me ! first, Me ! second end),
    [receive A -> A end, receive B -> B end].

%% What a process sends to itself is there.
to_itself() ->
    self() ! itself,
    receive It -> [It] after 0 -> nothing end.
