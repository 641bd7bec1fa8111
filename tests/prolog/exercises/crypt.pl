% Find the digits: ABC * DE = ..., by generate and test.
odd(1). odd(3). odd(5). odd(7). odd(9).
even(0). even(2). even(4). even(6). even(8).
lefteven(2). lefteven(4). lefteven(6). lefteven(8).
crypt(A, B, C, D, E, X, Y, Z) :-
    odd(A), even(B), even(C), even(E),
    N is A * 100 + B * 10 + C, P1 is N * E, P1 >= 1000, digits(P1, [F, G, H, I]), lefteven(F), odd(G), even(H), even(I),
    lefteven(D), P2 is N * D, P2 < 1000, P2 >= 100, digits(P2, [X, Y, Z]), lefteven(X), odd(Y), even(Z).
digits(N, Ds) :- number_codes(N, Cs), maplist([C, D]>>( D is C - 0'0 ), Cs, Ds).
%?- crypt(A, B, C, D, E, X, Y, Z).
