palindrome(S) :- string_lower(S, L), string_chars(L, Cs0), exclude([C]>>(\+ char_type(C, alnum)), Cs0, Cs), reverse(Cs, Cs).
longest([], '') :- !.
longest(Ws, W) :- maplist([X,L-X]>>atom_length(X, L), Ws, Ps), max_member(_-W, Ps).
reverse_string(S, R) :- string_chars(S, Cs), reverse(Cs, Rs), string_chars(R, Rs).
