%% Repeats the calls of findings in a runtime without the tool: `erl -noshell -s again main FILE`.
%% A finding is three lines, each a term: the call, the class, the reason; `none` stands for a term without a text.
-module(again).
-export([main/1]).

main([File]) ->
    {ok, Text} = file:read_file(atom_to_list(File)),
    Lines = [Line || Line <- binary:split(Text, <<"\n">>, [global]), Line =/= <<>>],
    each(Lines, 1),
    halt(0).

each([Call, Class, Reason | Rest], N) ->
    io:put_chars([integer_to_list(N), " ", verdict(Call, Class, Reason), "\n"]),
    each(Rest, N + 1);
each([], _) ->
    ok.

verdict(Call, Class, Reason) ->
    {Pid, Ref} = spawn_monitor(fun() -> exit({ended, ended(Call)}) end),
    receive
        {'DOWN', Ref, process, Pid, {ended, End}} -> compared(End, Class, Reason);
        {'DOWN', Ref, process, Pid, Killed} -> compared({exit, Killed}, Class, Reason)
    after 10000 ->
        exit(Pid, kill),
        case Class of <<"timeout">> -> "same"; _ -> "does not end" end
    end.

ended(Call) ->
    try {value, evaluated(Call)}
    catch Class:Reason -> {Class, Reason}
    end.

compared({Found, _}, Class, _) when Found =/= value, Class =/= <<"error">>, Class =/= <<"exit">>, Class =/= <<"throw">> ->
    io_lib:format("differs: ~0p", [Found]);
compared({Found, Term}, Class, Reason) ->
    IsClass = atom_to_binary(Found) =:= Class,
    %% Funs, processes and references of different runs are never equal.
    IsReason = try evaluated(Reason) =:= Term catch _:_ -> true end orelse opaque(Term),
    case IsClass andalso IsReason of
        true -> "same";
        false -> lists:sublist(lists:flatten(io_lib:format("differs: ~0p ~0p", [Found, Term])), 300)
    end.

opaque(Term) ->
    Text = lists:flatten(io_lib:format("~0p", [Term])),
    lists:any(fun(Mark) -> string:find(Text, Mark) =/= nomatch end, ["#Fun<", "#Ref<", "#Port<", "<0."]).

evaluated(Text) ->
    {ok, Tokens, _} = erl_scan:string(unicode:characters_to_list([Text, "."])),
    {ok, Exprs} = erl_parse:parse_exprs(Tokens),
    {value, Value, _} = erl_eval:exprs(Exprs, erl_eval:new_bindings()),
    Value.
