clean(S, N) :- string_chars(S, Cs), include([C]>>char_type(C, digit(_)), Cs, Ds), strip(Ds, Es), string_chars(N, Es).
strip(['1'|Ds], Ds) :- length(Ds, 10), !.
strip(Ds, Ds) :- length(Ds, 10).
