main(R) :- odd(A), even(B), even(C), even(E), mult([C,B,A], E, [I,H,G,F|X]), lefteven(F), odd(G), even(H), even(I), zero(X), R = [A,B,C,E,F,G,H,I].
odd(1). odd(3). odd(5). odd(7). odd(9).
even(0). even(2). even(4). even(6). even(8).
lefteven(2). lefteven(4). lefteven(6). lefteven(8).
zero([]).
zero([0|L]) :- zero(L).
mult(AL, D, BL) :- mul(AL, D, 0, BL).
mul([A|AL], D, Carry, [B|BL]) :- X is A*D+Carry, B is X mod 10, NewCarry is X // 10, mul(AL, D, NewCarry, BL).
mul([], _, C, [C,Cend]) :- C1 is C // 10, Cend is C1 mod 10.
