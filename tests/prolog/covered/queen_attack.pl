create((X, Y)) :- between(0, 7, X), between(0, 7, Y).
attack((X, _), (X, _)) :- !.
attack((_, Y), (_, Y)) :- !.
attack((X1, Y1), (X2, Y2)) :- DX is abs(X1 - X2), DY is abs(Y1 - Y2), DX =:= DY.
