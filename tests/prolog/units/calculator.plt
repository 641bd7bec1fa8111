% An expression parser with precedence.
:- use_module(library(dcg/basics)).
expr(V) --> term(T), expr_rest(T, V).
expr_rest(A, V) --> blanks, "+", !, blanks, term(T), { B is A + T }, expr_rest(B, V).
expr_rest(A, V) --> blanks, "-", !, blanks, term(T), { B is A - T }, expr_rest(B, V).
expr_rest(V, V) --> [].
term(V) --> factor(F), term_rest(F, V).
term_rest(A, V) --> blanks, "*", !, blanks, factor(T), { B is A * T }, term_rest(B, V).
term_rest(A, V) --> blanks, "/", !, blanks, factor(T), { B is A / T }, term_rest(B, V).
term_rest(V, V) --> [].
factor(V) --> number(V), !.
factor(V) --> "(", blanks, expr(V), blanks, ")".
calc(Text, V) :- string_codes(Text, Cs), phrase((blanks, expr(V), blanks), Cs).
:- begin_tests(calculator).
test(sum, V == 6) :- calc("1 + 2 + 3", V).
test(prec, V == 14) :- calc("2 + 3 * 4", V).
test(paren, V == 20) :- calc("(2 + 3) * 4", V).
test(float, V =:= 2.5) :- calc("5 / 2", V).
test(rest, fail) :- calc("1 + ", _).
test(zero, error(evaluation_error(zero_divisor))) :- calc("1 / 0", _).
test(undetermined) :- calc("7", _).
:- end_tests(calculator).
