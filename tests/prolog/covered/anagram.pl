:- use_module(library(apply)).
anagram(Word, Options, Matching) :-
    string_lower(Word, LWord),
    string_chars(LWord, Chars),
    msort(Chars, Sorted),
    include(is_anagram(LWord, Sorted), Options, Matching).

is_anagram(LWord, Sorted, Option) :-
    string_lower(Option, LOption),
    LOption \= LWord,
    string_chars(LOption, OChars),
    msort(OChars, Sorted).
