% Circuits of NAND gates, by iterative deepening over straight-line programs, as bit vectors.
:- use_module(library(lists)).
inputs([0b0011, 0b0101]).
target(and, 0b0001). target(or, 0b0111). target(xor, 0b0110). target(not_a, 0b1100). target(nor, 0b1000). target(never, 0b0000).
nand(A, B, C) :- C is \ (A /\ B) /\ 0b1111.
search(Name, Size, Gates) :-
    target(Name, T), inputs(In), between(0, 6, Size), grow(Size, In, T, [], Rev), !, reverse(Rev, Gates).
grow(0, Known, T, Gates, Gates) :- memberchk(T, Known).
grow(N, Known, T, Gates0, Gates) :-
    N > 0, M is N - 1,
    length(Known, Len),
    nth1(I, Known, A), between(I, Len, J), nth1(J, Known, B),
    nand(A, B, C), \+ memberchk(C, Known),
    append(Known, [C], More),
    grow(M, More, T, [nand(I, J)|Gates0], Gates).
%?- search(and, N, G).
%?- search(or, N, G).
%?- search(xor, N, G).
%?- search(not_a, N, G).
%?- search(never, N, G).
%?- forall(target(T, _), ( search(T, N, _), format("~w ~w~n", [T, N]) )).
