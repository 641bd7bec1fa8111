hey(Sentence, Response) :-
    normalize_space(string(S), Sentence),
    string_chars(S, Chars),
    reply(Chars, Response), !.
reply([], "Fine. Be that way!").
reply(Chars, "Calm down, I know what I'm doing!") :- yelling(Chars), question(Chars).
reply(Chars, "Whoa, chill out!") :- yelling(Chars).
reply(Chars, "Sure.") :- question(Chars).
reply(_, "Whatever.").
yelling(Chars) :- member(C, Chars), char_type(C, upper), !, \+ ( member(D, Chars), char_type(D, lower) ).
question(Chars) :- last(Chars, '?').
