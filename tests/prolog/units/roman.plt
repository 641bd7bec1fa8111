% Roman numerals both ways.
numeral(1000, 'M'). numeral(900, 'CM'). numeral(500, 'D'). numeral(400, 'CD'). numeral(100, 'C').
numeral(90, 'XC'). numeral(50, 'L'). numeral(40, 'XL'). numeral(10, 'X'). numeral(9, 'IX').
numeral(5, 'V'). numeral(4, 'IV'). numeral(1, 'I').
roman(0, '') :- !.
roman(N, R) :- N > 0, numeral(V, S), V =< N, !, M is N - V, roman(M, Rest), atom_concat(S, Rest, R).
:- begin_tests(roman).
test(small, [forall(member(N-R, [1-'I', 4-'IV', 9-'IX', 27-'XXVII', 48-'XLVIII'])), true(X == R)]) :- roman(N, X).
test(large, R == 'MMXXIV') :- roman(2024, R).
test(wrong, R == 'IIII') :- roman(4, R).
test(negative, fail) :- roman(-1, _).
test(text, error(type_error(_, _))) :- roman(abc, _).
:- end_tests(roman).
