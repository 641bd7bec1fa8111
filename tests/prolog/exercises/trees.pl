istree(nil).
istree(t(_, L, R)) :- istree(L), istree(R).
cbal_tree(0, nil) :- !.
cbal_tree(N, t(x, L, R)) :-
    N > 0, N0 is N - 1, N1 is N0 // 2, N2 is N0 - N1, distrib(N1, N2, NL, NR), cbal_tree(NL, L), cbal_tree(NR, R).
distrib(N, N, N, N) :- !.
distrib(N1, N2, N1, N2).
distrib(N1, N2, N2, N1).
symmetric(nil).
symmetric(t(_, L, R)) :- mirror(L, R).
mirror(nil, nil).
mirror(t(_, L1, R1), t(_, L2, R2)) :- mirror(L1, R2), mirror(R1, L2).
add(X, nil, t(X, nil, nil)).
add(X, t(Root, L, R), t(Root, L1, R)) :- X @< Root, add(X, L, L1).
add(X, t(Root, L, R), t(Root, L, R1)) :- X @> Root, add(X, R, R1).
construct(L, T) :- foldl([X, T0, T1]>>add(X, T0, T1), L, nil, T).
preorder(nil, []).
preorder(t(X, L, R), Xs) :- preorder(L, Ls), preorder(R, Rs), append([X|Ls], Rs, Xs).
inorder(nil) --> [].
inorder(t(X, L, R)) --> inorder(L), [X], inorder(R).
depth(nil, 0).
depth(t(_, L, R), D) :- depth(L, A), depth(R, B), D is max(A, B) + 1.
tree_string(nil, '') :- !.
tree_string(t(X, nil, nil), X) :- !.
tree_string(t(X, L, R), S) :- tree_string(L, A), tree_string(R, B), atomic_list_concat([X, '(', A, ',', B, ')'], S).
%?- cbal_tree(4, T).
%?- construct([3, 2, 5, 7, 1], T), depth(T, D), phrase(inorder(T), L).
%?- construct([5, 3, 18, 1, 4, 12, 21], T), ( symmetric(T) -> S = yes ; S = no ).
%?- construct([d, b, a, c, e], T), tree_string(T, S), preorder(T, P).
%?- istree(t(a, t(b, nil, nil), nil)).
%?- istree(t(a, t(b, nil, nil))).
