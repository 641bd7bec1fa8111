transpose_m([], []).
transpose_m([[]|_], []) :- !.
transpose_m(M, [C|Cs]) :- column(M, C, R), transpose_m(R, Cs).
column([], [], []).
column([[X|Xs]|Rs], [X|Ys], [Xs|Zs]) :- column(Rs, Ys, Zs).
dot([], [], 0).
dot([X|Xs], [Y|Ys], D) :- dot(Xs, Ys, D0), D is D0 + X * Y.
saddle(M, R-C) :- nth1(R, M, Row), nth1(C, Row, V), max_list(Row, V), \+ ( member(O, M), nth1(C, O, W), W < V ).
diag(M, D) :- findall(X, ( nth0(I, M, R), nth0(I, R, X) ), D).
