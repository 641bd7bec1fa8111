primes(Limit, []) :- Limit < 2, !.
primes(Limit, Primes) :- numlist(2, Limit, Ns), sieve(Ns, Primes).
sieve([], []).
sieve([P|Ns], [P|Ps]) :- exclude([N]>>(0 is N mod P), Ns, Rest), sieve(Rest, Ps).
