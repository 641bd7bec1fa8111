% Nothing but facts, so that only answers are shown.
p(1).
p(2).
p(3).
q(X) :- p(X), X > 5.
