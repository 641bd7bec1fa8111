% Sums and products of numbers, from character codes.
parse(Codes, Value) :- phrase(expr(Value), Codes).
expr(V) --> term(T), expr_rest(T, V).
expr_rest(A, V) --> "+", !, term(T), { B is A + T }, expr_rest(B, V).
expr_rest(A, V) --> "-", !, term(T), { B is A - T }, expr_rest(B, V).
expr_rest(V, V) --> [].
term(V) --> factor(F), term_rest(F, V).
term_rest(A, V) --> "*", !, factor(F), { B is A * F }, term_rest(B, V).
term_rest(V, V) --> [].
factor(V) --> digit(D), digits(Ds), { number_codes(V, [D|Ds]) }.
factor(V) --> "(", expr(V), ")".
digits([D|T]) --> digit(D), !, digits(T).
digits([]) --> [].
digit(D) --> [D], { D >= 0'0, D =< 0'9 }.
