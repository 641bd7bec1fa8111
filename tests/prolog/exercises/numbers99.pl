is_prime(2).
is_prime(3).
is_prime(P) :- integer(P), P > 3, P mod 2 =\= 0, \+ has_factor(P, 3).
has_factor(N, L) :- N mod L =:= 0.
has_factor(N, L) :- L * L < N, L2 is L + 2, has_factor(N, L2).
prime_factors(N, L) :- N > 0, prime_factors(N, L, 2).
prime_factors(1, [], _) :- !.
prime_factors(N, [F|L], F) :- R is N // F, N =:= R * F, !, prime_factors(R, L, F).
prime_factors(N, L, F) :- next_factor(N, F, NF), prime_factors(N, L, NF).
next_factor(_, 2, 3) :- !.
next_factor(N, F, NF) :- F * F < N, !, NF is F + 2.
next_factor(N, _, N).
my_gcd(X, 0, X) :- X > 0.
my_gcd(X, Y, G) :- Y > 0, Z is X mod Y, my_gcd(Y, Z, G).
coprime(X, Y) :- my_gcd(X, Y, 1).
totient_phi(1, 1) :- !.
totient_phi(M, Phi) :- aggregate_all(count, ( between(1, M, K), gcd(K, M) =:= 1 ), Phi).
goldbach(4, [2, 2]) :- !.
goldbach(N, L) :- N mod 2 =:= 0, N > 4, goldbach(N, L, 3).
goldbach(N, [P, Q], P) :- Q is N - P, is_prime(Q), !.
goldbach(N, L, P) :- P < N, next_prime(P, P1), goldbach(N, L, P1).
next_prime(P, P1) :- P1 is P + 2, is_prime(P1), !.
next_prime(P, P1) :- P2 is P + 2, next_prime(P2, P1).
collatz(1, [1]) :- !.
collatz(N, [N|T]) :- ( N mod 2 =:= 0 -> M is N // 2 ; M is 3 * N + 1 ), collatz(M, T).
fizz(N) :- forall(between(1, N, X), ( fizz(X, S), format("~w ", [S]) )), nl.
fizz(X, 'FizzBuzz') :- 0 =:= X mod 15, !.
fizz(X, 'Fizz') :- 0 =:= X mod 3, !.
fizz(X, 'Buzz') :- 0 =:= X mod 5, !.
fizz(X, X).
perfect(N) :- findall(D, ( between(1, N, D), D < N, N mod D =:= 0 ), Ds), sum_list(Ds, N).
%?- prime_factors(315, L).
%?- my_gcd(36, 63, G).
%?- totient_phi(10, Phi).
%?- goldbach(28, L).
%?- collatz(6, L).
%?- fizz(15).
%?- between(1, 500, N), perfect(N).
%?- X is 2 ** 100.
%?- X is 7 / 2, Y is 7 // 2, Z is -7 // 2, W is -7 mod 2.
%?- is_prime(X).
