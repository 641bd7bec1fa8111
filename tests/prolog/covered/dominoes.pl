can_chain([]).
can_chain([(A,B)|Ds]) :- chain(B, Ds, A).
chain(X, [], X).
chain(X, Ds, End) :- select(D, Ds, Rest), match(D, X, Y), chain(Y, Rest, End).
match((X,Y), X, Y).
match((Y,X), X, Y) :- X \= Y.
