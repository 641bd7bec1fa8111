verse(0, "No more bottles") :- !.
verse(N, V) :- bottles(N, B), N1 is N - 1, bottles(N1, B1), format(string(V), "~w on the wall, take one, ~w left", [B, B1]).
bottles(0, "no more bottles").
bottles(1, "1 bottle").
bottles(N, S) :- N > 1, format(string(S), "~d bottles", N).
song(N, N, [V]) :- !, verse(N, V).
song(From, To, [V|Vs]) :- From > To, verse(From, V), F1 is From - 1, song(F1, To, Vs).
