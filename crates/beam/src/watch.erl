%% Rewrites a module so that it reports the reduction of its expressions, one after the other.
%%
%% Each function gets a frame when it is entered, and each reduction names the frame, the place in the
%% source and its value. The texts of the places are returned separately: pieces of text with holes for
%% variables and for other places. Tail calls stay tail calls. The file is parsed form by form without a
%% preprocessor, so it uses no macros and no includes.
-module(gimlet_watch).
-export([rewrite/3]).

%% Returns {Forms, Places}; Watched are the modules that report, too, and places are numbered from First.
rewrite(Forms, Watched, First) ->
    Module = hd([Name || {attribute, _, module, Name} <- Forms]),
    Own = maps:from_keys([{Name, Arity} || {function, _, Name, Arity, _} <- Forms], true),
    Imported = [{Key, From} || {attribute, _, import, {From, Keys}} <- Forms, Key <- Keys],
    put(gimlet_known, {Module, Own, maps:from_list(Imported), Watched}),
    put(gimlet_next, First),
    put(gimlet_places, []),
    New = [form(Form) || Form <- Forms],
    {New, lists:reverse(get(gimlet_places))}.

form({function, Anno, Name, Arity, Clauses}) ->
    {function, Anno, Name, Arity, function(Anno, text(Name), Arity, Clauses, [])};
form(Form) ->
    Form.

%% Captured are the variables that a fun has from outside.
function(Anno, Name, Arity, Clauses, Captured) ->
    Id = id(),
    Frame = fresh(Anno, Id),
    case Clauses of
        [{clause, At, Patterns, [], Body}] ->
            Names = [N || {var, _, N} <- Patterns],
            case length(Names) =:= Arity andalso length(lists:usort(Names)) =:= Arity of
                true ->
                    Params = [aliased(P) || P <- Patterns],
                    {Codes, Root} = scoped(Patterns, fun() -> body(Body, Frame, true) end),
                    place({function, Id, Name, Names, Root}),
                    Enter = enter(Anno, Frame, Id, [V || {V, _} <- Params], Captured),
                    [{clause, At, [P || {_, P} <- Params], [], [Enter | Codes]}];
                false ->
                    choosing(Anno, Id, Frame, Name, Arity, Clauses, Captured)
            end;
        _ ->
            choosing(Anno, Id, Frame, Name, Arity, Clauses, Captured)
    end.

%% Turns a function with several clauses into one with a case.
choosing(Anno, Id, Frame, Name, Arity, Clauses, Captured) ->
    Params = [list_to_atom("$" ++ integer_to_list(N)) || N <- lists:seq(1, Arity)],
    Case = id(),
    {New, Bodies} = lists:unzip([
        begin
            {clause, At, Patterns, Guards, Body} = Clause,
            Args = [fresh(Anno, id()) || _ <- Patterns],
            {Codes, Root} = scoped(Patterns, fun() -> body(Body, Frame, true) end),
            Enter = enter(Anno, Frame, Id, Args, Captured),
            Took = tell(Anno, Frame, took, Case, {integer, Anno, Nth}, bindings(Anno, Patterns)),
            Heads = [{match, Anno, P, A} || {P, A} <- lists:zip(Patterns, Args)],
            {{clause, At, Heads, Guards, [Enter, Took | Codes]}, {Root, 'case'}}
        end
     || {Nth, Clause} <- numbered(Clauses)
    ]),
    Shown = [<<"case {">>, joined([{var, P} || P <- Params]), <<"} of … end"/utf8>>],
    place({node, Case, 'case', Shown, Bodies, false}),
    place({function, Id, Name, Params, {node, Case}}),
    New.

aliased({var, Anno, '_'}) -> V = fresh(Anno, id()), {V, V};
aliased(Var) -> {Var, Var}.

enter(Anno, Frame, Id, Args, Captured) ->
    Parts = [{integer, Anno, Id}, list(Anno, Args), named(Anno, Captured)],
    {match, Anno, Frame, call(Anno, enter, Parts)}.

tell(Anno, Frame, What, Id, Value, Bindings) ->
    call(Anno, tell, [Frame, {atom, Anno, What}, {integer, Anno, Id}, Value, Bindings]).

tell(Anno, Frame, What, Id, Value) ->
    tell(Anno, Frame, What, Id, Value, {nil, Anno}).

call(Anno, Name, Args) ->
    {call, Anno, {remote, Anno, {atom, Anno, gimlet_watch}, {atom, Anno, Name}}, Args}.

