:- module(words, [count/2, freq/2, top/3, capitalize/2, acronym/2, pig/2]).
:- use_module(library(dcg/basics)).
count(Text, Pairs) :- string_lower(Text, L), split_string(L, " ,.!?:;\n\t", "'\"", Ws0), exclude(==(""), Ws0, Ws), msort(Ws, S), clump(S, Pairs).
clump(S, Pairs) :- pairs_keys_values(P0, S, S), group_pairs_by_key(P0, G), findall(W-N, (member(W-Vs, G), length(Vs, N)), Pairs).
freq(Text, Assoc) :- count(Text, Ps), list_to_assoc(Ps, Assoc).
top(Text, N, Top) :- count(Text, Ps), sort(2, @>=, Ps, S), length(Top0, N), ( append(Top0, _, S) -> Top = Top0 ; Top = S ).
capitalize(S, C) :- string_chars(S, [H|T]), upcase_atom(H, U), atom_chars(U, [UC]), string_chars(C, [UC|T]).
acronym(S, A) :- split_string(S, " -_", "", Ws), findall(U, (member(W, Ws), string_chars(W, [F|_]), upcase_atom(F, U)), Us), atomic_list_concat(Us, A).
pig(W, P) :- atom_codes(W, Cs), phrase(piglatin(P0), Cs), atom_codes(P, P0).
piglatin(P) --> vowel(V), remainder(R), { append([V|R], `ay`, P) }.
piglatin(P) --> consonants(Cs), { Cs \== [] }, remainder(R), { append(R, Cs, X), append(X, `ay`, P) }.
vowel(V) --> [V], { memberchk(V, `aeiou`) }.
consonants([0'q,0'u|T]) --> "qu", !, consonants(T).
consonants([C|T]) --> [C], { \+ memberchk(C, `aeiou`) }, !, consonants(T).
consonants([]) --> [].
