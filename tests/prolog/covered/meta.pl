solve(true) :- !.
solve((A, B)) :- !, solve(A), solve(B).
solve((A ; B)) :- !, ( solve(A) ; solve(B) ).
solve(\+ A) :- !, \+ solve(A).
solve(H) :- rule(H, B), solve(B).
rule(p(X), q(X)).
rule(q(a), true).
rule(q(b), true).
rule(r(X), (p(X), \+ s(X))).
rule(s(a), true).
explain(G, P) :- prove(G, P).
prove(true, axiom) :- !.
prove((A,B), and(PA,PB)) :- !, prove(A, PA), prove(B, PB).
prove(H, by(H, P)) :- rule(H, B), prove(B, P).
