square_of_sum(N, R) :- numlist(1, N, L), sum_list(L, S), R is S ** 2.
sum_of_squares(N, R) :- findall(S, (between(1, N, X), S is X * X), L), sumlist(L, R).
difference(N, R) :- square_of_sum(N, A), sum_of_squares(N, B), R is A - B.
