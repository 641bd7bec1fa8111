rotate(Key, Text, Out) :- string_codes(Text, Cs), maplist(rot(Key), Cs, Os), string_codes(Out, Os).
rot(K, C, O) :- code_type(C, lower), !, O is 0'a + (C - 0'a + K) mod 26.
rot(K, C, O) :- code_type(C, upper), !, O is 0'A + (C - 0'A + K) mod 26.
rot(_, C, C).
