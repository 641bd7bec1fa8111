tokens(A, Ts) :- atom_codes(A, Cs), phrase(toks(Ts), Cs), !.
toks(Ts) --> [C], { code_type(C, space) }, !, toks(Ts).
toks([id(A)|Ts]) --> [C], { code_type(C, alpha) }, !, idrest(Cs), { atom_codes(A, [C|Cs]) }, toks(Ts).
toks([num(N)|Ts]) --> [C], { code_type(C, digit) }, !, numrest(Cs), { number_codes(N, [C|Cs]) }, toks(Ts).
toks([op(O)|Ts]) --> [C], { memberchk(C, `+-*/=`), char_code(O, C) }, toks(Ts).
toks([]) --> [].
idrest([C|Cs]) --> [C], { code_type(C, alnum) }, !, idrest(Cs).
idrest([]) --> [].
numrest([C|Cs]) --> [C], { code_type(C, digit) }, !, numrest(Cs).
numrest([]) --> [].
