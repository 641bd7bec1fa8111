largest_product(Digits, Span, Product) :-
    Span >= 0,
    string_chars(Digits, Cs),
    maplist([C,D]>>(char_type(C, digit(D))), Cs, Ds),
    length(Ds, Len), Len >= Span,
    findall(P, (length(Window, Span), append(_, Rest, Ds), append(Window, _, Rest), foldl([X,A,B]>>(B is A*X), Window, 1, P)), Ps),
    max_list(Ps, Product).
