leap(Y) :- 0 is Y mod 4, X is Y mod 100, X =\= 0.
leap(Y) :- 0 is Y mod 400.
