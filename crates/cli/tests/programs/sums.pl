% A program of several files: the operator comes through a module that exports it again.
:- use_module(sums_outer).
show(X) :- X = (1 <+> 2), print(X), nl, total(X, T), print(T), nl.
