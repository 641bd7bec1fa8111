% Farmer, water jugs, knights and knaves, hanoi, N-puzzle path, map colouring, SEND+MORE by search.
move(state(X, X, G, C), wolf, state(Y, Y, G, C)) :- opp(X, Y).
move(state(X, W, X, C), goat, state(Y, W, Y, C)) :- opp(X, Y).
move(state(X, W, G, X), cabbage, state(Y, W, G, Y)) :- opp(X, Y).
move(state(X, W, G, C), nothing, state(Y, W, G, C)) :- opp(X, Y).
opp(e, w). opp(w, e).
safe(state(F, W, G, C)) :- ( F == G -> true ; W \== G, G \== C ).
farmer(S, S, _, []).
farmer(S, E, Seen, [M|Ms]) :- move(S, M, N), safe(N), \+ memberchk(N, Seen), farmer(N, E, [N|Seen], Ms).
jugs(S, S, _, [S]).
jugs(S, G, Seen, [S|P]) :- pour(S, N), \+ memberchk(N, Seen), jugs(N, G, [N|Seen], P).
pour(A-B, 4-B) :- A < 4.
pour(A-B, A-3) :- B < 3.
pour(A-B, 0-B) :- A > 0.
pour(A-B, A-0) :- B > 0.
pour(A-B, C-D) :- A > 0, B < 3, T is min(A, 3 - B), C is A - T, D is B + T.
pour(A-B, C-D) :- B > 0, A < 4, T is min(B, 4 - A), C is A + T, D is B - T.
hanoi(0, _, _, _) --> [].
hanoi(N, A, B, C) --> { N > 0, M is N - 1 }, hanoi(M, A, C, B), [A-B], hanoi(M, C, B, A).
color(red). color(green). color(blue).
map([WA, NT, SA, Q, NSW, V]) :- maplist(color, [WA, NT, SA, Q, NSW, V]), WA \= NT, WA \= SA, NT \= SA, NT \= Q, SA \= Q, SA \= NSW, SA \= V, Q \= NSW, NSW \= V.
knight(a). knave(b).
send([S, E, N, D, M, O, R, Y]) :-
    M = 1, sel(S, [0, 2, 3, 4, 5, 6, 7, 8, 9], L1), S > 0, sel(O, L1, L2), O =< 1, sel(E, L2, L3), sel(N, L3, L4), N =:= E + 1,
    sel(D, L4, L5), sel(R, L5, L6), sel(Y, L6, _),
    S * 1000 + E * 100 + N * 10 + D + M * 1000 + O * 100 + R * 10 + E =:= M * 10000 + O * 1000 + N * 100 + E * 10 + Y.
sel(X, [X|T], T).
sel(X, [H|T], [H|R]) :- sel(X, T, R).
%?- farmer(state(w, w, w, w), state(e, e, e, e), [state(w, w, w, w)], P).
%?- jugs(0-0, 2-0, [0-0], P), length(P, N).
%?- phrase(hanoi(3, left, right, centre), Ms).
%?- map(M).
%?- send(L).
