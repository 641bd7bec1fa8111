spiral([], []).
spiral([Row|Rows], R) :- rotate(Rows, Rot), spiral(Rot, R0), append(Row, R0, R).
rotate([], []) :- !.
rotate(Rows, Rot) :- cols(Rows, Cols), reverse(Cols, Rot).
cols([[]|_], []) :- !.
cols(Rows, [C|Cs]) :- heads(Rows, C, Rest), cols(Rest, Cs).
heads([], [], []).
heads([[X|Xs]|Rs], [X|C], [Xs|Rest]) :- heads(Rs, C, Rest).
