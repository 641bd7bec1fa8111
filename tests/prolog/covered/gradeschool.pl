:- use_module(library(assoc)).
empty_school(S) :- empty_assoc(S).
add(S0, Name, Grade, S) :- get_assoc(Grade, S0, Names), !, sort([Name|Names], New), put_assoc(Grade, S0, New, S).
add(S0, Name, Grade, S) :- put_assoc(Grade, S0, [Name], S).
roster(Pairs, All) :- empty_school(S0), foldl([N-G,A,B]>>add(A,N,G,B), Pairs, S0, S), assoc_to_values(S, Vs), append(Vs, All).
grade(Pairs, G, Names) :- empty_school(S0), foldl([N-K,A,B]>>add(A,N,K,B), Pairs, S0, S), ( get_assoc(G, S, Names) -> true ; Names = [] ).
