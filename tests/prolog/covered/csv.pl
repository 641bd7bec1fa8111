csv(S, Rows) :- split_string(S, "\n", "", Lines), exclude(==(""), Lines, Ls), maplist(row, Ls, Rows).
row(L, Fs) :- split_string(L, ",", " ", Ss), maplist(field, Ss, Fs).
field(S, N) :- number_string(N, S), !.
field(S, A) :- atom_string(A, S).
