% A puzzle by search, and one by constraints.
:- use_module(library(clpfd)).
move(s(W, W, G, C), s(O, O, G, C)) :- other(W, O).
move(s(F, W, F, C), s(O, W, O, C)) :- other(F, O).
move(s(F, W, G, F), s(O, W, G, O)) :- other(F, O).
move(s(F, W, G, C), s(O, W, G, C)) :- other(F, O).
other(east, west).
other(west, east).
unsafe(s(F, W, W, _)) :- F \== W.
unsafe(s(F, _, G, G)) :- F \== G.
path(S, S, P, P).
path(S, E, Seen, P) :- move(S, N), \+ unsafe(N), \+ memberchk(N, Seen), path(N, E, [N|Seen], P).
cross(N) :- S = s(east, east, east, east), E = s(west, west, west, west), path(S, E, [S], P), length(P, N).
money([S,E,N,D] + [M,O,R,E] = [M,O,N,E,Y]) :-
    Vs = [S,E,N,D,M,O,R,Y], Vs ins 0..9, all_different(Vs), S #\= 0, M #\= 0,
    S*1000 + E*100 + N*10 + D + M*1000 + O*100 + R*10 + E #= M*10000 + O*1000 + N*100 + E*10 + Y,
    label(Vs).
:- begin_tests(puzzle).
test(cross, [nondet, N == 8]) :- cross(N).
test(ways, N == 2) :- aggregate_all(count, cross(8), N).
test(money, P == ([9,5,6,7] + [1,0,8,5] = [1,0,6,5,2])) :- money(P).
test(stuck, fail) :- money([1|_] + _ = _).
:- end_tests(puzzle).
