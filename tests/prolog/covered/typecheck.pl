type(_, num(N), int) :- integer(N).
type(_, bool(B), bool) :- memberchk(B, [true,false]).
type(E, var(X), T) :- memberchk(X-T, E).
type(E, plus(A,B), int) :- type(E, A, int), type(E, B, int).
type(E, if(C,A,B), T) :- type(E, C, bool), type(E, A, T), type(E, B, T).
type(E, lam(X,T1,B), fn(T1,T2)) :- type([X-T1|E], B, T2).
type(E, app(F,A), T) :- type(E, F, fn(T1,T)), type(E, A, T1).
