:- use_module(library(clpfd)).
puzzle([S, E, N, D] + [M, O, R, E] = [M, O, N, E, Y]) :-
    Vars = [S, E, N, D, M, O, R, Y], Vars ins 0..9, all_different(Vars),
    S * 1000 + E * 100 + N * 10 + D + M * 1000 + O * 100 + R * 10 + E #=
        M * 10000 + O * 1000 + N * 100 + E * 10 + Y,
    M #\= 0, S #\= 0.
queens(N, Qs) :- length(Qs, N), Qs ins 1..N, safe(Qs), labeling([ff], Qs).
safe([]).
safe([Q|Qs]) :- no_attack(Q, Qs, 1), safe(Qs).
no_attack(_, [], _).
no_attack(Q, [Q1|Qs], D) :- Q #\= Q1, abs(Q - Q1) #\= D, D1 is D + 1, no_attack(Q, Qs, D1).
factorial(0, 1).
factorial(N, F) :- N #> 0, N1 #= N - 1, F #= N * F1, factorial(N1, F1).
len([], 0).
len([_|T], N) :- N #> 0, N #= M + 1, len(T, M).
change(Total, [Q, D, N]) :- [Q, D, N] ins 0..sup, Total #= 25 * Q + 10 * D + 5 * N, label([Q, D, N]).
pythagoras(A, B, C) :- [A, B, C] ins 1..20, A * A + B * B #= C * C, A #< B, label([A, B, C]).
magic([A, B, C, D, E, F, G, H, I]) :-
    Vs = [A, B, C, D, E, F, G, H, I], Vs ins 1..9, all_different(Vs),
    A + B + C #= 15, D + E + F #= 15, G + H + I #= 15, A + D + G #= 15, B + E + H #= 15, C + F + I #= 15,
    A + E + I #= 15, C + E + G #= 15, label(Vs).
%?- puzzle(P), term_variables(P, Vs), label(Vs).
%?- queens(6, Qs).
%?- factorial(N, 120).
%?- factorial(5, F).
%?- len(L, 2).
%?- len([a, b], N).
%?- change(50, L).
%?- pythagoras(A, B, C).
%?- magic(L).
%?- X #= 3 + 4.
%?- 7 #= 3 + X.
%?- X * X #= 144, X #> 0.
%?- X in 1..10, X #> 3, X #< 6, findall(X, label([X]), Xs).
%?- X in 1..3, fd_dom(X, D), fd_inf(X, I), fd_sup(X, S), fd_size(X, N).
%?- X #> 3, fd_dom(X, D).
%?- B #<==> (3 #> 2).
%?- tuples_in([[X, Y]], [[1, 2], [2, 3]]), X #> 1.
%?- length(L, 3), L ins 0..1, sum(L, #=, 2), label(L).
%?- element(I, [10, 20, 30], 20).
%?- X in 0..10, X mod 3 #= 2, label([X]).
%?- X #= max(3, 5), Y #= min(3, 5), Z #= abs(-4), W #= 7 // 2.
%?- labeling([max(X)], [X, Y]), X = 1.
%?- X in 1..5, Y #= 10 - X, Y #< 7, labeling([max(X)], [X]).
%?- global_cardinality([X, Y], [1-1, 2-1]), label([X, Y]).
%?- all_distinct([X, Y, 3]), [X, Y] ins 1..3, label([X, Y]).
%?- X #= a.
%?- transpose([[1, 2], [3, 4]], T).
