% Queens and a small timetable with constraints over integers.
:- use_module(library(clpfd)).
queens(N, Qs) :- length(Qs, N), Qs ins 1..N, safe(Qs), labeling([ff], Qs).
safe([]).
safe([Q|Qs]) :- apart(Q, Qs, 1), safe(Qs).
apart(_, [], _).
apart(Q, [P|Ps], D) :- Q #\= P, abs(Q - P) #\= D, E is D + 1, apart(Q, Ps, E).
coins(Total, [A, B, C]) :- [A, B, C] ins 0..Total, 1 * A + 5 * B + 10 * C #= Total.
:- begin_tests(queens_fd).
test(four, all(Qs == [[2,4,1,3],[3,1,4,2]])) :- queens(4, Qs).
test(three, fail) :- queens(3, _).
test(eight, [nondet]) :- queens(8, Qs), length(Qs, 8).
test(count, N == 92) :- findall(Qs, queens(8, Qs), All), length(All, N).
test(coins, all(Cs == [[0,0,1],[0,2,0],[5,1,0],[10,0,0]])) :- coins(10, Cs), label(Cs).
test(least, [nondet, Cs == [0,0,1]]) :- coins(10, Cs), Cs = [A, B, C], labeling([min(A + B + C)], Cs).
test(domain, D == 1..5) :- X in 0..5, X #> 0, fd_dom(X, D).
test(type, error(type_error(_, _))) :- X #= a, X = 1.
test(left, X == Y) :- X #> 3, Y #> 3.
:- end_tests(queens_fd).
