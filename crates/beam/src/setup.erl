%% The setup of a call: restarts everything that the call depends on, and makes the call.
-module(gimlet_setup).
-export([run/4]).

run(Setups, Module, Function, Args) ->
    Started = lists:flatmap(fun prepare/1, Setups),
    try
        apply(Module, Function, Args)
    after
        lists:foreach(fun forget/1, lists:reverse(Started))
    end.

%% Prepares one thing, and returns the applications that were started.
prepare({call, Module, Function}) ->
    Module:Function(),
    [];
prepare({application, Name}) ->
    logger:set_primary_config(level, none),
    %% An earlier call that was killed may have left the application running.
    forget(Name),
    {ok, Started} = application:ensure_all_started(Name),
    Started.

%% Removes an application with its environment, so that the next call does not find them.
forget(Name) ->
    application:stop(Name),
    application:unload(Name).
