#!/usr/bin/env escript
%% Evaluates each line of a file and writes the value as ~w, ~tw, ~p and ~tp, a line each.
-mode(compile).

main([Asked, Answered]) ->
    {ok, Bytes} = file:read_file(Asked),
    Lines = string:split(unicode:characters_to_list(Bytes), "\n", all),
    ok = file:write_file(Answered, unicode:characters_to_binary([answer(Line) || Line <- Lines])).

answer(Line) ->
    Value = value(Line),
    %% The field width is the line length: wide enough that nothing is broken into lines.
    [[io_lib:format(Format, [Value]), $\n]
     || Format <- ["~w", "~tw", "~100000000p", "~100000000tp"]].

value(Line) ->
    {ok, Tokens, _} = erl_scan:string(Line ++ "\n."),
    {Line, {ok, Exprs}} = {Line, erl_parse:parse_exprs(Tokens)},
    {value, Value, _} = erl_eval:exprs(Exprs, []),
    Value.
