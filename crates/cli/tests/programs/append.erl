-module(append).
-export([main/1]).

main(X) -> app(X, X).

app([], Y) -> Y;
app([H | T], Y) -> [H | app(T, Y)].
