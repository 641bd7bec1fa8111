%% What is said before the end, whatever that is.
-module(spoken).
-export([crash/0, stop/0, missing/0, aside/0]).

crash() ->
    {_, Monitor} = spawn_monitor(fun() -> error({no, reason}) end),
    receive {'DOWN', Monitor, process, _, _} -> io:format("it is gone~n") end.

stop() ->
    io:format("that is all"),
    halt(3).

missing() ->
    io:format("so far~n"),
    erl_ddll:loaded_drivers().

aside() ->
    io:format(standard_error, "a word aside~n", []),
    io:get_line("anyone? ").
