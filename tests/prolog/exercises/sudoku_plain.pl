sudoku(G) :- solve(G, 1).
solve(_, 17) :- !.
solve(G, K) :- nth1(K, G, C), ( nonvar(C) -> true ; member(C, [1, 2, 3, 4]) ), ok(G, K, C), K1 is K + 1, solve(G, K1).
ok(G, K, C) :- \+ ( nth1(J, G, D), J =\= K, nonvar(D), D =:= C, related(J, K) ).
related(J, K) :- R is (J - 1) // 4, R is (K - 1) // 4, !.
related(J, K) :- R is (J - 1) mod 4, R is (K - 1) mod 4, !.
related(J, K) :- block(J, B), block(K, B).
block(K, B) :- R is (K - 1) // 8, C is ((K - 1) mod 4) // 2, B is R * 2 + C.
%?- G = [1, _, _, 4, _, _, 1, _, _, 1, _, _, 4, _, _, 1], sudoku(G).
%?- G = [_, _, 3, 4, 3, 4, _, _, _, _, 4, 3, 4, 3, _, _], sudoku(G).
