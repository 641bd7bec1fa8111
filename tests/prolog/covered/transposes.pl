transpose_str(Lines, Out) :- maplist(string_chars, Lines, Rows), maplist(length, Rows, Ls), max_list([0|Ls], Max), maplist(pad(Max), Rows, Ps), cols(Max, Ps, Cs), maplist([C,S]>>string_chars(S, C), Cs, Out).
pad(N, R, P) :- length(R, L), K is N - L, length(S, K), maplist(=(' '), S), append(R, S, P).
cols(0, _, []) :- !.
cols(N, Rows, [C|Cs]) :- maplist([[X|Xs],X,Xs]>>true, Rows, C, Rest), N1 is N - 1, cols(N1, Rest, Cs).
