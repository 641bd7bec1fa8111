calc(A, V) :- atom_chars(A, Cs), phrase(expr(V), Cs).
expr(V) --> term(T), expr_rest(T, V).
expr_rest(A, V) --> ['+'], !, term(T), { A1 is A+T }, expr_rest(A1, V).
expr_rest(A, V) --> ['-'], !, term(T), { A1 is A-T }, expr_rest(A1, V).
expr_rest(V, V) --> [].
term(V) --> factor(F), term_rest(F, V).
term_rest(A, V) --> ['*'], !, factor(F), { A1 is A*F }, term_rest(A1, V).
term_rest(V, V) --> [].
factor(V) --> ['('], !, expr(V), [')'].
factor(V) --> [C], { char_type(C, digit(V)) }.
