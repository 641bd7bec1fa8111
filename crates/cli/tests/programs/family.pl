% A family, and some predicates that go wrong.
:- dynamic visited/1.

parent(ann, bob).
parent(bob, cid).
parent(bob, dan).

ancestor(X, Y) :- parent(X, Y).
ancestor(X, Z) :- parent(X, Y), ancestor(Y, Z).

greet(X) :- format("hello ~w~n", [X]).
wrong :- missing(1).
odd(X, Unused) :- parent(X, _).
broken(X :- parent(X, _).
