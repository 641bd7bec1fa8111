:- use_module(library(assoc)).
word_count(Words, Pairs) :- empty_assoc(A0), foldl(count, Words, A0, A), assoc_to_list(A, Pairs).
count(W, A0, A) :- get_assoc(W, A0, N), !, N1 is N + 1, put_assoc(W, A0, N1, A).
count(W, A0, A) :- put_assoc(W, A0, 1, A).
top(Words, Best) :- word_count(Words, Ps), best(Ps, Best).
best([P], P) :- !.
best([K-V|Ps], B) :- best(Ps, K1-V1), ( V >= V1 -> B = K-V ; B = K1-V1 ).
