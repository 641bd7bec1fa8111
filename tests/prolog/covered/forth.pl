:- module(forth, [evaluate/2]).
:- use_module(library(assoc)).
:- use_module(library(dcg/basics)).

evaluate(Lines, Stack) :-
    empty_assoc(Env),
    run_lines(Lines, Env, [], Rev),
    reverse(Rev, Stack).

run_lines([], _, S, S).
run_lines([L|Ls], Env0, S0, S) :-
    string_lower(L, Low),
    split_string(Low, " ", " ", Toks0),
    exclude(==(""), Toks0, Toks),
    exec(Toks, Env0, Env, S0, S1),
    run_lines(Ls, Env, S1, S).

exec([], E, E, S, S).
exec([":", Name|Rest], E0, E, S0, S) :- !,
    ( number_string(_, Name) -> throw(error(illegal_operation, _)) ; true ),
    append(Body0, [";"|After], Rest), !,
    expand(Body0, E0, Body),
    put_assoc(Name, E0, Body, E1),
    exec(After, E1, E, S0, S).
exec([T|Ts], E0, E, S0, S) :-
    (   get_assoc(T, E0, Body)
    ->  append(Body, Ts, Ts1),
        exec(Ts1, E0, E, S0, S)
    ;   number_string(N, T)
    ->  exec(Ts, E0, E, [N|S0], S)
    ;   prim(T, S0, S1)
    ->  exec(Ts, E0, E, S1, S)
    ;   known(T)
    ->  throw(error(stack_underflow, _))
    ;   throw(error(undefined(T), _))
    ).

expand([], _, []).
expand([T|Ts], E, Out) :-
    ( get_assoc(T, E, B) -> true ; B = [T] ),
    expand(Ts, E, Rest),
    append(B, Rest, Out).

known(T) :- memberchk(T, ["+", "-", "*", "/", "dup", "drop", "swap", "over"]).
prim("+", [B, A|S], [C|S]) :- C is A + B.
prim("-", [B, A|S], [C|S]) :- C is A - B.
prim("*", [B, A|S], [C|S]) :- C is A * B.
prim("/", [B, A|S], [C|S]) :- ( B =:= 0 -> throw(error(divide_by_zero, _)) ; C is A // B ).
prim("dup", [A|S], [A, A|S]).
prim("drop", [_|S], S).
prim("swap", [B, A|S], [A, B|S]).
prim("over", [B, A|S], [A, B, A|S]).
