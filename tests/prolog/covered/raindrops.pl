convert(N, Sounds) :-
    findall(S, (sound(D, S), 0 is N mod D), Ss),
    ( Ss == [] -> number_string(N, Sounds0), Sounds = Sounds0 ; atomic_list_concat(Ss, A), atom_string(A, Sounds) ).
sound(3, "Pling").
sound(5, "Plang").
sound(7, "Plong").
