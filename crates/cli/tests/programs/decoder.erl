-module(decoder).
-export([count/2]).

-type code() :: {leaf, char()} | {node, code(), code()}.

%% How many characters the bits stand for. A code of one leaf says nothing: there is no end to what is
%% read from no bits.
-spec count(code(), [0 | 1]) -> non_neg_integer().
count(Code, Bits) -> count(Code, Code, Bits, 0).

count(Root, {leaf, _}, Bits, N) -> count(Root, Root, Bits, N + 1);
count(Root, {node, Left, _}, [0 | Bits], N) -> count(Root, Left, Bits, N);
count(Root, {node, _, Right}, [1 | Bits], N) -> count(Root, Right, Bits, N);
count(Root, Root, [], N) -> N.
