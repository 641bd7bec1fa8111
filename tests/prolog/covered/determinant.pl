% Predicates that only call each other, and one that names itself in its errors: all are tested.
det([[A]], A) :- !.
det([[A, B], [C, D]], X) :- !, X is A * D - B * C.
det([Row|Rows], D) :-
    length(Row, N),
    findall(T, ( between(1, N, I), cofactor(I, Row, Rows, T) ), Ts),
    sum_list(Ts, D).
cofactor(I, Row, Rows, T) :-
    nth1(I, Row, X),
    maplist(drop(I), Rows, Minor),
    det(Minor, M),
    ( I mod 2 =:= 1 -> T is X * M ; T is -X * M ).
drop(I, L, R) :- nth1(I, L, _, R).

identity(N, M) :- numlist(1, N, Is), maplist(row(Is), Is, M).
row(Is, I, Row) :- maplist([J, X]>>( I =:= J -> X = 1 ; X = 0 ), Is, Row).

value(N, N) :- number(N), !.
value(A + B, V) :- !, value(A, X), value(B, Y), V is X + Y.
value(neg(A), V) :- !, value(A, X), V is -X.
value(X, _) :- unknown(X).
unknown(X) :- throw(error(type_error(expression, X), value/2)).
