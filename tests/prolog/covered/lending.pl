:- module(lending, [borrow/2, give_back/2, available/1, overdue/2, holds/2, most_read/1]).
:- dynamic loan/3.
book(dune, herbert, 2). book(emma, austen, 1). book(ulysses, joyce, 0).
member_of(ann). member_of(bob).
borrow(Who, Title) :-
    ( member_of(Who) -> true ; existence_error(member, Who) ),
    available(Title),
    \+ loan(Who, Title, _),
    assertz(loan(Who, Title, 0)).
give_back(Who, Title) :- retract(loan(Who, Title, _)), !.
give_back(Who, Title) :- throw(error(no_loan(Who, Title), _)).
available(Title) :- book(Title, _, N), aggregate_all(count, loan(_, Title, _), M), M < N.
overdue(Now, Who) :- loan(Who, _, Due), Due < Now.
holds(Who, Titles) :- ( setof(T, D^loan(Who, T, D), Titles) -> true ; Titles = [] ).
most_read(Title) :- aggregate_all(max(C, T), ( book(T, _, _), aggregate_all(count, loan(_, T, _), C) ), max(N, Title)), N > 0.
