create(Dir, pos(X, Y), robot(Dir, X, Y)).
move(R, "", R) :- !.
move(R0, Is, R) :- string_chars(Is, Cs), foldl(step, Cs, R0, R).
step('L', robot(D, X, Y), robot(N, X, Y)) :- right(N, D).
step('R', robot(D, X, Y), robot(N, X, Y)) :- right(D, N).
step('A', robot(north, X, Y), robot(north, X, Y1)) :- Y1 is Y + 1.
step('A', robot(south, X, Y), robot(south, X, Y1)) :- Y1 is Y - 1.
step('A', robot(east, X, Y), robot(east, X1, Y)) :- X1 is X + 1.
step('A', robot(west, X, Y), robot(west, X1, Y)) :- X1 is X - 1.
right(north, east). right(east, south). right(south, west). right(west, north).
