%% Messages that nobody takes.
-module(left).
-export([first/0, unheard/0, all/0]).

first() ->
    Self = self(),
    [spawn(fun() -> Self ! {N, x} end) || N <- [1, 2]],
    receive {_, X} -> X end.

unheard() ->
    spawn(fun() -> receive stop -> ok end end) ! hello,
    ok.

all() ->
    Self = self(),
    spawn(fun() -> Self ! x end),
    receive X -> X end.
