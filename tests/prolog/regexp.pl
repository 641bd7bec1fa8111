accepts(R, S) :- match(R, S, []).
match(empty, T, T).
match(char(X), [X|T], T).
match(or(X, _), S, T) :- match(X, S, T).
match(or(_, Y), S, T) :- match(Y, S, T).
match(then(X, Y), S, T) :- match(X, S, M), match(Y, M, T).
match(star(_), T, T).
match(star(X), S, T) :- match(X, S, M), S \== M, match(star(X), M, T).
