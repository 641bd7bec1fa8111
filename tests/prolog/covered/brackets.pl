paired(Str) :- string_chars(Str, Cs), check(Cs, []).
check([], []).
check([C|Cs], Stack) :- opening(C, Close), !, check(Cs, [Close|Stack]).
check([C|Cs], [C|Stack]) :- closing(C), !, check(Cs, Stack).
check([C|Cs], Stack) :- \+ opening(C, _), \+ closing(C), check(Cs, Stack).
opening('(', ')').
opening('[', ']').
opening('{', '}').
closing(')'). closing(']'). closing('}').
