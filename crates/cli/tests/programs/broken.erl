-module(broken).
-export([f/0]).
f() -> X.
