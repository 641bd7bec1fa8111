rebase(In, Digits, Out, Result) :- In > 1, Out > 1, maplist([D]>>(D >= 0, D < In), Digits), foldl([D,A,B]>>(B is A*In + D), Digits, 0, N), to(N, Out, Result).
to(0, _, [0]) :- !.
to(N, B, R) :- to(N, B, [], R).
to(0, _, Acc, Acc) :- !.
to(N, B, Acc, R) :- D is N mod B, M is N // B, to(M, B, [D|Acc], R).
