count_vowels(A, N) :- atom_chars(A, Cs), aggregate_all(count, (member(C, Cs), vowel(C)), N).
vowel(C) :- memberchk(C, [a,e,i,o,u]).
pig(W, P) :- atom_chars(W, [C|Cs]), vowel(C), !, atom_chars(P0, [C|Cs]), atom_concat(P0, ay, P).
pig(W, P) :- atom_chars(W, [q,u|Cs]), !, append(Cs, [q,u,a,y], R), atom_chars(P, R).
pig(W, P) :- atom_chars(W, [C|Cs]), append(Cs, [C,a,y], R), atom_chars(P, R).
