% The depth of a proof: a meta-interpreter.
depth(true, 0).
depth((A, B), D) :- depth(A, DA), depth(B, DB), greater(DA, DB, D).
depth(H, s(D)) :- rule(H, B), depth(B, D).
greater(X, 0, X).
greater(0, s(X), s(X)).
greater(s(X), s(Y), s(Z)) :- greater(X, Y, Z).
rule(member(X, [X|_]), true).
rule(member(X, [_|T]), member(X, T)).
