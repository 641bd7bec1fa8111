paired(S) :- string_chars(S, Cs), check(Cs, []).
check([], []).
check([C|Cs], St) :- opening(C, D), !, check(Cs, [D|St]).
check([C|Cs], St) :- closing(C), !, St = [C|St1], check(Cs, St1).
check([_|Cs], St) :- check(Cs, St).
opening('(', ')'). opening('[', ']'). opening('{', '}').
closing(')'). closing(']'). closing('}').
