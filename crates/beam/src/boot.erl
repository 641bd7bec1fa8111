spawn(fun() ->
    Port = open_port({fd, 3, 4}, [{packet, 4}, binary, eof]),
    Scan = fun Scan(Text, Line, Forms) ->
        case erl_scan:tokens([], Text, Line) of
            {done, {ok, Tokens, Next}, Rest} ->
                {ok, Form} = erl_parse:parse_form(Tokens),
                Scan(Rest, Next, [Form | Forms]);
            _ ->
                lists:reverse(Forms)
        end
    end,
    Boot = fun Boot() ->
        receive
            {Port, {data, <<$b, Beam/binary>>}} ->
                case code:load_binary(gimlet_agent, "gimlet_agent.erl", Beam) of
                    {module, _} -> gimlet_agent:main(Port);
                    _ -> port_command(Port, <<16#fffffffe:32>>), Boot()
                end;
            {Port, {data, <<$s, Source/binary>>}} ->
                Forms = Scan(unicode:characters_to_list(Source), 1, []),
                {ok, _, Beam} = compile:noenv_forms(Forms, [binary]),
                port_command(Port, [<<16#ffffffff:32>>, Beam]),
                {module, _} = code:load_binary(gimlet_agent, "gimlet_agent.erl", Beam),
                gimlet_agent:main(Port);
            {Port, eof} ->
                erlang:halt(0)
        end
    end,
    try Boot()
    catch Class:Reason:Trace ->
        io:format(standard_error, "~tp~n", [{Class, Reason, Trace}]),
        erlang:halt(1)
    end
end).