list(Anno, Items) ->
    lists:foldr(fun(Item, Tail) -> {cons, Anno, Item, Tail} end, {nil, Anno}, Items).

bindings(Anno, Patterns) -> named(Anno, variables(Patterns)).

named(Anno, Names) ->
    list(Anno, [{tuple, Anno, [{atom, Anno, N}, {var, Anno, N}]} || N <- Names]).

variables(Code) -> lists:usort([N || N <- variables(Code, []), N =/= '_']).

variables({var, _, Name}, Acc) -> [Name | Acc];
variables(Code, Acc) when is_tuple(Code) -> variables(tuple_to_list(Code), Acc);
variables([Head | Tail], Acc) -> variables(Tail, variables(Head, Acc));
variables(_, Acc) -> Acc.

id() ->
    Id = get(gimlet_next),
    put(gimlet_next, Id + 1),
    Id.

fresh(Anno, Id) -> {var, Anno, list_to_atom("Gimlet@" ++ integer_to_list(Id))}.

place(Place) -> put(gimlet_places, [Place | get(gimlet_places)]).

numbered(Items) -> lists:zip(lists:seq(1, length(Items)), Items).

%% Variables that are bound here, for funs to capture ---------------------------------------

scoped(Patterns, Make) ->
    Outer = bound(),
    put(gimlet_bound, ordsets:union(Outer, variables(Patterns))),
    Made = Make(),
    put(gimlet_bound, Outer),
    Made.

bound() ->
    case get(gimlet_bound) of
        undefined -> [];
        Names -> Names
    end.

bind(Pattern) -> put(gimlet_bound, ordsets:union(bound(), variables(Pattern))).

%% Expressions ------------------------------------------------------------------------------
%%
%% Returns {Code, Shown}, where Shown consists of texts, variables and places.

body(Exprs, Frame, IsTail) ->
    Id = id(),
    N = length(Exprs),
    Parts = [
        {Nth, Expr, expr(Expr, Frame, IsTail andalso Nth =:= N)}
     || {Nth, Expr} <- numbered(Exprs)
    ],
    place({seq, Id, [Shown || {_, _, {_, Shown}} <- Parts]}),
    Codes = lists:append([
        case Nth of
            N -> [Code];
            _ ->
                Anno = element(2, Expr),
                [Code, tell(Anno, Frame, seq, Id, {integer, Anno, Nth})]
        end
     || {Nth, Expr, {Code, _}} <- Parts
    ]),
    {Codes, {seq, Id}}.

expr(Expr, Frame, IsTail) ->
    case is_literal(Expr) of
        true -> {Expr, text(Expr, shown)};
        false -> reducible(Expr, Frame, IsTail)
    end.

is_literal(Expr) ->
    try erl_parse:normalise(Expr) of
        _ -> true
    catch
        _:_ -> false
    end.

exprs(Exprs, Frame) -> lists:unzip([expr(Expr, Frame, false) || Expr <- Exprs]).

reducible({var, _, Name} = Var, _, _) ->
    {Var, {var, Name}};
reducible({tuple, Anno, Parts}, Frame, _) ->
    {Codes, Shown} = exprs(Parts, Frame),
    {{tuple, Anno, Codes}, [<<"{">>, joined(Shown), <<"}">>]};
reducible({cons, _, _, _} = Cons, Frame, _) ->
    {Code, Items, Tail} = cons(Cons, Frame, []),
    {Code, [<<"[">>, joined(Items), Tail, <<"]">>]};
reducible({match, Anno, Pattern, Expr}, Frame, _) ->
    {Code, Shown} = expr(Expr, Frame, false),
    Id = id(),
    Value = fresh(Anno, Id),
    bind(Pattern),
    place({node, Id, match, [text(Pattern, shown), <<" = ">>, Shown], [], false}),
    Told = tell(Anno, Frame, match, Id, Value, bindings(Anno, Pattern)),
    {{block, Anno, [{match, Anno, Value, Code}, {match, Anno, Pattern, Value}, Told]}, {node, Id}};
reducible({op, Anno, Op, Left, Right}, Frame, _) ->
    {[A, B], [ShownA, ShownB]} = exprs([Left, Right], Frame),
    Rule = case Op of '!' -> send; _ -> builtin end,
    Shown = [grouped(Left, ShownA), <<" ">>, operator(Op), <<" ">>, grouped(Right, ShownB)],
    value(Anno, Frame, Rule, Shown, {op, Anno, Op, A, B});
