is_prime(2).
is_prime(3).
is_prime(P) :- integer(P), P > 3, P mod 2 =\= 0, \+ has_factor(P, 3).
has_factor(N, L) :- N mod L =:= 0.
has_factor(N, L) :- L * L < N, L2 is L + 2, has_factor(N, L2).
gcd(X, 0, X) :- X > 0.
gcd(X, Y, G) :- Y > 0, Z is X mod Y, gcd(Y, Z, G).
coprime(X, Y) :- gcd(X, Y, 1).
prime_factors(N, L) :- N > 0, prime_factors(N, L, 2).
prime_factors(1, [], _) :- !.
prime_factors(N, [F|L], F) :- R is N // F, N =:= R * F, !, prime_factors(R, L, F).
prime_factors(N, L, F) :- next_factor(N, F, NF), prime_factors(N, L, NF).
next_factor(_, 2, 3) :- !.
next_factor(N, F, NF) :- F * F < N, !, NF is F + 2.
next_factor(N, _, N).
totient_phi(1, 1) :- !.
totient_phi(M, Phi) :- t_phi(M, Phi, 1, 0).
t_phi(M, Phi, M, Phi) :- !.
t_phi(M, Phi, K, C) :- K < M, coprime(K, M), !, C1 is C + 1, K1 is K + 1, t_phi(M, Phi, K1, C1).
t_phi(M, Phi, K, C) :- K < M, K1 is K + 1, t_phi(M, Phi, K1, C).
