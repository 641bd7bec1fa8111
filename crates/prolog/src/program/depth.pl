% call_with_depth_limit/3: interprets the clauses of the goal to count nested calls; other predicates are called.
:- module('$depth', [ call_with_depth_limit/3 ]).
:- meta_predicate call_with_depth_limit(0, +, -).

call_with_depth_limit(Goal, Limit, Result) :-
    must_be(integer, Limit),
    strip_module(Goal, M, G),
    % The deepest level so far, and whether the limit was reached.
    State = state(0, false),
    (   call_cleanup(walk(G, M, 1, Limit, State, none), Last = true),
        arg(1, State, Deepest),
        ( Last == true -> ! ; true ),
        Result = Deepest
    ;   arg(2, State, true),
        Result = depth_limit_exceeded
    ).

% walk(Goal, Module, Depth, Limit, State, Barrier): Barrier is the choice point that a cut in Goal cuts back to.
walk(G, M, _, _, _, _) :- var(G), !, call(M:G).
walk(N:G, _, D, L, S, C) :- atom(N), !, walk(G, N, D, L, S, C).
walk(!, _, _, _, _, C) :- C \== none, !, '$body'(!, user, C).
walk((A, B), M, D, L, S, C) :- !, walk(A, M, D, L, S, C), walk(B, M, D, L, S, C).
walk((If -> Then ; Else), M, D, L, S, C) :- !,
    ( walk(If, M, D, L, S, none) -> walk(Then, M, D, L, S, C) ; walk(Else, M, D, L, S, C) ).
walk((If *-> Then ; Else), M, D, L, S, C) :- !,
    ( walk(If, M, D, L, S, none) *-> walk(Then, M, D, L, S, C) ; walk(Else, M, D, L, S, C) ).
walk((A ; B), M, D, L, S, C) :- !, ( walk(A, M, D, L, S, C) ; walk(B, M, D, L, S, C) ).
walk((If -> Then), M, D, L, S, C) :- !, ( walk(If, M, D, L, S, none) -> walk(Then, M, D, L, S, C) ).
walk(\+ G, M, D, L, S, _) :- !, \+ walk(G, M, D, L, S, none).
walk(G, M, D, L, S, _) :-
    (   D > L -> nb_setarg(2, S, true), fail ; true ),
    arg(1, S, Deepest),
    ( D > Deepest -> nb_setarg(1, S, D) ; true ),
    Next is D + 1,
    step(G, M, D, Next, L, S).

step(G, M, _, Next, L, S) :- meta(G, Inner), !, walk(Inner, M, Next, L, S, none).
step(findall(T, G, As), M, _, Next, L, S) :- !, findall(T, walk(G, M, Next, L, S, none), As).
step(forall(A, B), M, _, Next, L, S) :- !,
    \+ ( walk(A, M, Next, L, S, none), \+ walk(B, M, Next, L, S, none) ).
step(catch(G, E, R), M, _, Next, L, S) :- !, catch(walk(G, M, Next, L, S, none), E, walk(R, M, Next, L, S, none)).
step(G, M, _, Next, L, S) :-
    callable(G), predicate_property(M:G, defined), \+ predicate_property(M:G, built_in), !,
    ( predicate_property(M:G, imported_from(Home)) -> true ; Home = M ),
    clauses(G, Home, Next, L, S).
step(G, M, _, _, _, _) :- call(M:G).

clauses(G, M, D, L, S) :-
    '$choices'(C),
    '$clauses'(M:G, _, access, Refs),
    '$member'(R, Refs),
    '$clause_seen'(R, M:G, Body),
    ( Body == true -> true ; walk(Body, M, D, L, S, C) ).
'$member'(X, [Y|Ys]) :- one_of(Ys, X, Y).
one_of(_, X, X).
one_of([Y|Ys], X, _) :- one_of(Ys, X, Y).

meta(G, Inner) :-
    compound(G), compound_name_arguments(G, call, [Goal0|More]),
    ( More == [] -> Inner = Goal0 ; callable(Goal0), added(Goal0, More, Inner) ).
meta(once(G), ( G -> true )).
meta(ignore(G), ( G -> true ; true )).
added(M:G0, More, M:G) :- !, added(G0, More, G).
added(G0, More, G) :- G0 =.. Parts0, append(Parts0, More, Parts), G =.. Parts.
