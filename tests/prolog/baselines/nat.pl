nat(0).
nat(s(X)) :- nat(X).
