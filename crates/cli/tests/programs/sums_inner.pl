:- module(sums_inner, [total/2, op(500, xfx, <+>)]).
total(A <+> B, T) :- T is A + B.
