eval(E, V) :- catch(ev(E, V), error(K, _), V = err(K)).
ev(N, N) :- number(N), !.
ev(A + B, V) :- !, ev(A, X), ev(B, Y), V is X + Y.
ev(A / B, V) :- !, ev(A, X), ev(B, Y), ( Y =:= 0 -> throw(error(zero, A / B)) ; V is X / Y ).
ev(let(X, E, B), V) :- !, ev(E, W), subst(B, X, W, B1), ev(B1, V).
ev(T, _) :- throw(error(unknown(T), _)).
subst(X, X, W, W) :- !.
subst(T, _, _, T) :- atomic(T), !.
subst(T, X, W, S) :- T =.. [F|As], maplist([A,B]>>subst(A, X, W, B), As, Bs), S =.. [F|Bs].
