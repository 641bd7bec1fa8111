relation(A, A, equal) :- !.
relation(A, B, sublist) :- part(A, B), !.
relation(A, B, superlist) :- part(B, A), !.
relation(_, _, unequal).
part(A, B) :- append(_, Rest, B), append(A, _, Rest), !.
