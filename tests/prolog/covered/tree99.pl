istree(nil).
istree(t(_,L,R)) :- istree(L), istree(R).
leaves(nil, []).
leaves(t(X,nil,nil), [X]) :- !.
leaves(t(_,L,R), Ls) :- leaves(L, A), leaves(R, B), append(A, B, Ls).
atlevel(nil, _, []).
atlevel(t(X,_,_), 1, [X]) :- !.
atlevel(t(_,L,R), D, S) :- D > 1, D1 is D-1, atlevel(L, D1, A), atlevel(R, D1, B), append(A, B, S).
sym(nil).
sym(t(_,L,R)) :- mirror(L, R).
mirror(nil, nil).
mirror(t(_,A,B), t(_,C,D)) :- mirror(A, D), mirror(B, C).
