encode(Phrase, Encoded) :-
    string_lower(Phrase, L), string_codes(L, Cs),
    include(alnum, Cs, As), maplist(flip, As, Fs), groups(Fs, Gs),
    maplist([G,S]>>string_codes(S, G), Gs, Ss), atomic_list_concat(Ss, ' ', A), atom_string(A, Encoded).
alnum(C) :- code_type(C, alnum).
flip(C, F) :- between(0'a, 0'z, C), !, F is 0'z - (C - 0'a).
flip(C, C).
groups([A,B,C,D,E|T], [[A,B,C,D,E]|Gs]) :- !, groups(T, Gs).
groups([], []) :- !.
groups(L, [L]).
