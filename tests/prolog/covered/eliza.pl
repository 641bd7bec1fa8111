reply(Ws, R) :- rule(P, R0), match(P, Ws), !, R = R0.
rule([i,am,_], [why,are,you]).
rule([you|_], [do,not,talk,about,me]).
rule(_, [go,on]).
match([], []).
match([W|Ps], [W|Ws]) :- match(Ps, Ws).
