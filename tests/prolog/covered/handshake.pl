commands(N, Cs) :- findall(C, (action(B, C), N /\ B > 0), L), ( N /\ 16 > 0 -> reverse(L, Cs) ; Cs = L ).
action(1, "wink").
action(2, "double blink").
action(4, "close your eyes").
action(8, "jump").
