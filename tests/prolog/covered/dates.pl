valid(date(Y,M,D)) :- between(1, 12, M), D >= 1, days(M, Y, N), D =< N.
days(2, Y, 29) :- leap(Y), !.
days(2, _, 28) :- !.
days(M, _, 30) :- memberchk(M, [4,6,9,11]), !.
days(_, _, 31).
leap(Y) :- 0 =:= Y mod 400, !.
leap(Y) :- 0 =:= Y mod 4, 0 =\= Y mod 100.
next(date(Y,M,D), date(Y,M,D1)) :- D1 is D+1, valid(date(Y,M,D1)), !.
next(date(Y,M,_), date(Y,M1,1)) :- M < 12, !, M1 is M+1.
next(date(Y,_,_), date(Y1,1,1)) :- Y1 is Y+1.
