%% What a call needs to find: it is made when everything that the call depends on was started anew.
-module(gimlet_setup).
-export([run/4]).

run(Setups, Module, Function, Args) ->
    lists:foreach(fun prepare/1, Setups),
    apply(Module, Function, Args).

prepare({call, Module, Function}) ->
    Module:Function();
prepare({application, Name}) ->
    %% It must not begin with what an earlier call has left.
    logger:set_primary_config(level, none),
    application:stop(Name),
    {ok, _} = application:ensure_all_started(Name).
