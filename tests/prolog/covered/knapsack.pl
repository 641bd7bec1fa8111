maximum_value(Cap, Items, Max) :- findall(V, fill(Cap, Items, V), Vs), max_list(Vs, Max).
fill(_, [], 0).
fill(C, [item(W, V)|Is], T) :- W =< C, C1 is C - W, fill(C1, Is, T0), T is T0 + V.
fill(C, [_|Is], T) :- fill(C, Is, T).
