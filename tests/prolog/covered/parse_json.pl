:- set_prolog_flag(double_quotes, codes).
json(V) --> ws, value(V), ws.
value(null) --> "null".
value(true) --> "true".
value(false) --> "false".
value(N) --> number(N).
value(L) --> "[", ws, elements(L), ws, "]".
elements([V|Vs]) --> value(V), ws, rest(Vs).
elements([]) --> [].
rest([V|Vs]) --> ",", ws, value(V), ws, rest(Vs).
rest([]) --> [].
number(N) --> digit(D), digits(Ds), { number_codes(N, [D|Ds]) }.
digits([D|Ds]) --> digit(D), digits(Ds).
digits([]) --> [].
digit(D) --> [D], { D >= 0'0, D =< 0'9 }.
ws --> [C], { member(C, [32, 10]) }, !, ws.
ws --> [].
parse(Codes, V) :- phrase(json(V), Codes).
