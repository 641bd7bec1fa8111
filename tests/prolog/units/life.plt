% Cells as pairs in ordered sets.
:- use_module(library(ordsets)).
around(X-Y, A-B) :- member(DX, [-1, 0, 1]), member(DY, [-1, 0, 1]), DX-DY \== 0-0, A is X + DX, B is Y + DY.
step(Cells, Next) :-
    findall(C, ( member(D, Cells), around(D, C) ), Cs), msort(Cs, Sorted), clumped_cells(Sorted, Counts),
    findall(C, ( member(C-N, Counts), lives(N, C, Cells) ), Next0), list_to_ord_set(Next0, Next).
clumped_cells(Cs, Counts) :- findall(C-1, member(C, Cs), Ps), clumped_pairs(Ps, Counts).
clumped_pairs([], []).
clumped_pairs([C-N|Ps], Out) :- ( Ps = [C-M|Rest] -> K is N + M, clumped_pairs([C-K|Rest], Out) ; Out = [C-N|More], clumped_pairs(Ps, More) ).
lives(3, _, _).
lives(2, C, Cells) :- ord_memberchk(C, Cells).
:- begin_tests(life).
test(blinker, C == [0-1, 1-1, 2-1]) :- step([1-0, 1-1, 1-2], C).
test(block, C == B) :- B = [0-0, 0-1, 1-0, 1-1], step(B, C).
test(alone, C == []) :- step([5-5], C).
test(twice, [true(C == [1-0, 1-1, 1-2])]) :- step([1-0, 1-1, 1-2], B), step(B, C).
:- end_tests(life).
