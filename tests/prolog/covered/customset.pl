empty([]).
contains(S, X) :- memberchk(X, S).
subset_of(A, B) :- forall(member(X, A), memberchk(X, B)).
disjoint(A, B) :- \+ ( member(X, A), member(X, B) ).
eq(A, B) :- sort(A, S), sort(B, S).
add(X, S, S) :- memberchk(X, S), !.
add(X, S, [X|S]).
inter(A, B, C) :- include([X]>>memberchk(X, B), A, C).
diff(A, B, C) :- exclude([X]>>memberchk(X, B), A, C).
