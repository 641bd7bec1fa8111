-module(append).
-export([main/1]).

-spec main([a | b | c]) -> [a | b | c].
main(X) -> app(X, X).

app([], Y) -> Y;
app([H | T], Y) -> [H | app(T, Y)].
