calc(Atom, V) :- atom_codes(Atom, Cs), phrase(expr(V), Cs).
expr(V) --> term(T), expr_rest(T, V).
expr_rest(Acc, V) --> "+", !, term(T), { Acc1 is Acc + T }, expr_rest(Acc1, V).
expr_rest(Acc, V) --> "-", !, term(T), { Acc1 is Acc - T }, expr_rest(Acc1, V).
expr_rest(V, V) --> [].
term(V) --> factor(F), term_rest(F, V).
term_rest(Acc, V) --> "*", !, factor(F), { Acc1 is Acc * F }, term_rest(Acc1, V).
term_rest(Acc, V) --> "/", !, factor(F), { F =\= 0, Acc1 is Acc / F }, term_rest(Acc1, V).
term_rest(V, V) --> [].
factor(V) --> digits(Ds), { number_codes(V, Ds) }.
factor(V) --> "(", expr(V), ")".
digits([D|T]) --> digit(D), digits(T).
digits([D]) --> digit(D).
digit(D) --> [D], { code_type(D, digit) }.
