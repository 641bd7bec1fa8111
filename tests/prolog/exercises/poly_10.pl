poly_add(poly(V, T1), poly(V, T2), poly(V, T)) :- !, term_add(T1, T2, T).
poly_add(poly(V1, T1), poly(V2, T2), poly(V1, T)) :- V1 @< V2, !, add_to_order_zero(T1, poly(V2, T2), T).
poly_add(P, poly(V, T2), poly(V, T)) :- !, add_to_order_zero(T2, P, T).
poly_add(poly(V, T1), C, poly(V, T)) :- !, add_to_order_zero(T1, C, T).
poly_add(C1, C2, C) :- C is C1 + C2.
term_add([], X, X) :- !.
term_add(X, [], X) :- !.
term_add([term(E, C1)|X], [term(E, C2)|Y], [term(E, C)|Z]) :- !, poly_add(C1, C2, C), term_add(X, Y, Z).
term_add([term(E1, C1)|X], [term(E2, C2)|Y], [term(E1, C1)|Z]) :- E1 < E2, !, term_add(X, [term(E2, C2)|Y], Z).
term_add(X, [term(E2, C2)|Y], [term(E2, C2)|Z]) :- term_add(X, Y, Z).
add_to_order_zero([term(0, C1)|T], C2, [term(0, C)|T]) :- !, poly_add(C1, C2, C).
add_to_order_zero(T, C, [term(0, C)|T]).
poly_exp(0, _, 1) :- !.
poly_exp(N, P, R) :- M is N >> 1, N is M << 1, !, poly_exp(M, P, Part), poly_mul(Part, Part, R).
poly_exp(N, P, R) :- M is N - 1, poly_exp(M, P, Q), poly_mul(P, Q, R).
poly_mul(poly(V, T1), poly(V, T2), poly(V, T)) :- !, term_mul(T1, T2, T).
poly_mul(poly(V1, T1), poly(V2, T2), poly(V1, P)) :- V1 @< V2, !, mul_through(T1, poly(V2, T2), P).
poly_mul(P, poly(V, T2), poly(V, T)) :- !, mul_through(T2, P, T).
poly_mul(poly(V, T1), C, poly(V, T)) :- !, mul_through(T1, C, T).
poly_mul(C1, C2, C) :- C is C1 * C2.
term_mul([], _, []) :- !.
term_mul(_, [], []) :- !.
term_mul([T|X], Y, Z) :- single_term_mul(Y, T, A), term_mul(X, Y, B), term_add(A, B, Z).
single_term_mul([], _, []) :- !.
single_term_mul([term(E1, C1)|X], term(E2, C2), [term(E, C)|Y]) :- E is E1 + E2, poly_mul(C1, C2, C), single_term_mul(X, term(E2, C2), Y).
mul_through([], _, []) :- !.
mul_through([term(E, T)|Ts], P, [term(E, T2)|Rest]) :- poly_mul(T, P, T2), mul_through(Ts, P, Rest).
p(P) :- poly_add(poly(x, [term(0, 1), term(1, 1)]), poly(y, [term(1, 1)]), Q), poly_add(poly(z, [term(1, 1)]), Q, P).
%?- p(P).
%?- p(P), poly_exp(3, P, R).
%?- p(P), poly_exp(6, P, R), term_variables(R, Vs), ground(R).
