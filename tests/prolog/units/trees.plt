% Search trees, in both directions.
insert(nil, X, t(nil, X, nil)).
insert(t(L, X, R), X, t(L, X, R)) :- !.
insert(t(L, Y, R), X, t(L1, Y, R)) :- X @< Y, !, insert(L, X, L1).
insert(t(L, Y, R), X, t(L, Y, R1)) :- insert(R, X, R1).
list_tree(Xs, T) :- foldl([X, T0, T1]>>insert(T0, X, T1), Xs, nil, T).
in_order(nil) --> [].
in_order(t(L, X, R)) --> in_order(L), [X], in_order(R).
depth(nil, 0).
depth(t(L, _, R), D) :- depth(L, A), depth(R, B), D is max(A, B) + 1.
shape(0, nil).
shape(N, t(L, _, R)) :- N > 0, M is N - 1, between(0, M, A), B is M - A, shape(A, L), shape(B, R).
:- begin_tests(trees, [setup(nb_setval(tree, none)), cleanup(nb_setval(tree, gone))]).
test(sorted, L == [1,2,3,5]) :- list_tree([3,1,2,5,3], T), phrase(in_order(T), L).
test(depth, D == 3) :- list_tree([2,1,3,4], T), depth(T, D).
test(shapes, N == 14) :- aggregate_all(count, shape(4, _), N).
test(one, all(T =@= [t(nil,_,t(nil,_,nil)), t(t(nil,_,nil),_,nil)])) :- shape(2, T).
test(set, [setup(nb_setval(tree, 1)), V == 1]) :- nb_getval(tree, V).
test(kept, V == 1) :- nb_getval(tree, V).
test(last) :- list_tree([b,a], T), T = t(_, Root, _), Root == a.
:- end_tests(trees).
