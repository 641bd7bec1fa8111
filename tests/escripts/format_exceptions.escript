#!/usr/bin/env escript
%% Evaluates each line of a file to {Class, Reason, Stack} and writes what the shell says of it, with
%% line ends as \n and no blanks before them.
-mode(compile).

main([Asked, Answered]) ->
    {ok, Bytes} = file:read_file(Asked),
    Lines = string:split(unicode:characters_to_list(Bytes), "\n", all),
    ok = file:write_file(Answered, unicode:characters_to_binary([answer(Line) || Line <- Lines])).

answer(Line) ->
    {Class, Reason, Stack} = value(Line),
    %% The shell starts the line with "** ".
    Text = unicode:characters_to_list(erl_error:format_exception(Class, Reason, Stack, #{column => 4})),
    Lines = [string:trim(Each, trailing, " ") || Each <- string:split("** " ++ Text, "\n", all)],
    [lists:join("\\n", Lines), $\n].

value(Line) ->
    {ok, Tokens, _} = erl_scan:string(Line ++ "\n."),
    {ok, Exprs} = erl_parse:parse_exprs(Tokens),
    {value, Value, _} = erl_eval:exprs(Exprs, []),
    Value.
