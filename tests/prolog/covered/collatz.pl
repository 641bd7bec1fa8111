collatz_steps(N, Steps) :- N > 0, collatz(N, 0, Steps).
collatz(1, S, S) :- !.
collatz(N, S0, S) :- N mod 2 =:= 0, !, N1 is N // 2, S1 is S0 + 1, collatz(N1, S1, S).
collatz(N, S0, S) :- N1 is 3*N + 1, S1 is S0 + 1, collatz(N1, S1, S).
