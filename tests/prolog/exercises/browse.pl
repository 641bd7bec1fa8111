init(N, M, Npats, Ipats, Result) :- init(N, M, M, Npats, Ipats, Result).
init(0, _, _, _, _, _) :- !.
init(N, I, M, Npats, Ipats, [Symb|Rest]) :-
    fill(I, [], L), get_pats(Npats, Ipats, Ppats), J is M - I, fill(J, [pattern(Ppats)|L], Symb),
    N1 is N - 1, ( I =:= 0 -> I1 = M ; I1 is I - 1 ), init(N1, I1, M, Npats, Ipats, Rest).
fill(0, L, L) :- !.
fill(N, L, [dummy([])|Rest]) :- N1 is N - 1, fill(N1, L, Rest).
get_pats(Npats, Ipats, Result) :- get_pats(Npats, Ipats, Result, Ipats).
get_pats(0, _, [], _) :- !.
get_pats(N, [X|Xs], [X|Ys], Ipats) :- N1 is N - 1, get_pats(N1, Xs, Ys, Ipats).
get_pats(N, [], Ys, Ipats) :- get_pats(N, Ipats, Ys, Ipats).
investigate([], _).
investigate([U|Units], Pats) :- property(U, pattern, Data), p_investigate(Data, Pats), investigate(Units, Pats).
property([], _, _) :- fail.
property([Prop|_], P, Val) :- functor(Prop, P, _), !, arg(1, Prop, Val).
property([_|R], P, Val) :- property(R, P, Val).
p_investigate([], _).
p_investigate([D|Data], Pats) :- p_match(Pats, D), p_investigate(Data, Pats).
p_match([], _).
p_match([P|Pats], D) :- ( match(D, P), fail ; true ), p_match(Pats, D).
match([], []) :- !.
match([X|PRest], [Y|SRest]) :- var(Y), !, X = Y, match(PRest, SRest).
match(List, [Y|Rest]) :- nonvar(Y), Y = star(X), concat(X, SRest, List), match(SRest, Rest).
match([X|PRest], [Y|SRest]) :- ( atom(X) -> X = Y ; match(X, Y) ), match(PRest, SRest).
concat([], L, L).
concat([X|L1], L2, [X|L3]) :- concat(L1, L2, L3).
%?- init(10, 5, 4, [[a, a, a, b, b], [a, a, b, b, [a, a], [b, b]]], Symbols), investigate(Symbols, [[star(_), b, star(_), b, a], [star(_), star(_), [star(_)]]]), length(Symbols, N).
%?- match([a, b, c], [star(X), c]).
