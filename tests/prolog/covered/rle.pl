encode(P, C) :- string_chars(P, Cs), runs(Cs, Rs), maplist(show, Rs, Ss), atomic_list_concat(Ss, C).
runs([], []).
runs([C|Cs], [N-C|Rs]) :- take(C, Cs, 1, N, Rest), runs(Rest, Rs).
take(C, [C|Cs], N0, N, R) :- !, N1 is N0 + 1, take(C, Cs, N1, N, R).
take(_, R, N, N, R).
show(1-C, C) :- !.
show(N-C, S) :- format(atom(S), "~w~w", [N, C]).
