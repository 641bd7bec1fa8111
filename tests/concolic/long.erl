%% Runs with more choices than are kept end as any others.
-module(long).
-export([bytes/1, words/1, items/1]).

bytes(B) -> bytes(B, 0).

bytes(<<C, Rest/binary>>, N) when C =/= 255 -> bytes(Rest, N + 1);
bytes(<<>>, N) -> N.

words(B) -> words(B, 0).

words(<<C/utf8, Rest/binary>>, N) -> words(Rest, N + C);
words(<<>>, N) -> N.

items([H | T]) when H > 0 -> 1 + items(T);
items([]) -> 0.
