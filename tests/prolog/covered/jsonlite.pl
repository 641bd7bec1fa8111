parse(S, T) :- string_codes(S, Cs), phrase(value(T), Cs), !.
value(num(N)) --> digits(Ds), { Ds = [_|_], number_codes(N, Ds) }.
value(list(L)) --> "[", items(L), "]".
value(true) --> "true".
value(null) --> "null".
items([X|Xs]) --> value(X), rest(Xs).
items([]) --> [].
rest([X|Xs]) --> ",", !, value(X), rest(Xs).
rest([]) --> [].
digits([D|Ds]) --> [D], { code_type(D, digit) }, !, digits(Ds).
digits([]) --> [].
