classify(N, Class) :- N > 0, aliquot(N, S), compare(Ord, S, N), class(Ord, Class).
class(<, deficient).
class(=, perfect).
class(>, abundant).
aliquot(1, 0) :- !.
aliquot(N, S) :- H is N // 2, findall(D, (between(1, H, D), N mod D =:= 0), Ds), sum_list(Ds, S).
