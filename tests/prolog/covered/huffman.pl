huffman(Fs, Cs) :- maplist(leaf, Fs, Ls), msort(Ls, S), build(S, T), codes(T, '', Cs0), sort(Cs0, Cs).
leaf(fr(S,F), F-leaf(S)).
build([_-T], T) :- !.
build([F1-A,F2-B|R], T) :- F is F1+F2, msort([F-node(A,B)|R], S), build(S, T).
codes(leaf(S), C, [hc(S,C)]).
codes(node(A,B), C, Cs) :- atom_concat(C, '0', C0), atom_concat(C, '1', C1), codes(A, C0, As), codes(B, C1, Bs), append(As, Bs, Cs).
