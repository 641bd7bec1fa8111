:- use_module(library(apply_macros)).
dot(X, Y, D) :- maplist([A, B, C]>>( C is A * B ), X, Y, Z), sum_list(Z, D).
transpose([[]|_], []) :- !.
transpose(M, [C|Cs]) :- maplist([[H|T], H, T]>>true, M, C, R), transpose(R, Cs).
mul(A, B, C) :- transpose(B, BT), maplist({BT}/[Row, Out]>>maplist({Row}/[Col, D]>>dot(Row, Col, D), BT, Out), A, C).
identity(N, M) :- numlist(1, N, L), maplist({L}/[I, Row]>>maplist({I}/[J, X]>>( I =:= J -> X = 1 ; X = 0 ), L, Row), L, M).
det([[A]], A) :- !.
det([Row|Rows], D) :- findall(T, ( nth0(I, Row, X), maplist({I}/[R, S]>>( nth0(I, R, _, S) ), Rows, Minor), det(Minor, M), T is X * M * (-1) ** I ), Ts), sum_list(Ts, D).
pow(_, 0, [[1, 0], [0, 1]]) :- !.
pow(M, N, P) :- N mod 2 =:= 0, !, H is N // 2, pow(M, H, Q), mul(Q, Q, P).
pow(M, N, P) :- K is N - 1, pow(M, K, Q), mul(M, Q, P).
pascal(0, [1]) :- !.
pascal(N, R) :- M is N - 1, pascal(M, P), append([0], P, A), append(P, [0], B), maplist([X, Y, Z]>>( Z is X + Y ), A, B, R).
%?- mul([[1, 2], [3, 4]], [[5, 6], [7, 8]], M).
%?- transpose([[1, 2, 3], [4, 5, 6]], T).
%?- identity(3, M).
%?- det([[2, 0, 1], [1, 3, 2], [1, 1, 1]], D).
%?- pow([[1, 1], [1, 0]], 50, P).
%?- pascal(6, R).
