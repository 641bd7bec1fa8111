square(SquareNumber, Value) :-
    between(1, 64, SquareNumber), !,
    Value is 2 ** (SquareNumber - 1).
square(_, _) :- throw(error(domain_error(square, between_1_and_64), _)).
total(Value) :- Value is 2 ** 64 - 1.
