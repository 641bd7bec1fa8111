:- module(sums_outer, []).
:- reexport(sums_inner).
