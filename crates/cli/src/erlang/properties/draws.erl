%% PropEr's own generators, with numbers of the input in the place of random ones.
%%
%% The input is a list of numbers. Whenever a generator asks for a random number, it gets the next one, as it is; one that
%% the generator could not have drawn refuses the input. When the list is used up, it gets the smallest that there is. So
%% generators are code like any other, and which numbers lead to which values is found by the search.
-module(gimlet_property).

-export([run/3, values/3]).
-export([rand_int/1, rand_non_neg_int/1, rand_int/2, smart_rand_int/3]).
-export([rand_float/1, rand_non_neg_float/1, rand_float/2, jumble/1]).

%% Whether the property holds for what is generated from these numbers.
run(Module, Function, Numbers) ->
    begin_with(Numbers),
    holds(Module:Function()).

%% The values that are generated, in the form of a counterexample of PropEr.
values(Module, Function, Numbers) ->
    begin_with(Numbers),
    try holds(Module:Function()) of
        _ -> lists:reverse(get('$gimlet_values'))
    catch
        throw:'gimlet$refused' -> refused;
        _:_ -> lists:reverse(get('$gimlet_values'))
    end.

%% What PropEr keeps while it generates: how large lists and trees may become, among others. A condition of ?SUCHTHAT that does not hold is not tried with other numbers.
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
%% A property that shall fail, one with a search of its own, and what is none.
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

%% Any order could have been drawn; this one is.
jumble(List) -> List.
