a :- member(X, [1, 2]), $, writeln(X).
b(1). b(2).
c :- b(X), $, writeln(X), fail.
c :- writeln(second).
d :- $, writeln(x).
d :- writeln(y).
e(X) :- b(X), $, b(_).
f(X) :- $, b(X), X > 1, !.
g(_) :- $, fail.
h(X) :- ( $, b(X) ; X = 3 ).
i(X) :- $, X = 1, throw(foo).
%?- a.
%?- d.
%?- f(X).
%?- catch(c, error(E, _), true).
%?- catch(e(X), error(E, _), true).
%?- catch(g(X), error(E, _), true).
%?- catch(h(X), error(E, _), true).
%?- catch(i(X), E, true).
%?- clause(d, B).
