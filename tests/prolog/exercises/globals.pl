% Global variables that directives set are there for goals.
:- nb_setval(counter, 5).
:- nb_setval(table, t(a, b)).
keep(N, Name) :- nb_getval(table, T), arg(N, T, A), nb_setval(Name, A).
:- keep(1, first).
:- keep(2, second).
:- initialization(nb_setval(late, [x])).
bump(N) :- nb_getval(counter, N0), N is N0 + 1, nb_setval(counter, N).
collect(X, Xs) :- nb_setval(all, []), ( member(Y, X), nb_getval(all, L), nb_setval(all, [Y|L]), fail ; nb_getval(all, Xs) ).
%?- nb_getval(table, T), nb_getval(first, F), nb_getval(second, S)
%?- nb_getval(late, L)
%?- nb_getval(counter, C)
%?- collect([a, b, c], L)
%?- nb_setval(v, f(_)), nb_getval(v, V), arg(1, V, 1), nb_getval(v, W)
%?- b_setval(w, 1), ( b_setval(w, 2), fail ; b_getval(w, X) )
%?- catch(nb_getval(nothing, _), error(E, _), true)
%?- bump(A), bump(B)
:- X = 7, Y is X + 1, nb_setval(bound, X-Y).
%?- nb_getval(bound, B)
