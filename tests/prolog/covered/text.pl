caesar(Text, K, Out) :- atom_codes(Text, Cs), maplist(shift(K), Cs, Os), atom_codes(Out, Os).
shift(K, C, O) :- C >= 0'a, C =< 0'z, !, O is (C - 0'a + K) mod 26 + 0'a.
shift(K, C, O) :- C >= 0'A, C =< 0'Z, !, O is (C - 0'A + K) mod 26 + 0'A.
shift(_, C, C).
palindrome(A) :- atom_chars(A, Cs), reverse(Cs, Cs).
greet(Name, G) :- atom(Name), atom_length(Name, L), L > 0, !, atom_concat('hello ', Name, G).
greet(_, 'hello you').
words(S, Ws) :- split_string(S, " ", " ", Parts), exclude(==(""), Parts, Ws).
initial(Name, I) :- sub_atom(Name, 0, 1, _, I).
has_ext(File, Ext) :- atomic_list_concat([_, Ext], '.', File).
vowels(A, N) :- atom_chars(A, Cs), count(Cs, N).
count([], 0).
count([C|Cs], N) :- vowel(C), !, count(Cs, M), N is M + 1.
count([_|Cs], N) :- count(Cs, N).
vowel(a). vowel(e). vowel(i). vowel(o). vowel(u).
