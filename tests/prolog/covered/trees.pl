istree(nil).
istree(t(_,L,R)) :- istree(L), istree(R).
cbal_tree(0, nil) :- !.
cbal_tree(N, t(x,L,R)) :- N > 0, N0 is N - 1, N1 is N0 // 2, N2 is N0 - N1, distrib(N1, N2, NL, NR), cbal_tree(NL, L), cbal_tree(NR, R).
distrib(N, N, N, N) :- !.
distrib(N1, N2, N1, N2).
distrib(N1, N2, N2, N1).
symmetric(nil).
symmetric(t(_,L,R)) :- mirror(L, R).
mirror(nil, nil).
mirror(t(_,L1,R1), t(_,L2,R2)) :- mirror(L1, R2), mirror(R1, L2).
add(X, nil, t(X,nil,nil)).
add(X, t(Root,L,R), t(Root,L1,R)) :- X @< Root, add(X, L, L1).
add(X, t(Root,L,R), t(Root,L,R1)) :- X @> Root, add(X, R, R1).
construct(L, T) :- construct(L, T, nil).
construct([], T, T).
construct([N|Ns], T, T0) :- add(N, T0, T1), construct(Ns, T, T1).
count_leaves(nil, 0).
count_leaves(t(_,nil,nil), 1) :- !.
count_leaves(t(_,L,R), N) :- count_leaves(L, NL), count_leaves(R, NR), N is NL + NR.
atlevel(nil, _, []).
atlevel(t(X,_,_), 1, [X]) :- !.
atlevel(t(_,L,R), D, S) :- D > 1, D1 is D - 1, atlevel(L, D1, SL), atlevel(R, D1, SR), append(SL, SR, S).
