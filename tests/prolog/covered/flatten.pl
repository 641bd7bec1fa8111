my_flatten(X, [X]) :- \+ is_list(X).
my_flatten([], []).
my_flatten([X|Xs], Zs) :- my_flatten(X, Y), my_flatten(Xs, Ys), append(Y, Ys, Zs).
compress([], []).
compress([X], [X]).
compress([X,X|Xs], Zs) :- compress([X|Xs], Zs).
compress([X,Y|Ys], [X|Zs]) :- X \= Y, compress([Y|Ys], Zs).
pack([], []).
pack([X|Xs], [Z|Zs]) :- transfer(X, Xs, Ys, Z), pack(Ys, Zs).
transfer(X, [], [], [X]).
transfer(X, [Y|Ys], [Y|Ys], [X]) :- X \= Y.
transfer(X, [X|Xs], Ys, [X|Zs]) :- transfer(X, Xs, Ys, Zs).
encode(L1, L2) :- pack(L1, L), transform(L, L2).
transform([], []).
transform([[X|Xs]|Ys], [[N,X]|Zs]) :- length([X|Xs], N), transform(Ys, Zs).
strip([], []).
strip([[1,X]|Ys], [X|Zs]) :- strip(Ys, Zs).
strip([[N,X]|Ys], [[N,X]|Zs]) :- N > 1, strip(Ys, Zs).
encode_modified(L1, L2) :- encode(L1, L), strip(L, L2).
decode([], []).
decode([X|Ys], [X|Zs]) :- \+ is_list(X), decode(Ys, Zs).
decode([[1,X]|Ys], [X|Zs]) :- decode(Ys, Zs).
decode([[N,X]|Ys], [X|Zs]) :- N > 1, N1 is N - 1, decode([[N1,X]|Ys], Zs).
