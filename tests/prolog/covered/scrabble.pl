score(Word, Score) :- upcase_atom(Word, Up), atom_chars(Up, Cs), maplist(points, Cs, Ps), sum_list(Ps, Score).
points(C, 1) :- memberchk(C, ['A','E','I','O','U','L','N','R','S','T']), !.
points(C, 2) :- memberchk(C, ['D','G']), !.
points(C, 3) :- memberchk(C, ['B','C','M','P']), !.
points(C, 4) :- memberchk(C, ['F','H','V','W','Y']), !.
points('K', 5) :- !.
points(C, 8) :- memberchk(C, ['J','X']), !.
points(C, 10) :- memberchk(C, ['Q','Z']).
