caesar(N, In, Out) :- atom_codes(In, Cs), shift(Cs, N, Ds), atom_codes(Out, Ds).
shift([], _, []).
shift([C|Cs], N, [D|Ds]) :- ( C >= 0'a, C =< 0'z -> D is (C - 0'a + N) mod 26 + 0'a ; C >= 0'A, C =< 0'Z -> D is (C - 0'A + N) mod 26 + 0'A ; D = C ), shift(Cs, N, Ds).
