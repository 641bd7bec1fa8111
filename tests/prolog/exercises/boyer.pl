% A rewriting tautology checker in the manner of Boyer's benchmark.
rewrite_with(and(P, Q), if(P, if(Q, t, f), f)).
rewrite_with(or(P, Q), if(P, t, if(Q, t, f))).
rewrite_with(not(P), if(P, f, t)).
rewrite_with(implies(P, Q), if(P, if(Q, t, f), t)).
rewrite_with(iff(P, Q), if(P, if(Q, t, f), if(Q, f, t))).
rewrite_with(plus(plus(X, Y), Z), plus(X, plus(Y, Z))).
rewrite_with(times(X, plus(Y, Z)), plus(times(X, Y), times(X, Z))).
rewrite_with(eq(plus(A, B), plus(A, C)), eq(B, C)).
rewrite_with(if(if(A, B, C), D, E), if(A, if(B, D, E), if(C, D, E))).
rewrite(T, T) :- atomic(T), !.
rewrite(T, R) :- T =.. [F|As], maplist(rewrite, As, Bs), U =.. [F|Bs], ( rewrite_with(U, V) -> rewrite(V, R) ; R = U ).
tautology(T) :- rewrite(T, R), tautology(R, [], []).
tautology(t, _, _) :- !.
tautology(f, _, _) :- !, fail.
tautology(P, Ts, _) :- memberchk(P, Ts), !.
tautology(P, _, Fs) :- memberchk(P, Fs), !, fail.
tautology(if(P, A, B), Ts, Fs) :- !,
    (   P == t -> tautology(A, Ts, Fs)
    ;   P == f -> tautology(B, Ts, Fs)
    ;   memberchk(P, Ts) -> tautology(A, Ts, Fs)
    ;   memberchk(P, Fs) -> tautology(B, Ts, Fs)
    ;   tautology(A, [P|Ts], Fs), tautology(B, Ts, [P|Fs])
    ).
chain(0, implies(p0, p0)) :- !.
chain(N, implies(A, B)) :- premises(N, A), atom_concat(p, N, P), B = implies(p0, P).
premises(1, implies(p0, p1)) :- !.
premises(N, and(implies(P, Q), R)) :- M is N - 1, atom_concat(p, M, P), atom_concat(p, N, Q), premises(M, R).
%?- tautology(implies(and(implies(a, b), implies(b, c)), implies(a, c))).
%?- tautology(implies(implies(a, b), implies(b, a))).
%?- tautology(iff(not(and(a, b)), or(not(a), not(b)))).
%?- chain(4, T), tautology(T).
%?- rewrite(times(x, plus(plus(a, b), c)), R).
%?- rewrite(eq(plus(plus(x, y), z), plus(x, w)), R).
