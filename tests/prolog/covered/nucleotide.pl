nucleotide_count(Strand, Counts) :-
    string_chars(Strand, Cs),
    foldl(count, Cs, ['A'-0,'C'-0,'G'-0,'T'-0], Counts).
count(C, L0, L) :- select(C-N, L0, C-N1, L), !, N1 is N + 1.
