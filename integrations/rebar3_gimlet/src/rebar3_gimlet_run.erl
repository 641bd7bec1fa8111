%% Starts the program `gimlet`: where it is, whether it fits, and how it shares the terminal.
-module(rebar3_gimlet_run).

-export([check_otp/0, executable/1, run/3]).

%% The oldest OTP that gimlet works with.
-define(OLDEST_OTP, 25).

%% What sh does for us. Its descriptor 3 is closed when rebar3 ends, in whatever way: then gimlet is to end
%% too, with the report of what it found. Its output is the terminal's, so colours and progress are as ever.
-define(SCRIPT,
    "\"$@\" 3<&- 4>&- & gimlet=$!\n"
    "{ read -r _; kill -TERM $gimlet; } <&3 >/dev/null 2>&1 & watch=$!\n"
    "wait $gimlet; code=$?\n"
    "kill $watch 2>/dev/null\n"
    "exit $code\n").

check_otp() ->
    Release = erlang:system_info(otp_release),
    try list_to_integer(Release) >= ?OLDEST_OTP of
        true -> ok;
        false -> refuse("gimlet needs Erlang/OTP ~b or newer, and this is ~ts.", [?OLDEST_OTP, Release])
    catch
        error:badarg -> ok
    end.

%% The program, which is asked for its version.
executable(Asked) ->
    Named = [It || It <- [proplists:get_value(executable, Asked), os:getenv("GIMLET")], is_list(It), It =/= []],
    Name = hd(Named ++ ["gimlet"]),
    case os:find_executable(path(Name)) of
        false ->
            refuse("There is no program ~ts~ts.~n"
                   "Get gimlet from its releases, or build it with `cargo install --path crates/cli`, and put it on "
                   "the PATH; or say where it is: {gimlet_opts, [{executable, \"/path/to/gimlet\"}]} in "
                   "rebar.config, or GIMLET=/path/to/gimlet in the environment.",
                   [Name, case Named of [] -> " on the PATH"; _ -> "" end]);
        Path ->
            check_version(Path, ask_version(Path)),
            Path
    end.

%% Erlang looks for ./gimlet on the PATH, too.
path(Name) ->
    case lists:member($/, Name) of
        true -> filename:absname(Name);
        false -> Name
    end.

ask_version(Path) ->
    Port = open_port({spawn_executable, Path}, [{args, ["--version"]}, exit_status, stderr_to_stdout, in]),
    collect(Port, []).

collect(Port, Said) ->
    receive
        {Port, {data, Text}} -> collect(Port, [Said, Text]);
        {Port, {exit_status, 0}} -> lists:flatten(Said);
        {Port, {exit_status, _}} -> "?"
    end.

%% Releases with the same first two numbers know the same options.
check_version(Path, Said) ->
    {ok, Own} = application:get_key(rebar3_gimlet, vsn),
    case string:lexemes(Said, " \n") of
        ["gimlet", Version | _] ->
            Series = series(Version),
            case series(Own) of
                Series -> ok;
                Expected when Series < Expected ->
                    refuse("~ts is gimlet ~ts, and rebar3_gimlet ~ts needs ~ts or newer.",
                           [Path, Version, Own, Own]);
                _ ->
                    rebar_log:log(warn, "~ts is gimlet ~ts, and rebar3_gimlet ~ts was made for an older one; "
                                        "update the plugin if options are missing.", [Path, Version, Own])
            end;
        _ ->
            refuse("~ts is not gimlet: it does not tell its version.", [Path])
    end.

series(Version) ->
    [try list_to_integer(It) catch error:badarg -> 0 end
     || It <- lists:sublist(string:lexemes(Version, "."), 2)].

%% The exit code.
run(Gimlet, Arguments, Dir) ->
    rebar_log:log(debug, "~ts ~ts", [Gimlet, lists:join(" ", Arguments)]),
    Sh = case os:find_executable("sh") of
        false -> refuse("There is no program sh on the PATH.", []);
        Path -> Path
    end,
    Options = [{args, ["-c", ?SCRIPT, "gimlet", Gimlet | Arguments]}, {cd, Dir}, nouse_stdio, exit_status],
    Port = open_port({spawn_executable, Sh}, Options),
    receive {Port, {exit_status, Code}} -> Code end.

-spec refuse(io:format(), [term()]) -> no_return().
refuse(Format, Values) ->
    throw({gimlet, io_lib:format(Format, Values)}).
