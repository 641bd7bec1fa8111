gift(1, first, "a Partridge"). gift(2, second, "two Turtle Doves"). gift(3, third, "three French Hens").
recite(S, E, Vs) :- findall(V, (between(S, E, N), verse(N, V)), Vs).
verse(N, V) :- gift(N, Ord, _), findall(G, (between(1, N, I), gift(I, _, G)), Gs0), reverse(Gs0, Gs), join(Gs, T), format(string(V), "On the ~w day: ~w.", [Ord, T]).
join([G], G) :- !.
join([G, L], T) :- !, string_concat(G, ", and ", T0), string_concat(T0, L, T).
join([G|Gs], T) :- join(Gs, T0), string_concat(G, ", ", T1), string_concat(T1, T0, T).
