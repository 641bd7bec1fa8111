-module(decoder).
-export([decode/2]).

-type code() :: {leaf, char()} | {node, code(), code()}.

%% A code of one leaf says nothing: there is no end to what is read from no bits.
-spec decode(code(), [0 | 1]) -> string().
decode(Code, Bits) -> decode(Code, Code, Bits).

decode(Root, {leaf, C}, Bits) -> [C | decode(Root, Root, Bits)];
decode(Root, {node, Left, _}, [0 | Bits]) -> decode(Root, Left, Bits);
decode(Root, {node, _, Right}, [1 | Bits]) -> decode(Root, Right, Bits);
decode(Root, Root, []) -> [].
