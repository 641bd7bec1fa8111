%% Runs PropEr's own generators with numbers of the input in place of random ones.
%%
%% The input is a list of numbers. A generator that draws a random number gets the next one of the list, unchanged; a number
%% outside of the generator's range refuses the input. When the list is used up, the generator gets its minimum. So the
%% search explores generators like other code, and finds the numbers that lead to a value.
-module(gimlet_property).

-export([run/3, values/3]).
-export([rand_int/1, rand_non_neg_int/1, rand_int/2, smart_rand_int/3]).
-export([rand_float/1, rand_non_neg_float/1, rand_float/2, jumble/1]).

%% Whether the property holds for the values generated from these numbers.
run(Module, Function, Numbers) ->
    begin_with(Numbers),
    holds(Module:Function()).

%% The generated values, in the form of a counterexample of PropEr.
values(Module, Function, Numbers) ->
    begin_with(Numbers),
    try holds(Module:Function()) of
        _ -> lists:reverse(get('$gimlet_values'))
    catch
        throw:'gimlet$refused' -> refused;
        _:_ -> lists:reverse(get('$gimlet_values'))
    end.

%% Sets the entries of the process dictionary that PropEr uses while it generates, such as the size of lists and trees.
%% With a single try, a value that violates a condition of ?SUCHTHAT refuses the input.
begin_with(Numbers) ->
    put('$gimlet_numbers', Numbers),
    put('$gimlet_values', []),
    put('$left', 0),
    put('$size', 12),
    put('$any_type', undefined),
    put('$constraint_tries', 1).

holds(true) -> true;
holds(false) -> false;
holds({forall, Type, Property}) ->
    case proper_gen:safe_generate(Type) of
        {ok, Generated} ->
            Value = proper_gen:clean_instance(Generated),
            put('$gimlet_values', [Value | get('$gimlet_values')]),
            holds(Property(Value));
        {error, _} ->
            throw('gimlet$refused')
    end;
holds({implies, true, Property}) -> holds(Property());
holds({implies, _, _}) -> throw('gimlet$refused');
holds({whenfail, _, Property}) -> holds(Property());
holds({trapexit, Property}) -> holds(Property());
holds({timeout, _, Property}) -> holds(Property());
holds({sample, _, _, Property}) -> holds(Property);
holds({numtests, _, Property}) -> holds(Property);
holds({on_output, _, Property}) -> holds(Property);
holds({setup, _, Property}) -> holds(Property);
holds({conjunction, Properties}) -> lists:all(fun({_, It}) -> holds(It) end, Properties);
%% Refuses properties that should fail, targeted properties, and terms that are no properties.
holds(_) -> throw('gimlet$refused').

next() ->
    case get('$gimlet_numbers') of
        [Number | Rest] -> put('$gimlet_numbers', Rest), {ok, Number};
        _ -> none
    end.

rand_int(_) ->
    case next() of
        {ok, N} when is_integer(N) -> N;
        none -> 0;
        _ -> throw('gimlet$refused')
    end.

rand_non_neg_int(_) ->
    case next() of
        {ok, N} when is_integer(N), N >= 0 -> N;
        none -> 0;
        _ -> throw('gimlet$refused')
    end.

rand_int(Low, High) ->
    case next() of
        {ok, N} when is_integer(N), Low =< N, N =< High -> N;
        none -> Low;
        _ -> throw('gimlet$refused')
    end.

smart_rand_int(_, Low, High) -> rand_int(Low, High).

rand_float(_) ->
    case next() of
        {ok, X} when is_float(X) -> X;
        none -> 0.0;
        _ -> throw('gimlet$refused')
    end.

rand_non_neg_float(_) ->
    case next() of
        {ok, X} when is_float(X), X >= 0 -> X;
        none -> 0.0;
        _ -> throw('gimlet$refused')
    end.

rand_float(Low, High) ->
    case next() of
        {ok, X} when is_float(X), Low =< X, X =< High -> X;
        none -> Low;
        _ -> throw('gimlet$refused')
    end.

%% Returns the list in its own order, which is one of those that PropEr may draw.
jumble(List) -> List.
