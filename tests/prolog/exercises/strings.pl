% Exercises on text: pangram, isogram, acronym, run lengths, rotation, Roman numerals, words.
pangram(S) :- string_lower(S, L), string_chars(L, Cs), forall(( char_type(C, lower), C @=< z ), memberchk(C, Cs)).
isogram(S) :- string_lower(S, L), string_chars(L, Cs0), include([C]>>char_type(C, alpha), Cs0, Cs), sort(Cs, U), length(Cs, N), length(U, N).
acronym(S, A) :- split_string(S, " -", "", Ws), exclude(==(""), Ws, Ws1), maplist([W, C]>>(sub_string(W, 0, 1, _, C)), Ws1, Cs), atomics_to_string(Cs, A0), string_upper(A0, A).
encode("", "") :- !.
encode(S, E) :- string_chars(S, Cs), runs(Cs, Rs), maplist([N-C, X]>>( N =:= 1 -> X = C ; format(atom(X), "~w~w", [N, C]) ), Rs, Xs), atomic_list_concat(Xs, A), atom_string(A, E).
runs([], []).
runs([C|Cs], [N-C|Rs]) :- run(C, Cs, 1, N, Rest), runs(Rest, Rs).
run(C, [C|Cs], N0, N, Rest) :- !, N1 is N0 + 1, run(C, Cs, N1, N, Rest).
run(_, Rest, N, N, Rest).
rotate(K, S, R) :- string_codes(S, Cs), maplist(rot(K), Cs, Ds), string_codes(R, Ds).
rot(K, C, D) :- code_type(C, lower), C =< 0'z, !, D is 0'a + (C - 0'a + K) mod 26.
rot(K, C, D) :- code_type(C, upper), C =< 0'Z, !, D is 0'A + (C - 0'A + K) mod 26.
rot(_, C, C).
roman(0, '') :- !.
roman(N, R) :- member(V-S, [1000-'M', 900-'CM', 500-'D', 400-'CD', 100-'C', 90-'XC', 50-'L', 40-'XL', 10-'X', 9-'IX', 5-'V', 4-'IV', 1-'I']), N >= V, !, M is N - V, roman(M, R1), atom_concat(S, R1, R).
word_count(Text, Counts) :-
    string_lower(Text, L), split_string(L, " ,.!?\n", " ,.!?\n", Ws0), exclude(==(""), Ws0, Ws), msort(Ws, Sorted), clumped_words(Sorted, Counts).
clumped_words(Ws, Counts) :- maplist([W, A-1]>>atom_string(A, W), Ws, Ps), group_pairs_by_key(Ps, Gs), maplist([K-Vs, K-N]>>length(Vs, N), Gs, Counts).
reverse_string(S, R) :- string_chars(S, Cs), reverse(Cs, Ds), string_chars(R, Ds).
bob(S, 'Fine. Be that way!') :- normalize_space(string(""), S), !.
bob(S, 'Whoa, chill out!') :- string_upper(S, S), \+ string_lower(S, S), !.
bob(S, 'Sure.') :- normalize_space(string(T), S), sub_string(T, _, 1, 0, "?"), !.
bob(_, 'Whatever.').
luhn(S) :- split_string(S, " ", "", Ps), atomic_list_concat(Ps, A), atom_chars(A, Cs), reverse(Cs, Rs), maplist(atom_number, Rs, Ds), luhn(Ds, 0, Sum), Sum mod 10 =:= 0.
luhn([], S, S).
luhn([A], S0, S) :- S is S0 + A.
luhn([A, B|T], S0, S) :- D is B * 2, ( D > 9 -> E is D - 9 ; E = D ), S1 is S0 + A + E, luhn(T, S1, S).
two_fer(Name, S) :- format(string(S), "One for ~w, one for me.", [Name]).
%?- pangram("The quick brown fox jumps over the lazy dog.").
%?- pangram("The quick brown fox").
%?- isogram("lumberjacks").
%?- isogram("isograms").
%?- acronym("Complementary metal-oxide semiconductor", A).
%?- encode("WWWWWWWWWWWWBWWW", E).
%?- rotate(13, "The quick brown fox.", R).
%?- maplist(roman, [1990, 2008, 1666, 49, 3999], Rs).
%?- word_count("olly olly in come free, please please", C).
%?- reverse_string("Ramen", R).
%?- bob("WATCH OUT!", R).
%?- bob("4?", R).
%?- bob("   ", R).
%?- bob("Tom-ay-to", R).
%?- luhn("4539 3195 0343 6467").
%?- luhn("8273 1232 7352 0569").
%?- two_fer('Alice', S).
%?- sub_atom(hello, B, 1, A, l).
%?- atomic_list_concat(Parts, ', ', 'a, b, c').
%?- atom_chars(X, [h, i]), atom_length(X, N), upcase_atom(X, U).
%?- string_code(1, "abc", C), char_code(Ch, C).
%?- term_to_atom(foo(bar, "s", 'A b'), A).
%?- sformat(S, "~a and ~q", [it, 'Is']).
%?- read_term_from_atom('p(X, Y, X)', T, []).
%?- split_string("key = value", "=", " ", [K, V]).
