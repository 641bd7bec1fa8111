convert(N, Numeral) :- N > 0, N < 4000, digits(N, Ds), atomic_list_concat(Ds, Numeral).
digits(0, []) :- !.
digits(N, [S|Ds]) :- value(V, S), V =< N, !, N1 is N - V, digits(N1, Ds).
value(1000, "M"). value(900, "CM"). value(500, "D"). value(400, "CD").
value(100, "C"). value(90, "XC"). value(50, "L"). value(40, "XL").
value(10, "X"). value(9, "IX"). value(5, "V"). value(4, "IV"). value(1, "I").
