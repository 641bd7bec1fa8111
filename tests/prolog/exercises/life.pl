% Conway's game of life on a list of cells, and a printed board.
step(Cells, Next) :-
    findall(N, ( member(C, Cells), near(C, N) ), Ns0), append(Cells, Ns0, Cs0), sort(Cs0, Candidates),
    include(alive(Cells), Candidates, Next).
near(X-Y, A-B) :- member(DX, [-1, 0, 1]), member(DY, [-1, 0, 1]), ( DX, DY ) \== ( 0, 0 ), A is X + DX, B is Y + DY.
alive(Cells, C) :- aggregate_all(count, ( near(C, N), memberchk(N, Cells) ), K), ( memberchk(C, Cells) -> memberchk(K, [2, 3]) ; K =:= 3 ).
show(Cells, N) :- forall(between(1, N, Y), ( forall(between(1, N, X), ( memberchk(X-Y, Cells) -> put_char(#) ; put_char('.') )), nl )).
%?- step([2-1, 2-2, 2-3], L).
%?- step([1-2, 2-3, 3-1, 3-2, 3-3], A), step(A, B), show(B, 5).
%?- show([2-1, 2-2, 2-3], 3).
