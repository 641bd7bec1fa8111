isbn(S) :- string_chars(S, Cs), exclude(==('-'), Cs, Ds), length(Ds, 10), check(Ds, 10, 0, Sum), 0 =:= Sum mod 11.
check([], 0, S, S).
check([C|Cs], N, S0, S) :- digit(C, N, D), S1 is S0 + D*N, N1 is N-1, check(Cs, N1, S1, S).
digit('X', 1, 10) :- !.
digit(C, _, D) :- char_type(C, digit(D)).
