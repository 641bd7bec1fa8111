app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
nrev([], []).
nrev([H|T], R) :- nrev(T, RT), app(RT, [H], R).
%?- numlist(1, 100, L), nrev(L, R), R = [A, B|_].
%?- app(X, Y, [a, b]).
