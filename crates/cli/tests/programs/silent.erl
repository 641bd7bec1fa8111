%% Exports nothing.
-module(silent).
-compile(nowarn_unused_function).
f() -> ok.
