pangram(Sentence) :-
    string_lower(Sentence, Lower),
    string_chars(Lower, Chars),
    forall(member(C, [a,b,c,d]), memberchk(C, Chars)).
