and(A, B) :- A, B.
or(A, _) :- A.
or(_, B) :- B.
equ(A, B) :- or(and(A, B), and(not(A), not(B))).
xor(A, B) :- not(equ(A, B)).
bind(true).
bind(fail).
table(A, B, Expr) :- bind(A), bind(B), do(A, B, Expr), fail.
table(_, _, _).
do(A, B, _) :- write(A), write('  '), write(B), write('  '), fail.
do(_, _, Expr) :- Expr, !, write(true), nl.
do(_, _, _) :- write(fail), nl.
