bubble(L, S) :- swap(L, L1), !, bubble(L1, S).
bubble(S, S).
swap([X,Y|R], [Y,X|R]) :- X > Y.
swap([Z|R], [Z|R1]) :- swap(R, R1).
insertion([], []).
insertion([H|T], S) :- insertion(T, S1), insert(H, S1, S).
insert(X, [], [X]).
insert(X, [Y|Ys], [X,Y|Ys]) :- X =< Y.
insert(X, [Y|Ys], [Y|Zs]) :- X > Y, insert(X, Ys, Zs).
msrt([], []) :- !.
msrt([X], [X]) :- !.
msrt(L, S) :- length(L, N), H is N // 2, length(A, H), append(A, B, L), msrt(A, SA), msrt(B, SB), merge(SA, SB, S).
merge([], L, L) :- !.
merge(L, [], L) :- !.
merge([X|Xs], [Y|Ys], [X|Zs]) :- X =< Y, !, merge(Xs, [Y|Ys], Zs).
merge(Xs, [Y|Ys], [Y|Zs]) :- merge(Xs, Ys, Zs).
