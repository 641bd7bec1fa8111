%% Runs one case of a Common Test suite as ct does, and returns how it ended.
%%
%% The same code runs on BEAM and on Gimlet's machine. Logs, hooks and time traps are not supported.
-module(gimlet_ct).
-export([cases/1, run/4, on_beam/5]).

%% Returns all cases of a suite, each with the groups that contain it, outermost first.
cases(Suite) ->
    Groups = case lists:member({groups, 0}, Suite:module_info(exports)) of
                 true -> Suite:groups();
                 false -> []
             end,
    case Suite:all() of
        All when is_list(All) -> lists:usort(members(All, [], Groups));
        {skip, _} -> []
    end.

members([{group, Name} | Rest], Path, Groups) ->
    group(Name, Path, Groups) ++ members(Rest, Path, Groups);
members([{group, Name, _} | Rest], Path, Groups) ->
    group(Name, Path, Groups) ++ members(Rest, Path, Groups);
members([{group, Name, _, _} | Rest], Path, Groups) ->
    group(Name, Path, Groups) ++ members(Rest, Path, Groups);
members([{testcase, Case, _} | Rest], Path, Groups) ->
    [{Path, Case} | members(Rest, Path, Groups)];
members([{Name, Properties, Members} | Rest], Path, Groups) when is_list(Properties) ->
    members(Members, Path ++ [Name], Groups) ++ members(Rest, Path, Groups);
members([{Name, Members} | Rest], Path, Groups) when is_list(Members) ->
    members(Members, Path ++ [Name], Groups) ++ members(Rest, Path, Groups);
members([Case | Rest], Path, Groups) when is_atom(Case) ->
    [{Path, Case} | members(Rest, Path, Groups)];
members([_ | Rest], Path, Groups) ->
    members(Rest, Path, Groups);
members([], _, _) ->
    [].

group(Name, Path, Groups) ->
    case lists:keyfind(Name, 1, Groups) of
        {_, Members} -> members(Members, Path ++ [Name], Groups);
        {_, _, Members} -> members(Members, Path ++ [Name], Groups);
        false -> []
    end.

%% Returns ok | {skipped, Why} | {failed, Where, Class, Reason, Stack}.
run(Suite, Path, Case, Config) ->
    _ = Suite:module_info(module),
    try
        C1 = apart(init_per_suite, fun() -> optional(Suite, init_per_suite, [Config], Config) end),
        C2 = lists:foldl(
               fun(Group, Acc) ->
                       apart(init_per_group,
                             fun() -> optional(Suite, init_per_group, [Group, Acc], Acc) end)
               end, C1, Path),
        apart('case', fun() -> test(Suite, Case, C2) end)
    catch
        throw:{ended, How} -> How
    end.

test(Suite, Case, Config0) ->
    Config = config(init_per_testcase,
                    optional(Suite, init_per_testcase, [Case, Config0], Config0)),
    How = try Suite:Case(Config) of
              {skip, Why} -> {skipped, Why};
              {skipped, Why} -> {skipped, Why};
              {failed, Why} -> {failed, 'case', returned, Why, []};
              {'EXIT', Why} -> {failed, 'case', returned, Why, []};
              _ -> ok
          catch
              exit:{skipped, Why} -> {skipped, Why};
              Class:Reason:Stack -> {failed, 'case', Class, Reason, Stack}
          end,
    After = try optional(Suite, end_per_testcase, [Case, Config], ok) of
                {fail, Reason1} -> {failed, end_per_testcase, returned, Reason1, []};
                _ -> ok
            catch
                Class1:Reason2:Stack1 -> {failed, end_per_testcase, Class1, Reason2, Stack1}
            end,
    case How of
        ok -> After;
        _ -> How
    end.

optional(Module, Function, Args, Default) ->
    case lists:member({Function, length(Args)}, Module:module_info(exports)) of
        true -> apply(Module, Function, Args);
        false -> Default
    end.

%% Each phase runs in a process of its own, as in ct.
apart('case', Phase) ->
    isolated('case', Phase);
apart(Where, Phase) ->
    config(Where, isolated(Where, Phase)).

config(_, Config) when is_list(Config) -> Config;
config(_, {skip, Why}) -> throw({ended, {skipped, Why}});
config(_, {skipped, Why}) -> throw({ended, {skipped, Why}});
config(_, {skip_and_save, Why, _}) -> throw({ended, {skipped, Why}});
config(Where, {fail, Why}) -> throw({ended, {failed, Where, returned, Why, []}});
config(Where, Other) -> throw({ended, {failed, Where, returned, Other, []}}).

isolated(Where, Phase) ->
    {Pid, Monitor} =
        spawn_monitor(
          fun() ->
                  exit({gimlet_ct,
                        try Phase() of
                            Value -> {value, Value}
                        catch
                            throw:{ended, How} -> {ended, How};
                            Class:Reason:Stack -> {ended, {failed, Where, Class, Reason, Stack}}
                        end})
          end),
    receive
        {'DOWN', Monitor, process, Pid, {gimlet_ct, {value, Value}}} -> Value;
        {'DOWN', Monitor, process, Pid, {gimlet_ct, {ended, How}}} -> throw({ended, How});
        {'DOWN', Monitor, process, Pid, Reason} ->
            throw({ended, {failed, Where, signal, Reason, []}})
    end.

%% Appends a line to File when a case begins and one when it has ended; skips cases that already have a line.
%% A failed case may have left the runtime in another state, so the next case gets a new runtime.
on_beam(Suite, DataDir, PrivDir, File, Limit) ->
    Done = case file:read_file(File) of
               {ok, Text} -> binary:split(Text, [<<"\n">>, <<"\t">>], [global]);
               _ -> []
           end,
    {ok, Out} = file:open(File, [append, raw]),
    try cases(Suite) of
        Cases ->
            [one(Suite, Path, Case, [{data_dir, DataDir}, {priv_dir, PrivDir}], Out, Limit)
             || {Path, Case} <- Cases, not lists:member(name(Path, Case), Done)]
    catch
        Class:Reason ->
            write(Out, ["no cases\t", io_lib:format("~0tp", [{Class, Reason}]), "\n"])
    end,
    write(Out, "end\n"),
    file:close(Out),
    erlang:halt(0, [{flush, false}]).

one(Suite, Path, Case, Config, Out, Limit) ->
    Name = name(Path, Case),
    write(Out, ["begin\t", Name, "\n"]),
    {Pid, Monitor} = spawn_monitor(fun() -> exit({how, run(Suite, Path, Case, Config)}) end),
    How = receive
              {'DOWN', Monitor, process, Pid, {how, It}} -> It;
              {'DOWN', Monitor, process, Pid, Reason} -> {failed, signal, Reason}
          after Limit ->
                  exit(Pid, kill),
                  {failed, time}
          end,
    Shown = case How of
                ok -> "ok";
                _ -> io_lib:format("~0tP", [How, 30])
            end,
    write(Out, [Name, "\t", one_line(Shown), "\n"]),
    case How of
        {failed, _} -> erlang:halt(1, [{flush, false}]);
        {failed, _, _} -> erlang:halt(1, [{flush, false}]);
        {failed, _, _, _, _} -> erlang:halt(1, [{flush, false}]);
        _ -> ok
    end.

write(Out, Text) ->
    ok = file:write(Out, unicode:characters_to_binary(Text)).

one_line(Text) ->
    [case C of $\n -> $\s; $\t -> $\s; _ -> C end || C <- lists:flatten(Text)].

name(Path, Case) ->
    Parts = [atom_to_list(It) || It <- Path ++ [Case]],
    unicode:characters_to_binary(lists:join("/", Parts)).
