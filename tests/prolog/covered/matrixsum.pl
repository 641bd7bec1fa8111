row(S, I, Row) :- parse(S, M), nth1(I, M, Row).
parse(S, M) :- split_string(S, "\n", "", Ls), maplist(line, Ls, M).
line(L, Ns) :- split_string(L, " ", "", Ws), maplist(number_string_swap, Ws, Ns).
number_string_swap(S, N) :- number_string(N, S).
