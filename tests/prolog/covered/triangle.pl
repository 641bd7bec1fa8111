triangle(A, B, C, Type) :-
    A > 0, B > 0, C > 0,
    A + B >= C, B + C >= A, A + C >= B,
    kind(A, B, C, Type).
kind(A, A, A, "equilateral").
kind(A, B, C, "isosceles") :- ( A =:= B ; B =:= C ; A =:= C ), !.
kind(A, B, C, "scalene") :- A =\= B, B =\= C, A =\= C.
