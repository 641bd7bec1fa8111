%% What the runtime and OTP log, and who hears of it.
-module(logging).
-export([tests/0, log/2]).
-export([crash/0, thrown/0, exits/0, too_large/0, only_told/0, ignored/0, handler/0,
         reports/0, from_the_beginning/0, of_default/0, who/0]).

tests() ->
    [from_the_beginning, of_default, who, crash, thrown, exits, too_large, only_told,
     ignored, handler, reports].

%% What the runtime says while a process runs to its end.
heard(Fun) ->
    Before = erlang:system_flag(system_logger, self()),
    {Pid, Monitor} = spawn_monitor(Fun),
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    Events = flush(),
    erlang:system_flag(system_logger, Before),
    [settled(Event, Pid) || Event <- Events].

flush() ->
    receive {log, _, _, _, _} = Event -> [Event | flush()] after 200 -> [] end.

settled({log, Level, Format, [Pid | Args], Meta}, Pid) ->
    #{pid := Pid, time := Time, gl := Leader} = Meta,
    true = is_integer(Time) andalso Leader =:= group_leader(),
    {Level, Format, Args, maps:without([pid, time, gl], Meta)}.

crash() -> heard(fun() -> error({some, reason}) end).

thrown() -> heard(fun() -> throw(ball) end).

exits() ->
    [heard(fun() -> exit(because) end), heard(fun() -> exit(self(), kill) end),
     heard(fun() -> ok end), heard(fun() -> catch error(caught) end)].

limited(Limit) ->
    heard(fun() ->
                  process_flag(max_heap_size, Limit),
                  length(grown(100000, []))
          end).

grown(0, Acc) -> Acc;
grown(N, Acc) -> grown(N - 1, [N | Acc]).

shown([{Level, Format, [Max, Total, Kill, Log, N, Info], _} | _]) ->
    {Level, Format, Max, is_integer(Total), Kill, Log, N, [K || {K, _} <- Info]};
shown([]) ->
    none.

too_large() -> shown(limited(#{size => 1000, kill => true, error_logger => true})).

only_told() -> shown(limited(#{size => 1000, kill => false, error_logger => true})).

ignored() ->
    [shown(limited(#{size => 1000, kill => K, error_logger => false})) || K <- [true, false]].

%% A handler of ours.
log(#{level := Level, msg := Msg, meta := Meta}, #{config := Pid}) ->
    Pid ! {event, Level, Msg, maps:with([error_logger, domain], Meta)}.

events() ->
    receive {event, Level, Msg, Meta} -> [{Level, Msg, Meta} | events()] after 200 -> [] end.

handler() ->
    ok = logger:add_handler(ours, ?MODULE, #{config => self()}),
    logger:remove_handler(default),
    {Pid, Monitor} = spawn_monitor(fun() -> error(oops) end),
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    logger:error("an ~p", [error]),
    logger:info("of no interest"),
    Res = events(),
    logger:remove_handler(ours),
    {length(Res), lists:sort([{L, element(1, M)} || {L, M, _} <- Res])}.

reports() ->
    ok = logger:add_handler(ours, ?MODULE, #{config => self()}),
    logger:remove_handler(default),
    Pid = proc_lib:spawn(fun() -> exit(boom) end),
    Monitor = monitor(process, Pid),
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    error_logger:warning_msg("~p", [careful]),
    Res = [{Level, element(1, Msg), maps:get(domain, Meta, none)} || {Level, Msg, Meta} <- events()],
    logger:remove_handler(ours),
    Res.

%% The one that every system has, unless who started it took it away.
with_default(Fun) ->
    case logger:get_handler_ids() of
        [] -> ok = logger:add_handlers(kernel), Res = Fun(), logger:remove_handler(default), Res;
        [_ | _] -> Fun()
    end.

from_the_beginning() ->
    with_default(fun() -> {logger:get_handler_ids(), is_pid(whereis(logger_sup))} end).

of_default() ->
    with_default(fun() -> element(2, logger:get_handler_config(default)) end).

who() ->
    {is_pid(whereis(logger)), erlang:system_info(system_logger) =:= whereis(logger_proxy)}.
