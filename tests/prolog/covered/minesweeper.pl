annotate(Board, Out) :- maplist(string_chars, Board, Rows), findall(S, (nth0(R, Rows, Row), annotate_row(Rows, R, Row, Cs), string_chars(S, Cs)), Out).
annotate_row(Rows, R, Row, Cs) :- findall(C, (nth0(I, Row, X), cell(Rows, R, I, X, C)), Cs).
cell(_, _, _, '*', '*') :- !.
cell(Rows, R, I, _, C) :- findall(x, neighbour(Rows, R, I), L), length(L, N), ( N =:= 0 -> C = '.' ; number_chars(N, [C]) ).
neighbour(Rows, R, I) :- member(DR, [-1,0,1]), member(DI, [-1,0,1]), R1 is R + DR, I1 is I + DI, R1 >= 0, I1 >= 0, nth0(R1, Rows, Row), nth0(I1, Row, '*').
