% One test for many inputs.
fizz(N, X) :- ( N mod 15 =:= 0 -> X = fizzbuzz ; N mod 5 =:= 0 -> X = buzz ; N mod 3 =:= 0 -> X = fizz ; X = N ).
gcd(A, 0, A) :- !.
gcd(A, B, G) :- C is A mod B, gcd(B, C, G).
:- begin_tests(forall_kinds).
test(fizz, [forall(member(N-X, [1-1, 3-fizz, 5-buzz, 30-fizzbuzz])), true(Y == X)]) :- fizz(N, Y).
test(fizz_wrong, [forall(member(N-X, [3-fizz, 4-buzz])), true(Y == X)]) :- fizz(N, Y).
test(gcd, [forall(( member(A, [6, 9]), member(B, [4, 15]) )), true(G =:= H)]) :- gcd(A, B, G), H is gcd(A, B).
test(fails, [forall(member(X, [a, b])), fail]) :- X == c.
test(throws, [forall(member(X, [a, f(x)])), error(type_error(evaluable, _))]) :- _ is X.
test(none, [forall(fail)]) :- fail.
test(all, [forall(member(L, [[1, 2], []])), all(X == L)]) :- member(X, L).
test(choice, [forall(member(X, [1, 2]))]) :- member(_, [X, X]).
:- end_tests(forall_kinds).
