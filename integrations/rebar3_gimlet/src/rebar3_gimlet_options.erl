%% The options of `gimlet test` as rebar3 takes them, on the command line and in rebar.config.
%%
%% Knows names and how many values they take; what they mean, and whether a value is right, gimlet knows.
-module(rebar3_gimlet_options).

-export([for_getopt/0, asked/1, arguments/1]).

%% Not for gimlet: what the plugin itself does.
own() ->
    [
        {app, undefined, once, "Only these applications of the project, with commas"},
        {module, undefined, once, "Only these modules, with commas"},
        {write_tests, $w, flag, "Write EUnit tests to the directory test of each application"},
        {executable, undefined, once, "The program gimlet, unless it is on the PATH"}
    ].

%% All options of `gimlet test` but those of Prolog, and -I and -D, which the plugin gives itself.
gimlet() ->
    [
        {function, $f, many, "A function to test: shop:total/1; may repeat [default: all exported]"},
        {args, undefined, once, "The first input: '[[{apple, 3}]]'"},
        {depth, $d, once, "How many choices of a path may be flipped"},
        {time, undefined, once, "Time limit for each function: 500ms, 30s, 2m"},
        {budget, undefined, once, "Time limit for everything together: 30s, 2m"},
        {runs, undefined, once, "Maximum number of runs for each function"},
        {memory, undefined, once, "Memory for everything together: 2G, 512M"},
        {jobs, $j, once, "How many cores to use"},
        {backend, undefined, once, "Where Erlang runs: machine, beam, auto"},
        {strategy, undefined, once, "The search strategy"},
        {no_spec, undefined, flag, "Ignore specs"},
        {made_up, undefined, flag, "Generate values that only their module constructs"},
        {concrete, undefined, many, "Execute this module or function concretely; may repeat"},
        {pre, undefined, many, "A precondition: only inputs for which it returns true are tested; may repeat"},
        {setup, undefined, many, "A function that runs before each input: m:f/0; may repeat"},
        {no_start, undefined, flag, "Do not start the application"},
        {sequence, undefined, once, "How many steps a sequence of calls and messages has"},
        {schedules, undefined, flag, "Explore the schedules of processes too"},
        {dpor, undefined, once, "How schedules are selected: optimal, source, none, random, pct"},
        {bug_depth, undefined, once, "With --dpor pct, how many ordering constraints a bug may need"},
        {delivery, undefined, once, "When sent messages and signals arrive: local, instant, causal, free"},
        {lossy, undefined, once, "How many messages of a run may get lost"},
        {preemptions, undefined, once, "Maximum number of preemptions"},
        {steps, undefined, once, "Maximum number of steps of a run with --schedules"},
        {blocked, undefined, flag, "Report processes that wait for ever"},
        {node_down, undefined, flag, "Let each node of --nodes but the first go down"},
        {nodes, undefined, once, "Run a distributed system of these nodes: a@host,b@host"},
        {allow, undefined, many, "Allow the program effects: files, network, os, all; may repeat"},
        {seed, undefined, once, "Seed of all random choices"},
        {strict, undefined, flag, "Show refusals like other findings, and let them make the exit code 1"},
        {fail_on, undefined, once, "Which findings make the exit code 1: promise, suspicious, race, any"},
        {baseline, undefined, once, "A report.json: only findings that it does not contain make the exit code 1"},
        {exclude, undefined, many, "Exclude modules and files that match; may repeat"},
        {config, undefined, once, "The gimlet.toml [default: the nearest]"},
        {no_config, undefined, flag, "Read no gimlet.toml"},
        {verbose, $v, flag, "Show every unit, every uncovered clause and every refusal"},
        {format, undefined, once, "The format of standard output: text, json, sarif, junit, github, ..."},
        {report, undefined, many, "Write the report to a file too: html=report.html; may repeat"},
        {recorded, undefined, once, "The calls that `gimlet record` recorded"},
        {no_recorded, undefined, flag, "Use no recorded calls"},
        {out, undefined, once, "Write reports, tests and inputs to this directory"},
        {emit, undefined, many, "The kind of tests to write: eunit, exunit; may repeat"},
        {tests, undefined, once, "Which tests to write: minimal, all"},
        {pa, undefined, many, "One more directory of .beam files; may repeat"}
    ].

for_getopt() ->
    [{Name, Short, long(Name), type(Kind), Help} || {Name, Short, Kind, Help} <- own() ++ gimlet()].

