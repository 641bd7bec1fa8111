count_words(Text, Assoc) :- atomic_list_concat(Ws, ' ', Text), foldl(bump, Ws, t, Assoc0), assoc_to_list(Assoc0, Assoc).
bump(W, A0, A) :- ( get_assoc(W, A0, N) -> N1 is N + 1 ; N1 = 1 ), put_assoc(W, A0, N1, A).
