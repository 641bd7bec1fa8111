count(S, Ps) :- string_lower(S, L), split_string(L, " ,.!?", " ,.!?'", Ws0), exclude(==(""), Ws0, Ws), msort(Ws, Sorted), runs(Sorted, Ps).
runs([], []).
runs([W|Ws], [W-N|Ps]) :- take(W, Ws, 1, N, Rest), runs(Rest, Ps).
take(W, [W|Ws], N0, N, Rest) :- !, N1 is N0+1, take(W, Ws, N1, N, Rest).
take(_, Ws, N, N, Ws).
