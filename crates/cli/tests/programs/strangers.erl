%% Functions and processes that nobody knows.
-module(strangers).
-export([calls/2, sends/2]).

calls(F, X) when X > 3 -> F(X);
calls(_, X) -> X + 1.

sends(P, X) when X > 3 -> P ! X, sent;
sends(_, X) -> {small, X}.
