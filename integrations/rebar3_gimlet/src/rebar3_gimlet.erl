%% The provider `gimlet`: compiles the project, runs `gimlet test` on its applications, and puts the tests
%% that it writes where `rebar3 eunit` finds them.
%%
%% Does not know what the options of `gimlet test` mean: rebar3_gimlet_options has their names, and
%% rebar3_gimlet_run starts the program.
-module(rebar3_gimlet).

-export([init/1, do/1, format_error/1]).

-define(EXIT_FOUND, 1).
-define(EXIT_COULD_NOT, 2).

init(State) ->
    Provider = providers:create([
        {name, gimlet},
        {module, ?MODULE},
        {bare, true},
        {deps, [{default, compile}]},
        {example, "rebar3 gimlet --budget 2m"},
        {short_desc, "Find inputs that make functions fail (gimlet test)"},
        {desc, description()},
        {opts, rebar3_gimlet_options:for_getopt()}
    ]),
    {ok, rebar_state:add_provider(State, Provider)}.

description() ->
    "Find inputs that make functions of the project fail, with `gimlet test`.\n\n"
    "  rebar3 gimlet                           all applications of the project\n"
    "  rebar3 gimlet --app shop                one of them; --module shop,basket: some modules\n"
    "  rebar3 gimlet -f shop:total/1           one function\n"
    "  rebar3 as test gimlet                   as the profile `test` compiles it\n"
    "  rebar3 gimlet --write-tests             also write EUnit tests to test/\n\n"
    "What every run has in common goes into rebar.config, also below a profile:\n"
    "  {gimlet_opts, [{budget, \"2m\"}, strict, {report, [{html, \"gimlet.html\"}]}]}.\n\n"
    "Exit code: 0 nothing found, 1 a finding, 2 it could not be done".

do(State) ->
    try
        test(State)
    catch
        throw:{gimlet, Why} -> could_not(Why)
    end.

test(State) ->
    rebar3_gimlet_run:check_otp(),
    Asked = rebar3_gimlet_options:asked(State),
    Apps = apps(State, Asked),
    Gimlet = rebar3_gimlet_run:executable(Asked),
    Out = proplists:get_value(out, Asked, out_dir(State)),
    Writes = proplists:get_bool(write_tests, Asked),
    Arguments = lists:append([
        ["test" | targets(Apps, Asked)],
        [It || Writes, not proplists:is_defined(out, Asked), It <- ["--out", Out]],
        rebar3_gimlet_options:arguments(Asked),
        building(State, Apps)
    ]),
    Code = rebar3_gimlet_run:run(Gimlet, Arguments, rebar_dir:root_dir(State)),
    [place_tests(Apps, Out) || Writes],
    case Code of
        0 -> {ok, State};
        ?EXIT_FOUND -> {error, {?MODULE, "gimlet has findings, see above"}};
        _ -> ended(Code, io_lib:format("gimlet ended with exit code ~b, see above", [Code]))
    end.

format_error(Text) ->
    Text.

could_not(Text) ->
    ended(?EXIT_COULD_NOT, Text).

%% The exit code of `gimlet` is that of rebar3, which by itself only knows 1. Nobody's shell is ended.
ended(Code, Text) ->
    case whereis(rebar_agent) of
        undefined ->
            rebar_log:log(error, "~ts", [Text]),
            init:stop(Code),
            timer:sleep(infinity);
        _ ->
            {error, {?MODULE, Text}}
    end.

%% Below `_build`, where it is in nobody's way and the next run begins with the inputs that were found.
out_dir(State) ->
    filename:join(rebar_dir:base_dir(State), "gimlet").

%% The applications of the project that are asked for; those in `_checkouts` are dependencies.
apps(State, Asked) ->
    All = rebar_state:project_apps(State),
    Names = names(app, Asked),
    Known = [rebar_app_info:name(It) || It <- All],
    [refuse("There is no application ~ts in this project; there is ~ts.", [It, lists:join(", ", Known)])
     || It <- Names, not lists:member(It, Known)],
    All =:= [] andalso refuse("There is no application here: no src/*.app.src, no apps/*.", []),
    [It || It <- All, Names =:= [] orelse lists:member(rebar_app_info:name(It), Names)].

%% With commas, as `rebar3 eunit --module` takes them.
names(Key, Asked) ->
    Texts = [unicode:characters_to_list(It) || {Name, It} <- Asked, Name =:= Key],
    [unicode:characters_to_binary(It) || Text <- Texts, It <- string:lexemes(Text, ", ")].

