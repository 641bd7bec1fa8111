:- module(counter, [next/1, current/1, memo_fib/2, gensym_like/2, push/1, pop/1, top/1]).
:- dynamic counter/1, memo/2, stack/1.
next(N) :- retract(counter(C)), !, N is C + 1, assertz(counter(N)).
next(1) :- assertz(counter(1)).
current(N) :- counter(N), !.
current(0).
memo_fib(N, F) :- memo(N, F), !.
memo_fib(N, N) :- N < 2, !.
memo_fib(N, F) :- A is N - 1, B is N - 2, memo_fib(A, FA), memo_fib(B, FB), F is FA + FB, assertz(memo(N, F)).
gensym_like(Base, Sym) :- next(N), atom_concat(Base, N, Sym).
push(X) :- asserta(stack(X)).
pop(X) :- retract(stack(X)), !.
pop(_) :- throw(empty_stack).
top(X) :- stack(Y), !, X = Y.
