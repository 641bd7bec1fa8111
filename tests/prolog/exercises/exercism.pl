% Short solutions in the manner of exercism's Prolog track.
hello_world('Hello World!').
leap(Y) :- ( Y mod 400 =:= 0 -> true ; Y mod 100 =\= 0, Y mod 4 =:= 0 ).
raindrops(N, S) :- findall(T, ( member(D-T, [3-'Pling', 5-'Plang', 7-'Plong']), N mod D =:= 0 ), Ts), ( Ts == [] -> atom_number(A, N), S = A ; atomic_list_concat(Ts, S) ).
space_age(P, S, Y) :- orbit(P, O), Y is S / 31557600 / O.
orbit('Earth', 1.0). orbit('Mercury', 0.2408467). orbit('Neptune', 164.79132).
triangle(A, B, C, T) :- msort([A, B, C], [X, Y, Z]), X > 0, X + Y >= Z, sort([A, B, C], S), length(S, N), nth1(N, ['equilateral', 'isosceles', 'scalene'], T).
anagram(W, Cs, As) :- downcase_atom(W, D), atom_chars(D, L), msort(L, K), include([C]>>( downcase_atom(C, E), E \== D, atom_chars(E, M), msort(M, K) ), Cs, As).
complement(D, R) :- string_chars(D, Cs), maplist([X, Y]>>( member(X-Y, ['G'-'C', 'C'-'G', 'T'-'A', 'A'-'U']) -> true ; fail ), Cs, Rs), string_chars(R, Rs).
hamming(A, B, N) :- string_chars(A, X), string_chars(B, Y), ( same_length(X, Y) -> true ; throw(error(domain_error(equal_length, A-B), _)) ), aggregate_all(count, ( nth0(I, X, P), nth0(I, Y, Q), P \== Q ), N).
allergies(S, L) :- findall(A, ( nth0(I, [eggs, peanuts, shellfish, strawberries, tomatoes, chocolate, pollen, cats], A), S >> I /\ 1 =:= 1 ), L).
grains(N, G) :- between(1, 64, N), G is 1 << (N - 1).
total(T) :- aggregate_all(sum(G), grains(_, G), T).
clock(H, M, S) :- T is (H * 60 + M) mod 1440, HH is T // 60, MM is T mod 60, format(string(S), "~|~`0t~d~2+:~|~`0t~d~2+", [HH, MM]).
series(S, N, L) :- findall(X, sub_string(S, _, N, _, X), L).
sum_of_multiples(Fs, N, S) :- M is N - 1, findall(X, ( between(1, M, X), once(( member(F, Fs), F > 0, X mod F =:= 0 )) ), Xs), sum_list(Xs, S).
armstrong(N) :- number_chars(N, Cs), length(Cs, L), foldl([C, A, B]>>( atom_number(C, D), B is A + D ** L ), Cs, 0, N).
nth_prime(N, P) :- findnsols(N, X, prime(X), L), !, last(L, P).
prime(X) :- between(2, inf, X), \+ ( M is floor(sqrt(X)), between(2, M, D), X mod D =:= 0 ).
binary(S, N) :- string_chars(S, Cs), foldl([C, A, B]>>( atom_number(C, D), memberchk(D, [0, 1]), B is A * 2 + D ), Cs, 0, N).
brackets(S) :- string_chars(S, Cs), include([C]>>memberchk(C, ['(', ')', '[', ']', '{', '}']), Cs, Bs), balanced(Bs, []).
balanced([], []).
balanced([C|Cs], St) :- member(C-D, ['('-')', '['-']', '{'-'}']), !, balanced(Cs, [D|St]).
balanced([C|Cs], [C|St]) :- balanced(Cs, St).
queen_attack(A-B, C-D) :- ( A =:= C ; B =:= D ; abs(A - C) =:= abs(B - D) ), !.
%?- hello_world(X).
%?- leap(2000), \+ leap(1900), leap(1996).
%?- maplist(raindrops, [28, 30, 34, 105], L).
%?- space_age('Earth', 1000000000, Y), format(atom(A), "~2f", [Y]).
%?- triangle(2, 2, 2, T).
%?- triangle(1, 1, 3, T).
%?- anagram('Orchestra', [cashregister, 'Carthorse', radishes], L).
%?- complement("ACGTGGTCTTAA", R).
%?- complement("XXX", R).
%?- hamming("GGACGGATTCTG", "AGGACGGATTCT", N).
%?- catch(hamming("A", "AB", N), error(E, _), true).
%?- allergies(257, L).
%?- grains(64, G), total(T).
%?- clock(25, -160, S).
%?- series("49142", 3, L).
%?- sum_of_multiples([3, 5], 20, S).
%?- armstrong(153), \+ armstrong(154).
%?- nth_prime(20, P).
%?- binary("1010", N).
%?- binary("10102", N).
%?- brackets("{[()]}"), \+ brackets("{[(])}").
%?- queen_attack(2-2, 5-5).
