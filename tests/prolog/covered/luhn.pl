valid(Str) :-
    string_chars(Str, Chars0),
    exclude(==(' '), Chars0, Chars),
    length(Chars, Len), Len > 1,
    maplist(digit, Chars, Digits),
    reverse(Digits, Rev),
    luhn_sum(Rev, 0, Sum),
    Sum mod 10 =:= 0.
digit(C, D) :- char_type(C, digit(D)).
luhn_sum([], S, S).
luhn_sum([X], S0, S) :- S is S0 + X.
luhn_sum([X,Y|T], S0, S) :- double(Y, Y2), S1 is S0 + X + Y2, luhn_sum(T, S1, S).
double(Y, Z) :- Z0 is Y * 2, ( Z0 > 9 -> Z is Z0 - 9 ; Z = Z0 ).
