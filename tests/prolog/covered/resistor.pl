color_code(Color, Code) :- nth0(Code, [black,brown,red,orange,yellow,green,blue,violet,grey,white], Color).
value([A,B|_], V) :- color_code(A, X), color_code(B, Y), V is X * 10 + Y.
label([A,B,C|_], S) :- value([A,B], V), color_code(C, Z), N is V * 10 ** Z, unit(N, S).
unit(N, S) :- N >= 1000000, !, M is N // 1000000, format(string(S), "~w megaohms", [M]).
unit(N, S) :- N >= 1000, !, M is N // 1000, format(string(S), "~w kiloohms", [M]).
unit(N, S) :- format(string(S), "~w ohms", [N]).
