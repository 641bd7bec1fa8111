% A dataflow analysis to a fixpoint: groundness of the arguments of a little program.
program([clause(app([], l, l), []), clause(app(c(x, xs), l, c(x, ys)), [app(xs, l, ys)]),
         clause(rev([], []), []), clause(rev(c(x, xs), ys), [rev(xs, zs), app(zs, c(x, []), ys)]),
         clause(main(ys), [input(xs), rev(xs, ys)]), clause(input(c(a, c(b, []))), [])]).
ground_in(T, Env) :- ( T == [] -> true ; memberchk(T, [a, b]) -> true ; compound(T) -> T =.. [_|As], forall(member(A, As), ground_in(A, Env)) ; memberchk(T, Env) ).
vars(T, Vs) :- ( T == [] -> Vs = [] ; memberchk(T, [a, b]) -> Vs = [] ; compound(T) -> T =.. [_|As], maplist(vars, As, Vss), append(Vss, V0), sort(V0, Vs) ; Vs = [T] ).
table_init(Table) :- empty_assoc(Table).
fix(T0, T, N0, N) :-
    program(Cs), foldl(visit, Cs, T0-same, T1-Changed),
    N1 is N0 + 1,
    ( Changed == same -> T = T1, N = N1 ; fix(T1, T, N1, N) ).
visit(clause(H, Body), T0-C0, T-C) :-
    H =.. [P|As], length(As, Arity),
    foldl(goal_env(T0), Body, [], Env),
    maplist([A, G]>>( ground_in(A, Env) -> G = g ; G = any ), As, Pattern0),
    maplist(ignore_inputs, As, Pattern0, Pattern),
    (   get_assoc(P/Arity, T0, Old) -> maplist(join, Old, Pattern, New) ; New = Pattern, Old = none ),
    ( Old == New -> T = T0, C = C0 ; put_assoc(P/Arity, T0, New, T), C = changed ).
ignore_inputs(_, P, P).
join(g, g, g) :- !.
join(_, _, any).
goal_env(T, G, Env0, Env) :-
    G =.. [P|As], length(As, N),
    ( get_assoc(P/N, T, Pattern) -> true ; length(Pattern, N), maplist(=(any), Pattern) ),
    foldl([A, M, E0, E]>>( M == g -> vars(A, Vs), ord_union(E0, Vs, E) ; E = E0 ), As, Pattern, Env0, Env).
analyse(L, N) :- table_init(T0), fix(T0, T, 0, N), assoc_to_list(T, L).
%?- analyse(L, N).
%?- vars(c(x, c(y, [])), Vs).
%?- ground_in(c(a, x), [x]).
%?- ground_in(c(a, y), [x]).
