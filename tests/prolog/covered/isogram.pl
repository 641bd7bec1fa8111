isogram(Word) :-
    string_lower(Word, Lower),
    string_chars(Lower, Chars),
    include(alpha, Chars, Letters),
    sort(0, @>=, Letters, Sorted),
    distinct(Sorted).
alpha(C) :- char_type(C, alpha).
distinct([]).
distinct([_]).
distinct([X,Y|T]) :- X \== Y, distinct([Y|T]).
