% A game that is played in sentences of its own words.
:- dynamic at/2, here/1, holding/1.
here(kitchen).
at(crackers, kitchen).
at(key, cellar).
door(kitchen, office).
door(cellar, kitchen).

do(Line) :-
    split_string(Line, " ", "", Words),
    maplist([W, A]>>atom_string(A, W), Words, [Verb|Rest]),
    command(Verb, Rest), !.
do(_) :- write('What?'), nl.

command(go, [Place]) :- go(Place).
command(take, [Thing]) :- take(Thing).
command(look, []) :- here(Place), forall(at(Thing, Place), ( write(Thing), nl )).

go(Place) :- here(Here), connected(Here, Place), retract(here(Here)), assertz(here(Place)).
connected(A, B) :- door(A, B).
connected(A, B) :- door(B, A).

take(Thing) :- here(Place), retract(at(Thing, Place)), assertz(holding(Thing)).
