pascal(0, []) :- !.
pascal(N, Rows) :- N > 0, rows(N, [1], Rows).
rows(1, Row, [Row]) :- !.
rows(N, Row, [Row|Rows]) :- next(Row, Next), N1 is N - 1, rows(N1, Next, Rows).
next(Row, Next) :- append([0], Row, A), append(Row, [0], B), maplist([X,Y,Z]>>(Z is X+Y), A, B, Next).
