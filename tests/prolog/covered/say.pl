say(0, "zero") :- !.
say(N, S) :- N > 0, N < 1000000000000, phrase(words(N), Ws), atomic_list_concat(Ws, ' ', A), atom_string(A, S).
words(0) --> [].
words(N) --> { N >= 1000000, !, Q is N // 1000000, R is N mod 1000000 }, words(Q), [million], words(R).
words(N) --> { N >= 1000, !, Q is N // 1000, R is N mod 1000 }, words(Q), [thousand], words(R).
words(N) --> { N >= 100, !, Q is N // 100, R is N mod 100 }, words(Q), [hundred], words(R).
words(N) --> { N >= 20, !, T is N // 10, R is N mod 10, tens(T, W) }, tail(R, W).
words(N) --> { unit(N, W) }, [W].
tail(0, W) --> !, [W].
tail(R, W) --> { unit(R, U), atomic_list_concat([W, U], '-', X) }, [X].
tens(2, twenty). tens(3, thirty). tens(4, forty). tens(5, fifty).
tens(6, sixty). tens(7, seventy). tens(8, eighty). tens(9, ninety).
unit(1, one). unit(2, two). unit(3, three). unit(4, four). unit(5, five). unit(6, six). unit(7, seven). unit(8, eight). unit(9, nine).
unit(10, ten). unit(11, eleven). unit(12, twelve). unit(13, thirteen). unit(14, fourteen). unit(15, fifteen). unit(16, sixteen).
unit(17, seventeen). unit(18, eighteen). unit(19, nineteen).
