t(1). t(2). t(3).
first(X) :- t(X), !.
max(X, Y, Y) :- X =< Y, !.
max(X, _, X).
classify(X, neg) :- X < 0, !.
classify(0, zero) :- !.
classify(_, pos).
safe_div(X, Y, Z) :- catch(Z is X / Y, error(evaluation_error(zero_divisor), _), Z = inf).
rethrow(X) :- catch(throw(X), b, true).
chain(X) :- ( t(X), X > 1 -> true ; X = none ).
soft(X) :- ( t(X) *-> true ; X = none ).
loop(N, N) :- !.
loop(I, N) :- J is I + 1, loop(J, N).
between_(L, H, L) :- L =< H.
between_(L, H, X) :- L < H, M is L + 1, between_(M, H, X).
%?- first(X).
%?- max(3, 5, M), max(5, 3, N).
%?- maplist(classify, [-1, 0, 1], L).
%?- safe_div(1, 0, Z).
%?- safe_div(1, a, Z).
%?- catch(rethrow(a), E, true).
%?- rethrow(b).
%?- chain(X).
%?- soft(X).
%?- loop(0, 100000).
%?- between_(1, 3, X).
%?- \+ t(4), not(t(5)), once(t(X)), ignore(t(9)).
%?- forall(t(X), X < 4).
%?- catch(undefined_thing, error(E, _), true).
%?- catch(atom_length(X, _), error(E, _), true).
%?- catch(atom_length(f(x), _), error(E, _), true).
%?- catch(X is foo + 1, error(E, _), true).
%?- catch(X is 1 / 0, error(E, _), true).
%?- catch(arg(x, f(a), _), error(E, _), true).
%?- catch(functor(_, _, _), error(E, _), true).
%?- catch(number_codes(X, "1a"), error(E, _), true).
%?- catch(call(1), error(E, _), true).
%?- setup_call_cleanup(true, t(X), nb_setval(done, yes)), X > 2, nb_getval(done, D).
%?- setup_call_cleanup(true, throw(oops), true).
%?- catch(setup_call_cleanup(true, fail, nb_setval(d2, yes)), _, true) ; nb_getval(d2, D).
%?- call_cleanup(t(X), true).
%?- findall(X, ( t(X) ; X = 4 ), L).
%?- ( t(X), X > 5 ; X = default ).
%?- G = t(X), call(G).
%?- Add = plus(2), call(Add, 3, X).
%?- maplist([X, Y]>>( Y is X * X ), [1, 2, 3], L).
%?- foldl([X, A, B]>>( B is A + X ), [1, 2, 3], 0, S).
%?- N = 5, maplist({N}/[X, Y]>>( Y is X + N ), [1, 2], L).
%?- freeze(X, ( X > 3 )), X = 5.
%?- freeze(X, ( X > 3 )), X = 2.
%?- dif(X, a), member(X, [a, b]).
%?- when(ground(X + Y), Z is X + Y), X = 1, Y = 2.
%?- tab(2), print(a), nl, write_canonical('A b'), nl, writeq(['A', b|c]), nl.
%?- b_setval(v, 1), ( b_setval(v, 2), fail ; b_getval(v, X) ).
%?- copy_term(f(X, Y, X), C), length(L, 2), T =.. [g|L].
%?- tnot_defined(1) ; true.
%?- string_concat(A, B, "ab").
%?- succ_or_fail(1) -> true ; true.
%?- apply(format, ["~w~n", [x]]).
%?- between(1, inf, X), X * X > 50, !.
%?- nb_setval(acc, []), ( t(X), nb_getval(acc, A), nb_setval(acc, [X|A]), fail ; nb_getval(acc, R) ).
%?- unify_with_occurs_check(X, f(X)).
%?- X = f(Y), Y = 1, ground(X), term_variables(f(A, B, A), Vs).
%?- subsumes_term(f(_), f(a)), \+ subsumes_term(f(a), f(_)).
%?- T = f(a, b), setarg(1, T, z), nb_setarg(2, T, y).
