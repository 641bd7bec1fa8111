transform(Old, New) :- findall(L-S, (member(S-Ls, Old), member(U, Ls), downcase_atom(U, L)), Ps), sort(Ps, New).
