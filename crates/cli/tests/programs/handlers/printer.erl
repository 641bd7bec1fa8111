%% A handler: nobody calls `event/1` by the name of its module.
-module(printer).
-export([event/1]).

event({number, N}) -> 100 div (N - 7);
event({word, W}) -> atom_to_list(W).
