% Interpreters of Prolog in Prolog: plain, with depth, with a proof, with a limit.
:- op(700, xfx, <-).
:- dynamic nat/1, add/3, fam/2, anc/2.
nat(0).
nat(s(X)) :- nat(X).
add(0, X, X).
add(s(X), Y, s(Z)) :- add(X, Y, Z).
fam(adam, seth). fam(seth, enos). fam(enos, cain).
anc(X, Y) :- fam(X, Y).
anc(X, Z) :- fam(X, Y), anc(Y, Z).
solve(true) :- !.
solve((A, B)) :- !, solve(A), solve(B).
solve((A ; B)) :- !, ( solve(A) ; solve(B) ).
solve(\+ A) :- !, \+ solve(A).
solve(G) :- predicate_property(G, built_in), !, call(G).
solve(G) :- clause(G, B), solve(B).
depth(true, 0) :- !.
depth((A, B), D) :- !, depth(A, X), depth(B, Y), D is max(X, Y).
depth(G, D) :- clause(G, B), depth(B, D0), D is D0 + 1.
proof(true, fact) :- !.
proof((A, B), (PA, PB)) :- !, proof(A, PA), proof(B, PB).
proof(G, G <- P) :- clause(G, B), proof(B, P).
limited(_, 0) :- !, fail.
limited(true, _) :- !.
limited((A, B), N) :- !, limited(A, N), limited(B, N).
limited(G, N) :- M is N - 1, clause(G, B), limited(B, M).
%?- solve(anc(adam, X)).
%?- solve(add(X, Y, s(s(0)))).
%?- depth(anc(adam, cain), D).
%?- proof(anc(adam, enos), P).
%?- limited(nat(X), 4).
%?- solve(( member(X, [1, 2, 3]), X > 1 )).
