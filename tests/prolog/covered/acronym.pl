abbreviate(Sentence, Acronym) :-
    split_string(Sentence, " -_", " -_,.'", Words0),
    exclude(==(""), Words0, Words),
    maplist(first_upper, Words, Letters),
    atomics_to_string(Letters, Acronym).
first_upper(Word, U) :- sub_string(Word, 0, 1, _, F), string_upper(F, U).
atomics_to_string(L, S) :- atomic_list_concat(L, A), atom_string(A, S).
