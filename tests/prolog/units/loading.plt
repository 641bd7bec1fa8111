:- use_module(library(random)).
:- use_module(library(readutil)).
:- use_module(library(apply_macros)).
:- use_module(library(yall)).
:- use_module(library(aggregate)).
:- use_module(library(option)).
:- use_module(library(pairs)).
:- use_module(library(gensym)).
:- use_module(library(debug)).
:- use_module(library(ugraphs)).
:- set_prolog_flag(double_quotes, codes).
digits([D|T]) --> digit(D), digits(T).
digits([D]) --> digit(D).
digit(D) --> [D], { code_type(D, digit) }.
:- set_prolog_flag(double_quotes, string).
:- if(current_prolog_flag(bounded, false)).
big(X) :- X is 2 ** 100.
:- else.
big(0).
:- endif.
:- initialization(nb_setval(started, yes)).
user:portray(secret(_)) :- write('<hidden>').
:- multifile user:portray/1.
:- dynamic seen/1.
term_expansion(gen(N), [gen_fact(N), gen_fact(M)]) :- M is N * 10.
gen(1).
gen(2).
goal_expansion(twice(X, Y), Y is X * 2).
tw(X, Y) :- twice(X, Y).
:- begin_tests(misc).
test(big, X == 1267650600228229401496703205376) :- big(X).
test(dig, [nondet, D == [0'1, 0'2]]) :- phrase(digits(D), [0'1, 0'2]).
test(init, V == yes) :- nb_getval(started, V).
test(portray, S == "<hidden>") :- with_output_to(string(S), print(secret(1))).
test(te, all(X == [1,10,2,20])) :- gen_fact(X).
test(ge, Y == 8) :- tw(4, Y).
test(gs, true) :- gensym(a, X), gensym(a, Y), X \== Y.
test(opt, V-W == 3-d) :- option(a(V), [a(3), b(4)]), option(c(W), [a(3)], d).
test(sel, R == [b(4)]) :- select_option(a(_), [a(3), b(4)], R).
test(ug, L == [1,2,3]) :- vertices_edges_to_ugraph([], [1-2,2-3], G), top_sort(G, L).
test(agg, M == 3) :- aggregate_all(max(X), member(X, [1,3,2]), M).
test(mustbe, error(type_error(list, a))) :- must_be(list, a).
test(mustbe2, error(instantiation_error)) :- must_be(integer, _).
test(mustbe3, error(domain_error(between(1,3), 5))) :- must_be(between(1,3), 5).
test(mustbe4, error(type_error(oneof([a,b]), c))) :- must_be(oneof([a,b]), c).
test(mustbe5, error(domain_error(oneof([a,b]), c))) :- must_be(oneof([a,b]), c).
test(isof) :- is_of_type(positive_integer, 3), \+ is_of_type(list(integer), [a]).
test(string_interp, S == "a 1 b") :- format(string(S), "a ~w b", [1]).
test(succ_or, X == 4) :- succ(3, X).
test(tab, S == "   x") :- with_output_to(string(S), (tab(3), write(x))).
test(ex, E == caught(1)) :- catch(findall(X, (member(X, [1,2]), throw(caught(X))), _), E, true).
test(fa) :- forall(member(X, [2,4]), X mod 2 =:= 0).
test(foldl, S == 6) :- foldl([X,A,B]>>(B is A+X), [1,2,3], 0, S).
test(sumsq, X == 14) :- aggregate_all(sum(Y), (member(Z,[1,2,3]), Y is Z*Z), X).
test(strcode, C == 0'b) :- string_code(2, "abc", C).
test(nb, X == [c,b,a]) :- nb_setval(acc, []), forall(member(E,[a,b,c]), (nb_getval(acc,A), nb_setval(acc,[E|A]))), nb_getval(acc, X).
test(read, T == foo(bar)) :- term_to_atom(T, 'foo(bar)').
test(seq, L == [1,3,5]) :- numlist(1,5,N), include([X]>>(X mod 2 =:= 1), N, L).
:- end_tests(misc).
