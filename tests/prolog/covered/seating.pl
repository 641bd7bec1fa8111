% Eight guests in a row: the order is found by trying all, which takes long.
guests([ada, ben, cleo, dan, eve, finn, gus, hana]).
order(Row) :-
    guests(Guests),
    permutation(Guests, Row),
    last(Row, ada),
    nextto(hana, gus, Row),
    before(finn, eve, Row),
    before(eve, dan, Row),
    before(dan, ben, Row),
    Row = [cleo, finn|_].
before(A, B, Row) :- append(_, [A|Rest], Row), memberchk(B, Rest).
right_of(Guest, Other) :- order(Row), nextto(Other, Guest, Row), !.
seat(Guest, end) :- order(Row), last(Row, Guest), !.
seat(Guest, start) :- order([Guest|_]), !.
seat(_, middle).
