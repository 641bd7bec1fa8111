applast(L, X, Last) :- app(L, [X], LX), last_of(Last, LX).
last_of(X, [X]).
last_of(X, [_|T]) :- last_of(X, T).
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
