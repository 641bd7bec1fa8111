%% What a call needs to find: it is made when everything that the call depends on was started anew.
-module(gimlet_setup).
-export([run/4]).

run(Setups, Module, Function, Args) ->
    Started = lists:flatmap(fun prepare/1, Setups),
    try
        apply(Module, Function, Args)
    after
        lists:foreach(fun forget/1, lists:reverse(Started))
    end.

%% The applications that were started.
prepare({call, Module, Function}) ->
    Module:Function(),
    [];
prepare({application, Name}) ->
    logger:set_primary_config(level, none),
    %% An earlier call that was killed may have left it running.
    forget(Name),
    {ok, Started} = application:ensure_all_started(Name),
    Started.

%% The next call must not find it, nor its environment.
forget(Name) ->
    application:stop(Name),
    application:unload(Name).
