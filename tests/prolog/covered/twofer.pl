two_fer("One for you, one for me.").
two_fer(Name, Dialogue) :- Name == "", !, two_fer(Dialogue).
two_fer(Name, Dialogue) :- format(string(Dialogue), "One for ~w, one for me.", [Name]).