targets(Apps, Asked) ->
    case names(module, Asked) of
        [] -> lists:append([whole(It) || It <- Apps]);
        Modules -> [beam(It, Apps) || It <- Modules]
    end.

%% The compiled modules of an application, or its sources if they were compiled without debug info.
whole(App) ->
    Ebin = rebar_app_info:ebin_dir(App),
    case filelib:wildcard(filename:join(Ebin, "*.beam")) of
        [] -> [];
        [One | _] ->
            case has_debug_info(One) of
                true -> [Ebin];
                false -> filelib:wildcard(filename:join([rebar_app_info:dir(App), "src", "**", "*.erl"]))
            end
    end.

has_debug_info(Beam) ->
    case beam_lib:chunks(Beam, [debug_info]) of
        {ok, {_, [{debug_info, {debug_info_v1, _, {none, _}}}]}} -> false;
        {ok, {_, [{debug_info, {debug_info_v1, _, _}}]}} -> true;
        _ -> false
    end.

%% Properties and other helpers of a profile lie in directories beside `ebin`.
beam(Module, Apps) ->
    File = <<Module/binary, ".beam">>,
    Dirs = [Dir || App <- Apps, Dir <- [rebar_app_info:ebin_dir(App) | extra_dirs(App)]],
    case [Path || Dir <- Dirs, Path <- [filename:join(Dir, File)], filelib:is_regular(Path)] of
        [Path | _] -> unicode:characters_to_list(Path);
        [] -> refuse("There is no module ~ts in this project as it was compiled; tests and their helpers are only "
                     "compiled by a profile: rebar3 as test gimlet --module ~ts", [Module, Module])
    end.

%% `_build/test/lib/shop/test` in the profile `test`.
extra_dirs(App) ->
    [It || It <- filelib:wildcard(filename:join(rebar_app_info:out_dir(App), "*")),
           filename:basename(It) =/= "ebin",
           filelib:wildcard(filename:join(It, "*.beam")) =/= []].

%% How the project is compiled and where its code lies: for modules without debug info and for tests.
building(State, Apps) ->
    Dependencies = rebar_state:code_paths(State, all_deps),
    Own = [Dir || It <- rebar_state:project_apps(State), Dir <- [rebar_app_info:ebin_dir(It) | extra_dirs(It)]],
    Paths = [It || It <- uniq(Own ++ Dependencies), filelib:is_dir(It)],
    Options = lists:append([rebar_opts:erl_opts(rebar_app_info:opts(It)) || It <- Apps]),
    Includes = [It || App <- Apps, It <- includes(App)],
    Macros = [macro(It) || It <- Options, is_tuple(It), element(1, It) =:= d],
    lists:append([["--pa", It] || It <- Paths] ++ [["-I", It] || It <- uniq(Includes)]
                 ++ [["-D", It] || It <- uniq(Macros)]).

includes(App) ->
    Dir = rebar_app_info:dir(App),
    Options = rebar_opts:erl_opts(rebar_app_info:opts(App)),
    Own = [filename:absname(It, Dir) || {i, It} <- Options],
    [It || It <- [filename:join(Dir, "include"), filename:join(Dir, "src") | Own], filelib:is_dir(It)].

macro({d, Name}) -> atom_to_list(Name);
macro({d, Name, Value}) -> lists:flatten(io_lib:format("~s=~tw", [Name, Value])).

%% `rebar3 eunit` looks for tests in `test` of the application that has the module.
place_tests(Apps, Out) ->
    Files = filelib:wildcard(filename:join(Out, "*_gimlet_tests.erl")),
    Placed = lists:append([place_test(It, Apps) || It <- Files]),
    Placed =/= [] andalso rebar_log:log(info, "Tests for `rebar3 eunit`:~n~ts", [lists:join("\n", Placed)]).

place_test(File, Apps) ->
    Name = filename:basename(File),
    Module = string:slice(Name, 0, string:length(Name) - string:length("_gimlet_tests.erl")),
    case [It || It <- Apps, filelib:is_regular(filename:join(rebar_app_info:ebin_dir(It), Module ++ ".beam"))] of
        [App | _] ->
            To = filename:join([rebar_app_info:dir(App), "test", Name]),
            ok = filelib:ensure_dir(To),
            case file:copy(File, To) of
                {ok, _} -> ["  " ++ To];
                {error, Why} -> refuse("~ts can't be written: ~ts", [To, file:format_error(Why)])
            end;
        [] ->
            []
    end.

uniq([]) -> [];
uniq([First | Rest]) -> [First | uniq([It || It <- Rest, It =/= First])].

refuse(Format, Values) ->
    throw({gimlet, io_lib:format(Format, Values)}).