reducible({op, Anno, Op, Operand}, Frame, _) ->
    {Code, Shown} = expr(Operand, Frame, false),
    value(Anno, Frame, builtin, [operator(Op), <<" ">>, grouped(Operand, Shown)], {op, Anno, Op, Code});
reducible({call, Anno, {remote, At, {atom, _, Module} = M, {atom, _, Name} = F}, Args}, Frame, Tail) ->
    called(Anno, Module, Name, {remote, At, M, F}, Args, Frame, Tail);
reducible({call, Anno, {remote, At, Module, Name}, Args}, Frame, _) ->
    {[M, F], [ShownM, ShownF]} = exprs([Module, Name], Frame),
    applied(Anno, Frame, call, {remote, At, M, F}, [ShownM, <<":">>, ShownF], Args, false);
reducible({call, Anno, {atom, _, Name} = Called, Args}, Frame, IsTail) ->
    {_, Own, Imported, _} = get(gimlet_known),
    Key = {Name, length(Args)},
    case {Own, Imported} of
        {#{Key := _}, _} -> applied(Anno, Frame, 'fun', Called, text(Called, shown), Args, IsTail);
        {_, #{Key := Module}} -> called(Anno, Module, Name, Called, Args, Frame, IsTail);
        _ -> called(Anno, erlang, Name, Called, Args, Frame, IsTail)
    end;
reducible({call, Anno, Fun, Args}, Frame, _) ->
    {Code, Shown} = expr(Fun, Frame, false),
    applied(Anno, Frame, call, Code, grouped(Fun, Shown), Args, false);
reducible({'case', Anno, Expr, Clauses}, Frame, IsTail) ->
    {Code, Shown} = expr(Expr, Frame, false),
    Id = id(),
    {New, Bodies} = clauses(Clauses, Id, 0, 'case', Frame, IsTail),
    place({node, Id, 'case', [<<"case ">>, Shown, <<" of … end"/utf8>>], Bodies, false}),
    {{'case', Anno, Code, New}, {node, Id}};
reducible({'if', Anno, Clauses}, Frame, IsTail) ->
    Id = id(),
    {New, Bodies} = clauses(Clauses, Id, 0, 'if', Frame, IsTail),
    place({node, Id, 'if', [<<"if … end"/utf8>>], Bodies, false}),
    {{'if', Anno, New}, {node, Id}};
reducible({'receive', Anno, Clauses}, Frame, IsTail) ->
    Id = id(),
    {New, Bodies} = clauses(Clauses, Id, 0, 'receive', Frame, IsTail),
    place({node, Id, 'receive', [<<"receive … end"/utf8>>], Bodies, false}),
    {{'receive', Anno, New}, {node, Id}};
reducible({'receive', Anno, Clauses, Time, After}, Frame, IsTail) ->
    {Code, ShownTime} = expr(Time, Frame, false),
    Id = id(),
    {New, Bodies} = clauses(Clauses, Id, 0, 'receive', Frame, IsTail),
    {Codes, Root} = scoped([], fun() -> body(After, Frame, IsTail) end),
    Nth = length(Clauses) + 1,
    Shown = [<<"receive … after "/utf8>>, ShownTime, <<" … end"/utf8>>],
    place({node, Id, 'receive', Shown, Bodies ++ [{Root, timeout}], false}),
    Took = tell(Anno, Frame, took, Id, {integer, Anno, Nth}),
    {{'receive', Anno, New, Code, [Took | Codes]}, {node, Id}};
reducible({'try', Anno, Body, Of, Catch, After}, Frame, _) ->
    Id = id(),
    {BodyCodes, Root} = scoped([], fun() -> body(Body, Frame, false) end),
    {OfCodes, OfBodies} = clauses(Of, Id, 0, 'try', Frame, false),
    {CatchCodes, CatchBodies} = clauses(Catch, Id, length(Of), 'catch', Frame, false),
    AfterCodes =
        case After of
            [] -> [];
            _ -> element(1, scoped([], fun() -> body(After, Frame, false) end))
        end,
    place({node, Id, 'try', [<<"try ">>, Root, <<" … end"/utf8>>], OfBodies ++ CatchBodies, false}),
    Code = {'try', Anno, BodyCodes, OfCodes, CatchCodes, AfterCodes},
    {tell(Anno, Frame, value, Id, Code), {node, Id}};
reducible({'catch', Anno, Expr}, Frame, _) ->
    {Code, Shown} = expr(Expr, Frame, false),
    value(Anno, Frame, 'catch', [<<"catch ">>, Shown], {'catch', Anno, Code});
reducible({block, Anno, Exprs}, Frame, IsTail) ->
    {Codes, Root} = body(Exprs, Frame, IsTail),
    {{block, Anno, Codes}, Root};
reducible({Kind, Anno, Expr, Qualifiers}, Frame, _) when Kind =:= lc; Kind =:= bc ->
    comprehension(Kind, Anno, Expr, Qualifiers, Frame);
reducible({'fun', Anno, {clauses, Clauses}}, _, _) ->
    {{'fun', Anno, {clauses, closure(Anno, Clauses)}}, <<"fun … end"/utf8>>};
reducible({named_fun, Anno, Name, Clauses}, _, _) ->
    {{named_fun, Anno, Name, closure(Anno, Clauses)}, <<"fun … end"/utf8>>};
reducible({'fun', _, _} = Fun, _, _) ->
    {Fun, text(Fun, shown)};
reducible({map, Anno, Pairs}, Frame, _) ->
    {Codes, Shown} = lists:unzip([pair(Pair, Frame) || Pair <- Pairs]),
    value(Anno, Frame, builtin, [<<"#{">>, joined(Shown), <<"}">>], {map, Anno, Codes});
reducible({map, Anno, Map, Pairs}, Frame, _) ->
    {Code, ShownMap} = expr(Map, Frame, false),
    {Codes, Shown} = lists:unzip([pair(Pair, Frame) || Pair <- Pairs]),
    All = [grouped(Map, ShownMap), <<"#{">>, joined(Shown), <<"}">>],
    value(Anno, Frame, builtin, All, {map, Anno, Code, Codes});
%% Records, binaries and the like are one reduction.
reducible(Expr, Frame, _) ->
    bind(Expr),
    value(element(2, Expr), Frame, builtin, text(Expr, shown), Expr).

value(Anno, Frame, Rule, Shown, Code) ->
    Id = id(),
    place({node, Id, Rule, Shown, [], false}),
    {tell(Anno, Frame, value, Id, Code), {node, Id}}.

cons({cons, Anno, Head, Tail}, Frame, Items) ->
    {Code, Shown} = expr(Head, Frame, false),
    {Rest, All, End} = cons(Tail, Frame, [Shown | Items]),
    {{cons, Anno, Code, Rest}, All, End};
cons({nil, _} = Nil, _, Items) ->
    {Nil, lists:reverse(Items), []};
cons(Tail, Frame, Items) ->
    {Code, Shown} = expr(Tail, Frame, false),
    {Code, lists:reverse(Items), [<<" | ">>, Shown]}.

pair({Kind, Anno, Key, Value}, Frame) ->
    {[K, V], [ShownK, ShownV]} = exprs([Key, Value], Frame),
    Arrow = case Kind of map_field_exact -> <<" := ">>; _ -> <<" => ">> end,
    {{Kind, Anno, K, V}, [ShownK, Arrow, ShownV]}.

clauses(Clauses, Id, From, Rule, Frame, IsTail) ->
    lists:unzip([
        begin
            {clause, At, Patterns, Guards, Body} = Clause,
            {Codes, Root} = scoped(Patterns, fun() -> body(Body, Frame, IsTail) end),
            Nth = {integer, At, From + N},
            Took = tell(At, Frame, took, Id, Nth, bindings(At, Patterns)),
            {{clause, At, Patterns, Guards, [Took | Codes]}, {Root, Rule}}
        end
     || {N, Clause} <- numbered(Clauses)
    ]).

closure(Anno, Clauses) ->
    [{clause, _, Patterns, _, _} | _] = Clauses,
    Heads = [P || {clause, _, P, _, _} <- Clauses],
    Captured = ordsets:subtract(ordsets:intersection(bound(), variables(Clauses)), variables(Heads)),
    scoped([], fun() ->
        function(Anno, <<"(fun … end)"/utf8>>, length(Patterns), Clauses, Captured)
    end).

%% The value computed for each element is shown in its place.
comprehension(Kind, Anno, Expr, [First | Rest], Frame) ->
    {Begin, _} = generator(First, Frame),
    Id = id(),
    Patterns = [P || {_, _, P, _} <- [First | Rest]],
    {Code, Shown} = scoped(Patterns, fun() -> expr(Expr, Frame, false) end),
    Next = tell(Anno, Frame, next, Id, {nil, Anno}, bindings(Anno, Patterns)),
    {Open, Close} = case Kind of lc -> {<<"[">>, <<"]">>}; bc -> {<<"<<">>, <<">>">>} end,
    place({node, Id, comprehension, [Open, Shown, <<" || …"/utf8>>, Close], [], false}),
    All =
        case {Kind, Expr} of
            {lc, _} -> {lc, Anno, {block, Anno, [Next, Code]}, [Begin | Rest]};
            %% The segments of a binary must stay in place.
            {bc, _} -> {bc, Anno, Expr, [Begin | Rest]}
        end,
    {tell(Anno, Frame, value, Id, All), {node, Id}}.

generator({Kind, Anno, Pattern, Source}, Frame) when Kind =:= generate; Kind =:= b_generate ->
    {Code, Shown} = expr(Source, Frame, false),
    {{Kind, Anno, Pattern, Code}, Shown};
generator(Filter, _) ->
    {Filter, []}.

called(Anno, Module, Name, Called, Args, Frame, IsTail) ->
    {Own, _, _, Watched} = get(gimlet_known),
    case Module =:= Own orelse lists:member(Module, Watched) of
        true -> applied(Anno, Frame, 'fun', Called, text(Called, shown), Args, IsTail);
        false ->
            Rule = rule(Module, Name, length(Args)),
            applied(Anno, Frame, Rule, Called, text(Called, shown), Args, false)
    end.

applied(Anno, Frame, Rule, Called, ShownCalled, Args, IsTail) ->
    {Codes, Shown} = exprs(Args, Frame),
    Id = id(),
    place({node, Id, Rule, [ShownCalled, <<"(">>, joined(Shown), <<")">>], [], IsTail}),
    Code =
        case lists:reverse(Codes) of
            [] -> {block, Anno, [tell(Anno, Frame, last, Id, {nil, Anno}), {call, Anno, Called, []}]};
            [Last | Before] ->
                Told = tell(Anno, Frame, last, Id, Last),
                {call, Anno, Called, lists:reverse(Before, [Told])}
        end,
    case IsTail of
        true -> {Code, {node, Id}};
        false -> {tell(Anno, Frame, value, Id, Code), {node, Id}}
    end.

%% The names of rules are those of [Vidal 2015], and others of the same form.
rule(erlang, self, 0) -> self;
rule(erlang, Name, _) when
    Name =:= spawn; Name =:= spawn_link; Name =:= spawn_monitor; Name =:= spawn_opt;
    Name =:= spawn_request -> spawn;
rule(erlang, Name, _) when Name =:= '!'; Name =:= send; Name =:= send_nosuspend -> send;
rule(erlang, Name, _) when Name =:= link; Name =:= unlink -> link;
rule(erlang, Name, _) when
    Name =:= monitor; Name =:= demonitor; Name =:= alias; Name =:= unalias; Name =:= monitor_node
-> monitor;
rule(erlang, Name, _) when
    Name =:= send_after; Name =:= start_timer; Name =:= cancel_timer; Name =:= read_timer -> timer;
rule(erlang, Name, _) when
    Name =:= register; Name =:= unregister; Name =:= whereis; Name =:= registered -> name;
rule(erlang, exit, 2) -> signal;
rule(ets, _, _) -> table;
rule(Module, Name, Arity) ->
    case erlang:is_builtin(Module, Name, Arity) of
        true -> builtin;
        false -> call
    end.

%% Text -------------------------------------------------------------------------------------

joined(Items) -> lists:join(<<", ">>, Items).

%% Puts an expression in parentheses while it is not a value, if it needs them.
grouped(Expr, {node, Id}) when
    element(1, Expr) =:= op; element(1, Expr) =:= match; element(1, Expr) =:= 'catch' -> {group, Id};
grouped(_, Shown) -> Shown.

operator(Op) -> atom_to_binary(Op, utf8).

text(Atom) -> unicode:characters_to_binary(io_lib:format("~tw", [Atom])).

%% Returns the text of an expression on one line, with its variables as holes.
text(Expr, shown) ->
    Text = lists:flatten(erl_pp:expr(Expr, [{encoding, utf8}, {linewidth, 100000}])),
    case erl_scan:string(Text, {1, 1}, [return, text]) of
        {ok, Tokens, _} -> [token(Token) || Token <- Tokens];
        _ -> unicode:characters_to_binary(Text)
    end.

token({var, _, Name}) -> {var, Name};
token({white_space, _, _}) -> <<" ">>;
token(Token) -> unicode:characters_to_binary(erl_scan:text(Token)).
