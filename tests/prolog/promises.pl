:- module(promises, [first/2, divide/3, pick/2, loop/1, fine/2]).

%!  first(+List:list(integer), -X:integer) is det.
first([X|_], X).

%!  divide(+X:integer, +Y:integer, -Z:integer) is det.
divide(X, Y, Z) :- Z is X // Y.

%!  pick(+List:list(integer), -X:integer) is semidet.
pick(List, X) :- own_member(X, List).

own_member(X, [X|_]).
own_member(X, [_|T]) :- own_member(X, T).

%!  loop(+N:integer) is semidet.
loop(N) :- N > 0, loop(N).

%!  fine(+N:between(1, 3), -Name:oneof([one, two, three])) is det.
fine(1, one) :- !.
fine(2, two) :- !.
fine(3, three).
