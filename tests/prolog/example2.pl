p(X) :- q(X), r(X).
q(X) :- s(X).
s(a).
s(b).
r(b).
