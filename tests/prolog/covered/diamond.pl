diamond(Letter, Rows) :-
    char_code(Letter, Code), N is Code - 0'A, N >= 0, N =< 25,
    findall(R, (between(0, N, I), row(N, I, R)), Top),
    reverse(Top, [_|Bottom]), append(Top, Bottom, Rows).
row(N, 0, R) :- !, pad(N, P), atomic_list_concat([P, 'A', P], R).
row(N, I, R) :- O is N - I, J is 2*I - 1, pad(O, P), pad(J, Q), C is 0'A + I, char_code(L, C), atomic_list_concat([P, L, Q, L, P], R).
pad(N, P) :- length(L, N), maplist(=(' '), L), atom_chars(P, L).
