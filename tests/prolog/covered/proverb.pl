recite([], []).
recite([H|T], Lines) :- lines([H|T], Ls), format(string(Last), "And all for the want of a ~w.", [H]), append(Ls, [Last], Lines).
lines([_], []).
lines([A,B|T], [L|Ls]) :- format(string(L), "For want of a ~w the ~w was lost.", [A, B]), lines([B|T], Ls).
