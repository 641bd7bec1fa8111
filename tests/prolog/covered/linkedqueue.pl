:- module(queue, [new/1, push/3, pop/3, to_list/2]).
%! new(-Q) is det.
new(q([],[])).
%! push(+X, +Q0, -Q) is det.
push(X, q(F,B), q(F,[X|B])).
%! pop(+Q0, -X, -Q) is semidet.
pop(q([X|F],B), X, q(F,B)) :- !.
pop(q([],B), X, q(F,[])) :- reverse(B, [X|F]).
%! to_list(+Q, -L) is det.
to_list(q(F,B), L) :- reverse(B, R), append(F, R, L).
