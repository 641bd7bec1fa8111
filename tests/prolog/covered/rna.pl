rna_transcription(Rna, Dna) :-
    string_chars(Rna, Rs),
    maplist(complement, Rs, Ds),
    string_chars(Dna, Ds).
complement('G', 'C').
complement('C', 'G').
complement('T', 'A').
complement('A', 'U').