type(flag) -> undefined;
type(once) -> string;
type(many) -> string.

long(Name) ->
    lists:flatten(string:replace(atom_to_list(Name), "_", "-", all)).

%% What the command line says, then what rebar.config says and the command line does not.
asked(State) ->
    {Given, Others} = rebar_state:command_parsed_args(State),
    [refuse("gimlet takes no argument ~ts; applications are named with --app, modules with --module.", [It])
     || It <- Others],
    GivenAsked = [entry(It) || It <- Given, known(It)],
    InFile = case rebar_state:get(State, gimlet_opts, []) of
        List when is_list(List) -> lists:append([in_file(It) || It <- List]);
        Other -> refuse("gimlet_opts in rebar.config is a list, not ~tp.", [Other])
    end,
    Names = [name(It) || It <- GivenAsked],
    GivenAsked ++ [It || It <- InFile, not lists:member(name(It), Names)].

known(Entry) ->
    lists:keymember(name(Entry), 1, own() ++ gimlet()).

entry({Name, Value}) -> {Name, Value};
entry(Name) -> Name.

name({Name, _}) -> Name;
name(Name) -> Name.

%% An entry of gimlet_opts: strict, {strict, true}, {budget, "2m"}, {jobs, 2}, {report, [{html, "a.html"}]}.
in_file({Name, Value}) when is_atom(Name) ->
    case kind(Name) of
        flag when Value =:= true -> [Name];
        flag when Value =:= false -> [];
        flag -> refuse("~ts in gimlet_opts is true or false, not ~tp.", [Name, Value]);
        once -> [{Name, text(Name, Value)}];
        many when is_list(Value) ->
            case io_lib:char_list(Value) andalso Value =/= [] of
                true -> [{Name, text(Name, Value)}];
                false -> [{Name, text(Name, It)} || It <- Value]
            end;
        many -> [{Name, text(Name, Value)}]
    end;
in_file(Name) when is_atom(Name) ->
    case kind(Name) of
        flag -> [Name];
        _ -> refuse("~ts in gimlet_opts needs a value: {~ts, ...}.", [Name, Name])
    end;
in_file(Other) ->
    refuse("gimlet_opts has {name, value} and flags, not ~tp.", [Other]).

kind(Name) ->
    Key = list_to_atom(lists:flatten(string:replace(atom_to_list(Name), "-", "_", all))),
    case lists:keyfind(Key, 1, own() ++ gimlet()) of
        {_, _, Kind, _} when Key =:= Name -> Kind;
        {_, _, _, _} -> refuse("write ~ts in gimlet_opts, not '~ts'.", [Key, Name]);
        false -> refuse("gimlet_opts has no option ~ts~ts.", [Name, nearest(Name)])
    end.

%% The option with the fewest letters that the other does not have.
nearest(Name) ->
    Said = atom_to_list(Name),
    Far = [{length(Said -- Known) + length(Known -- Said), Known}
           || {It, _, _, _} <- own() ++ gimlet(), Known <- [atom_to_list(It)]],
    case lists:min(Far) of
        {Distance, It} when Distance =< 2 -> io_lib:format("; did you mean ~ts?", [It]);
        _ -> "; `rebar3 help gimlet` lists them"
    end.

text(_, Value) when is_binary(Value) -> unicode:characters_to_list(Value);
text(_, Value) when is_atom(Value) -> atom_to_list(Value);
text(_, Value) when is_integer(Value) -> integer_to_list(Value);
text(Name, {Kind, File}) when Name =:= report -> text(Name, Kind) ++ "=" ++ text(Name, File);
text(Name, Value) ->
    case io_lib:char_list(Value) of
        true -> Value;
        false -> refuse("~ts in gimlet_opts is text, a number or an atom, not ~tp.", [Name, Value])
    end.

%% As the command line of gimlet spells it.
arguments(Asked) ->
    Names = [Name || {Name, _, _, _} <- gimlet()],
    lists:append([argument(It) || It <- Asked, lists:member(name(It), Names)]).

%% A value that begins with a hyphen, or belongs to an option that may have none, needs the `=`.
argument({Name, Value}) -> ["--" ++ long(Name) ++ "=" ++ Value];
argument(Name) -> ["--" ++ long(Name)].

-spec refuse(io:format(), [term()]) -> no_return().
refuse(Format, Values) ->
    throw({gimlet, io_lib:format(Format, Values)}).
