:- module(bst, [insert/3, lookup/3, from_list/2, delete/3, to_list/2]).
%! insert(+K:integer, +T, -T2) is det.
insert(K, nil, node(nil, K, nil)).
insert(K, node(L, K0, R), T) :- compare(O, K, K0), insert_(O, K, L, K0, R, T).
insert_(<, K, L, K0, R, node(L1, K0, R)) :- insert(K, L, L1).
insert_(=, _, L, K0, R, node(L, K0, R)).
insert_(>, K, L, K0, R, node(L, K0, R1)) :- insert(K, R, R1).
lookup(K, node(_, K, _), yes) :- !.
lookup(K, node(L, K0, _), V) :- K @< K0, !, lookup(K, L, V).
lookup(K, node(_, _, R), V) :- !, lookup(K, R, V).
lookup(_, nil, no).
from_list(L, T) :- foldl([K,T0,T1]>>insert(K, T0, T1), L, nil, T).
delete(K, node(nil, K, R), R) :- !.
delete(K, node(L, K, nil), L) :- !.
delete(K, node(L, K, R), node(L, M, R1)) :- !, del_min(R, M, R1).
delete(K, node(L, K0, R), node(L1, K0, R)) :- K < K0, !, delete(K, L, L1).
delete(K, node(L, K0, R), node(L, K0, R1)) :- K > K0, delete(K, R, R1).
del_min(node(nil, K, R), K, R) :- !.
del_min(node(L, K, R), M, node(L1, K, R)) :- del_min(L, M, L1).
to_list(nil, []).
to_list(node(L, K, R), Xs) :- to_list(L, A), to_list(R, B), append(A, [K|B], Xs).
