:- module(hamming, [hamming_distance/3]).
%! hamming_distance(+A:string, +B:string, -D:integer) is semidet.
hamming_distance(Str1, Str2, Dist) :-
    string_chars(Str1, L1), string_chars(Str2, L2),
    distance(L1, L2, 0, Dist).
distance([], [], D, D).
distance([H|T1], [H|T2], D0, D) :- !, distance(T1, T2, D0, D).
distance([_|T1], [_|T2], D0, D) :- D1 is D0 + 1, distance(T1, T2, D1, D).
