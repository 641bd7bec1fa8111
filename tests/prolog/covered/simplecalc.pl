calc(Atom, Value) :- atom_chars(Atom, Cs), tokens(Cs, Ts), expr(Ts, Value, []).
tokens([], []).
tokens([' '|Cs], Ts) :- !, tokens(Cs, Ts).
tokens([C|Cs], [n(N)|Ts]) :- char_type(C, digit), !, number_part([C|Cs], Ds, Rest), number_chars(N, Ds), tokens(Rest, Ts).
tokens([C|Cs], [C|Ts]) :- memberchk(C, [+,-,*,'(',')']), tokens(Cs, Ts).
number_part([C|Cs], [C|Ds], Rest) :- char_type(C, digit), !, number_part(Cs, Ds, Rest).
number_part(Rest, [], Rest).
expr(Ts, V, Rest) :- term(Ts, V0, R0), expr_rest(R0, V0, V, Rest).
expr_rest([+|Ts], V0, V, Rest) :- !, term(Ts, V1, R), V2 is V0 + V1, expr_rest(R, V2, V, Rest).
expr_rest([-|Ts], V0, V, Rest) :- !, term(Ts, V1, R), V2 is V0 - V1, expr_rest(R, V2, V, Rest).
expr_rest(Rest, V, V, Rest).
term(Ts, V, Rest) :- factor(Ts, V0, R0), term_rest(R0, V0, V, Rest).
term_rest([*|Ts], V0, V, Rest) :- !, factor(Ts, V1, R), V2 is V0 * V1, term_rest(R, V2, V, Rest).
term_rest(Rest, V, V, Rest).
factor([n(N)|R], N, R).
factor(['('|Ts], V, R) :- expr(Ts, V, [')'|R]).
