compose(F, G, X, Y) :- call(F, X, Z), call(G, Z, Y).
map(_, [], []).
map(F, [X|Xs], [Y|Ys]) :- call(F, X, Y), map(F, Xs, Ys).
filter(_, [], []).
filter(P, [X|Xs], Ys) :- ( call(P, X) -> Ys = [X|Zs] ; Ys = Zs ), filter(P, Xs, Zs).
inc(X, Y) :- Y is X + 1.
dbl(X, Y) :- Y is X * 2.
pos(X) :- X > 0.
go(L, R) :- filter(pos, L, L1), map(inc, L1, R).
