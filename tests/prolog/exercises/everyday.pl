:- use_module(library(dcg/basics)).
:- use_module(library(dcg/high_order)).
:- use_module(library(yall)).
:- use_module(library(apply_macros)).
:- use_module(library(aggregate)).
:- use_module(library(solution_sequences)).
:- use_module(library(assoc)).
:- use_module(library(pairs)).
:- use_module(library(readutil)).
csv(Rows) --> sequence(row, "\n", Rows).
row(Fs) --> sequence(field, ",", Fs).
field(F) --> string_without(`,\n`, Cs), { atom_codes(F, Cs) }.
kv(K-V) --> blanks, string_without(`=`, KC), "=", blanks, number(V), { atom_codes(K, KC) }.
ints(L) --> integer(X), ( "," -> ints(T), { L = [X|T] } ; { L = [X] } ).
age(peter, 7). age(ann, 11). age(pat, 8). age(tom, 5). age(mike, 11).
double(X, Y) :- Y is X*2.
words(S, Ws) :- split_string(S, " \t", " \t.,", Ws0), exclude(==(""), Ws0, Ws).
freq(L, F) :- foldl([X,A0,A]>>( get_assoc(X,A0,N) -> N1 is N+1, put_assoc(X,A0,N1,A) ; put_assoc(X,A0,1,A) ), L, t, A1), assoc_to_list(A1, F).
compose(F, G, X, Y) :- call(G, X, Z), call(F, Z, Y).
:- op(700, xfx, ===>).
:- op(200, xfy, **).
rule(a ===> b).
count_to(N) :- between(1, N, X), format("~d ", [X]), X >= N, !, nl.
msg(X) :- catch(risky(X), Err, handle(Err)).
risky(1) :- throw(custom(one)).
risky(2) :- atom_length(_, _).
risky(3) :- X is foo + 1, print(X).
risky(4) :- undefined_pred_x.
risky(5) :- arg(a, f(x), _).
risky(6) :- atom_codes(_, _).
risky(7) :- number_codes(X, "abc"), print(X).
risky(8) :- X = f(X, Y), Y = 1, print(X).
handle(custom(X)) :- !, format("custom ~w~n", [X]).
handle(error(E, _)) :- format("error ~q~n", [E]).
stack_push(X) :- nb_getval(st, S), nb_setval(st, [X|S]).
acc(N, S) :- acc(N, 0, S).
acc(0, S, S) :- !.
acc(N, A, S) :- A1 is A+N, N1 is N-1, acc(N1, A1, S).
%?- phrase(csv(R), `a,b\n1,2`)
%?- phrase(kv(X), ` foo= 12`)
%?- phrase(ints(L), `1,22,-3`)
%?- phrase((whites, integer(X), blanks_to_nl), `  42  \n`)
%?- phrase((string(S), "b", remainder(R)), `abc`), atom_codes(A, S), atom_codes(B, R)
%?- phrase(xinteger(X), `ff`)
%?- phrase(float(X), `3.14`)
%?- phrase(number(X), `1e10`)
%?- phrase(digits(D), `123`), atom_codes(A, D)
%?- phrase(sequence(digit, Ds), `12`), atom_codes(A, Ds)
%?- phrase(prolog_symbol(S), `:-`)
%?- phrase(csyms, `abc_1`)
%?- phrase(optional("a", []), ``)
%?- phrase(foreach(member(X,[1,2,3]), integer(X), ","), L), atom_codes(A, L)
%?- aggregate_all(max(A-N), age(N,A), M)
%?- findall(N-A, order_by([asc(A),desc(N)], age(N,A)), L)
%?- findall(A, distinct(A, age(_,A)), L)
%?- findall(N, limit(2, offset(1, age(N,_))), L)
%?- aggregate(count, N^age(N,A), C)
%?- aggregate(bag(N), age(N,A), C)
%?- setof(A-N, age(N,A), [_-Youngest|_])
%?- bagof(N, A^age(N,A), L)
%?- maplist(double, [1,2,3], L)
%?- maplist([X,Y]>>double(X,Y), [1,2,3], L)
%?- words("The quick, brown fox.", W)
%?- freq([a,b,a,c,a], F)
%?- maplist(compose(double, succ), [1,2], L)
%?- rule(X ===> Y)
%?- X = (a ===> b), writeq(X)
%?- count_to(3)
%?- forall(between(1, 8, X), msg(X))
%?- nb_setval(st, []), stack_push(a), stack_push(b), nb_getval(st, S)
%?- string_concat(abc, X, abcdef)
%?- sub_atom(hello, 1, 3, A, S)
%?- atomic_list_concat(L, ',', 'a,b,c')
%?- atomic_list_concat([a,1,"s",2.5], X)
%?- split_string("/home//jan///nice/path", "/", "", L)
%?- sort(1, @>=, [f(1,a),f(2,b),f(1,c)], L)
%?- pairs_keys_values(P, [a,b], [1,2]), transpose_pairs(P, T)
%?- nb_setval(x, 1), b_setval(x, 2), b_getval(x, V)
%?- string_code(1, "abc", C), char_code(Ch, C)
%?- sumlist([1,2,3], S), max_list([1,5,2], M), nth0(1, [a,b], E0), nth1(1, [a,b], E1), last([1,2,3], La)
%?- length(L, 2), L = [a|_]
%?- tab(2), print(hello), nl, print("str"), nl, write_canonical('A b'), nl
%?- read_term_from_atom('foo(X, Y, "s")', T, []), arg(1, T, A)
%?- sformat(S, "~w", [x]) ; true
%?- succ_throw(1) ; true
%?- catch(succ(X, 0), E, true)
%?- string_lower("HeLLo", L), string_upper("HeLLo", U)
%?- char_type(a, to_lower(X)), upcase_atom(hello, Y)
%?- nb_setval(cnt, 0), forall(member(_, [a,b,c]), (nb_getval(cnt, C), C1 is C+1, nb_setval(cnt, C1))), nb_getval(cnt, V)
%?- findall(X-Y, (member(X,[1,2]), (X =:= 1 -> Y = one ; Y = other)), L)
%?- copy_term([X,Y,X,f(Y)], L)
%?- tabling ; true
%?- foldl([X,A,B]>>(B is max(X,A)), [3,1,4,1,5], 0, M)
%?- aggregate_all(count, member(_, [a,b]), N), aggregate_all(sum(X), member(X, [1,2,3]), S)
%?- partition([X]>>(X < 3), [1,2,3,4], I, O)
%?- nth0(I, [a,b,c], c)
%?- sumlist([0.1,0.2,0.3], S)
%?- X = "a string", string(X), string_length(X, L), sub_string(X, 2, 6, _, S)
%?- format("~t~2f~10|~t~s~10+~n", [3.14159, `abc`])
%?- string_chars(S, [h,i]), string_codes(S, C), string_to_atom(S, A), number_string(N, "42")
%?- once(member(X, [1,2])), ignore(fail), \+ fail, forall(fail, true)
%?- call_with_inference_limit(true, 1000, R)
%?- setof(K-Vs, setof(V, member(K-V, [a-1,b-2,a-0]), Vs), L)
%?- list_to_ord_set([c,a,b,a], S), ord_union(S, [d], U), ord_subtract(U, [a], D), ord_memberchk(b, D)
%?- number_vars(f(X,Y)) ; numbervars(f(X,Y), 0, End), print(f(X,Y))
%?- unify_with_occurs_check(X, f(X)) ; true
%?- ground(f(a)), term_variables(f(X,g(Y,X)), Vs), compound_name_arguments(T, foo, [1,2])
%?- T =.. [foo,1,2], functor(T, N, A), arg(1, T, X), setarg(1, T, z), nb_setarg(2, T, y)
%?- assertz(dyn(1)), assertz(dyn(2)), retract(dyn(1)), findall(X, dyn(X), L)
%?- string_codes("abc", L), maplist([C,D]>>(D is C+1), L, M), atom_codes(A, M)
