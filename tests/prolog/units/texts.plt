% Texts of every kind.
caesar(N, Text, Cipher) :- string_codes(Text, Cs), maplist(shift(N), Cs, Ds), string_codes(Cipher, Ds).
shift(N, C, D) :- code_type(C, lower), !, D is (C - 0'a + N) mod 26 + 0'a.
shift(N, C, D) :- code_type(C, upper), !, D is (C - 0'A + N) mod 26 + 0'A.
shift(_, C, C).
palindrome(Text) :- string_lower(Text, L), string_chars(L, Cs0), include([C]>>char_type(C, alpha), Cs0, Cs), reverse(Cs, Cs).
runs([], []).
runs([X|Xs], [X-N|Rs]) :- same(Xs, X, 1, N, Rest), runs(Rest, Rs).
same([X|Xs], Y, N0, N, Rest) :- X == Y, !, N1 is N0 + 1, same(Xs, Y, N1, N, Rest).
same(Rest, _, N, N, Rest).
encode(Text, Code) :- string_chars(Text, Cs), runs(Cs, Rs), maplist([C-N, A]>>( N == 1 -> A = C ; atomic_list_concat([N, C], A) ), Rs, As), atomic_list_concat(As, Code).
:- begin_tests(texts).
test(caesar, C == "Khoor, Zruog!") :- caesar(3, "Hello, World!", C).
test(back, T == "Hello") :- caesar(3, "Hello", C), caesar(-3, C, T).
test(palindrome) :- palindrome("A man, a plan, a canal: Panama").
test(none, fail) :- palindrome("Prolog").
test(encode, C == '3a2bc') :- encode("aaabbc", C).
test(empty, C == '') :- encode("", C).
test(kind, C == "3a2bc") :- encode("aaabbc", C).
test(split, Ps == ["a", "b", "", "c"]) :- split_string("a,b,,c", ",", "", Ps).
test(sub, all(B-A == [0-2, 1-1, 2-0])) :- sub_atom(aaa, B, 1, A, a).
test(bad, error(type_error(_, _))) :- atom_length(f(x), _).
test(upper, U == 'ABC') :- upcase_atom(abc, U).
:- end_tests(texts).
