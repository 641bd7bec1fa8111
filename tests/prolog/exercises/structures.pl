% assoc, pairs, ordsets, ugraphs, rbtrees, heaps, nb_set, records, option, gensym.
:- use_module(library(assoc)).
:- use_module(library(pairs)).
:- use_module(library(ordsets)).
:- use_module(library(ugraphs)).
:- use_module(library(rbtrees)).
:- use_module(library(heaps)).
:- use_module(library(record)).
:- use_module(library(option)).
:- use_module(library(gensym)).
:- use_module(library(solution_sequences)).
:- record point(x:integer = 0, y:integer = 0).
count_words(Ws, L) :- foldl([W, A0, A]>>( get_assoc(W, A0, N) -> M is N + 1, put_assoc(W, A0, M, A) ; put_assoc(W, A0, 1, A) ), Ws, t, A), assoc_to_list(A, L).
%?- count_words([a, b, a, c, a], L).
%?- list_to_assoc([a-1, b-2], A), put_assoc(c, A, 3, B), assoc_to_keys(B, K), assoc_to_values(B, V), max_assoc(B, X, Y).
%?- list_to_assoc([a-1], A), get_assoc(z, A, X).
%?- pairs_keys_values(P, [a, b], [1, 2]), pairs_keys(P, K), pairs_values(P, V), transpose_pairs(P, T).
%?- group_pairs_by_key([a-1, a-2, b-3, a-4], G).
%?- ord_union([a, c], [b], U), ord_intersection([a, b], [b, c], I), ord_subset([a], [a, b]).
%?- vertices_edges_to_ugraph([a, b, c], [a-b, b-c], G), top_sort(G, T), reachable(a, G, R), transitive_closure(G, C).
%?- list_to_rbtree([a-1, b-2], T), rb_insert(T, c, 3, T2), rb_keys(T2, Ks), rb_lookup(b, V, T2).
%?- list_to_heap([3-c, 1-a, 2-b], H), get_from_heap(H, P, K, _), heap_size(H, N).
%?- default_point(P), set_x_of_point(3, P, Q), point_x(Q, X), point_y(Q, Y).
%?- make_point([y(4)], P), is_point(P).
%?- make_point([y(a)], P).
%?- option(a(X), [a(1), b(2)]), option(c(Y), [a(1)], 7), select_option(b(Z), [a(1), b(2)], R).
%?- gensym(v, A), gensym(v, B), reset_gensym(v), gensym(v, C).
%?- findall(X, limit(2, order_by([desc(X)], member(X, [1, 3, 2]))), L).
%?- findall(X-Y, distinct(X, member(X-Y, [a-1, b-2, a-3])), L).
%?- nb_setval(k, [1]), nb_getval(k, V), b_setval(j, 2), b_getval(j, W).
%?- sumlist([1, 2], S), max_list([1, 5, 2], M), min_list([4, 2], N), numlist(1, 3, L), last([a, b], X), nth0(1, [a, b], Y), nth1(1, [a, b], Z).
%?- foldl([X, Y, A0, A]>>( A is A0 + X * Y ), [1, 2], [3, 4], 0, S).
%?- aggregate_all(bag(X-Y), ( member(X, [1, 2]), member(Y, [a]) ), L).
%?- partition([X, C]>>compare(C, X, 3), [1, 3, 5, 2], L, E, G).
%?- subtract([a, b, c], [b], S), intersection([a, b], [b, c], I), union([a], [b, a], U), exclude([X]>>( X == a ), [a, b], D).
%?- max_member(M, [3, a, f(x)]), min_member(N, [3, a, f(x)]), list_to_set([a, b, a], S), sumlist([], Z).
%?- sort(0, @>=, [1, 3, 2, 3], L), msort([b, a, c, a], M), permutation([1, 2], P).
%?- string_to_atom(S, abc), flatten([a, [b, [c]]], F), exclude([X]>>memberchk(X, [a]), F, G), sum_list([1.5, 2], T).
%?- nb_setval(cnt, 0), forall(member(_, [a, b, c]), ( nb_getval(cnt, N), M is N + 1, nb_setval(cnt, M) )), nb_getval(cnt, V).
