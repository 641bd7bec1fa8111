#!/usr/bin/env escript
%% Runs sequences of calls to ets, each in two processes of its own, and writes what became of each.
%%
%% Asked holds [[{Actor, Function, Args}]] in the external term format. The atoms actor0 and actor1
%% in arguments and results stand for the processes. Functions that are not those of ets: die (the
%% actor ends and another takes its place), flush (the messages it got), drain (a select or match in
%% portions, put together), walk (all keys from first to last).
-mode(compile).

main([Asked, Answered]) ->
    {ok, Bytes} = file:read_file(Asked),
    Answers = [answer(Sequence) || Sequence <- binary_to_term(Bytes)],
    ok = file:write_file(Answered, term_to_binary(Answers, [{minor_version, 2}])).

answer(Sequence) ->
    Answers = answer(Sequence, #{actor0 => actor(), actor1 => actor()}, []),
    Answers.

answer([], Actors, Acc) ->
    [stop(Actor) || Actor <- maps:values(Actors)],
    lists:reverse(Acc);
answer([{Name, die, []} | Rest], Actors, Acc) ->
    stop(maps:get(Name, Actors)),
    answer(Rest, Actors#{Name := actor()}, [{value, ok} | Acc]);
answer([{Name, Function, Args} | Rest], Actors, Acc) ->
    Actor = maps:get(Name, Actors),
    Actor ! {self(), Function, swap(Args, Actors)},
    Answer = receive {Actor, It} -> It end,
    Names = maps:from_list([{Pid, It} || {It, Pid} <- maps:to_list(Actors)]),
    answer(Rest, Actors, [swap(Answer, Names) | Acc]).

actor() ->
    Parent = self(),
    spawn(fun() -> loop(Parent) end).

stop(Actor) ->
    Monitor = monitor(process, Actor),
    exit(Actor, kill),
    receive {'DOWN', Monitor, _, _, _} -> ok end.

loop(Parent) ->
    receive
        {Parent, Function, Args} ->
            Answer = try {value, run(Function, Args)}
                     catch
                         Class:Reason:Trace -> {Class, Reason, cause(Trace)}
                     end,
            Parent ! {self(), Answer},
            loop(Parent)
    end.

cause([{_, _, _, Info} | _]) ->
    maps:get(cause, proplists:get_value(error_info, Info, #{}), none).

run(flush, []) ->
    flush();
run(drain, [Function, Table, What, Limit]) ->
    drain(Function, ets:Function(Table, What, Limit));
run(walk, [Table]) ->
    walk(Table, ets:first(Table));
run(match_spec_test, Args) ->
    apply(erlang, match_spec_test, Args);
run(Function, Args) ->
    apply(ets, Function, Args).

flush() ->
    receive
        {'ETS-TRANSFER', _, _, _} = Message -> [Message | flush()]
    after 0 -> []
    end.

drain(_, '$end_of_table') -> [];
drain(Function, {Found, Continuation}) -> Found ++ drain(Function, ets:Function(Continuation)).

walk(_, '$end_of_table') -> [];
walk(Table, Key) -> [Key | walk(Table, ets:next(Table, Key))].

swap(Term, Names) when is_atom(Term); is_pid(Term) ->
    case Names of
        #{Term := Other} -> Other;
        _ when is_pid(Term) -> somebody;
        _ -> Term
    end;
swap([Head | Tail], Names) ->
    [swap(Head, Names) | swap(Tail, Names)];
swap(Term, Names) when is_tuple(Term) ->
    list_to_tuple(swap(tuple_to_list(Term), Names));
swap(Term, Names) when is_map(Term) ->
    maps:map(fun(_, Value) -> swap(Value, Names) end, Term);
swap(Term, _) ->
    Term.
