%% Calls a function of a module that it is given. See `loose.rs`.
-module(bus).
-export([send/2]).

%% @doc Tells a handler of a number.
send(Handler, N) when is_integer(N) -> Handler:event({number, N}).
