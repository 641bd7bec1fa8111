:- set_prolog_flag(double_quotes, codes).
answer(Q, A) :- atom_codes(Q, Cs), phrase(question(A), Cs), !.
question(A) --> "What is ", number(N), ops(N, A), "?".
ops(A, A) --> [].
ops(N, A) --> " ", operator(Op), " ", number(M), { compute(Op, N, M, R) }, ops(R, A).
operator(plus) --> "plus".
operator(minus) --> "minus".
operator(times) --> "multiplied by".
operator(div) --> "divided by".
compute(plus, X, Y, Z) :- Z is X + Y.
compute(minus, X, Y, Z) :- Z is X - Y.
compute(times, X, Y, Z) :- Z is X * Y.
compute(div, X, Y, Z) :- Y =\= 0, Z is X // Y.
number(N) --> "-", !, digits(Ds), { number_codes(M, Ds), N is -M }.
number(N) --> digits(Ds), { number_codes(N, Ds) }.
digits([D|Ds]) --> digit(D), digits(Ds).
digits([D]) --> digit(D).
digit(D) --> [D], { D >= 0'0, D =< 0'9 }.
