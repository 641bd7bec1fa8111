armstrong(N) :- number_chars(N, Cs), length(Cs, L), foldl([C,A,B]>>(atom_number(C, D), B is A + D ** L), Cs, 0, N).
