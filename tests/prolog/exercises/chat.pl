% Questions in English over a small geography: lexicon, grammar with agreement, logical form, answer.
:- set_prolog_flag(double_quotes, codes).
country(france, europe, 55). country(spain, europe, 50). country(italy, europe, 60).
country(chad, africa, 16). country(peru, america, 33). country(chile, america, 19).
borders(france, spain). borders(france, italy). borders(peru, chile).
capital(france, paris). capital(spain, madrid). capital(italy, rome). capital(peru, lima).
border(X, Y) :- borders(X, Y).
border(X, Y) :- borders(Y, X).
tokens([T|Ts]) --> blanks, word(Cs), { Cs = [_|_], !, atom_codes(T, Cs) }, tokens(Ts).
tokens([]) --> blanks, ( "?" ; [] ).
blanks --> [C], { code_type(C, space) }, !, blanks.
blanks --> [].
word([C|Cs]) --> [C], { code_type(C, alpha) }, !, word(Cs).
word([]) --> [].
question(answer(X, P)) --> [what], verb_be(N), noun_phrase(N, X, true, P).
question(answer(X, (P, Q))) --> [which], noun(N, X, P), verb_phrase(N, X, Q).
question(answer(yes, P)) --> [does], proper(X), verb(plural, X, Y, P), proper(Y).
question(count(X, (P, Q))) --> [how, many], noun(plural, X, P), verb_phrase(plural, X, Q).
verb_be(singular) --> [is].
verb_be(plural) --> [are].
noun_phrase(_, X, true, X = Y) --> proper(Y).
noun_phrase(N, X, P0, P) --> [the], noun(N, X, Q), relation(X, conj(P0, Q), P).
relation(X, conj(P0, Q), P) --> [of], proper(Y), { of(Q, X, Y, R), simplify((P0, R), P) }.
relation(X, conj(P0, Q), P) --> [in], proper(Y), { simplify((P0, Q, country(X, Y, _)), P) }.
relation(X, conj(P0, Q), P) --> [that], verb(plural, X, Y, R), proper(Y), { simplify((P0, Q, R), P) }.
of(capital_of(X), X, Y, capital(Y, X)).
simplify((true, A), B) :- !, simplify(A, B).
simplify((A, true), B) :- !, simplify(A, B).
simplify(A, A).
noun(singular, X, capital_of(X)) --> [capital].
noun(singular, X, country(X, _, _)) --> [country].
noun(plural, X, country(X, _, _)) --> [countries].
verb_phrase(N, X, P) --> verb(N, X, Y, P), proper(Y).
verb_phrase(N, X, country(X, Y, _)) --> verb_be(N), [in], proper(Y).
verb_phrase(plural, X, (country(X, _, M), M > 40)) --> [are, large].
verb_phrase(singular, X, (country(X, _, M), M > 40)) --> [is, large].
verb(singular, X, Y, border(X, Y)) --> [borders].
verb(plural, X, Y, border(X, Y)) --> [border].
proper(X) --> [X], { place(X) }.
place(X) :- country(X, _, _).
place(X) :- country(_, X, _), !.
ask(Text, Answer) :-
    atom_codes(Text, Codes), phrase(tokens(Ts), Codes), phrase(question(Q), Ts), !, reply(Q, Answer).
reply(answer(yes, P), A) :- !, ( call(P) -> A = yes ; A = no ).
reply(answer(X, P), A) :- ( setof(X, P^P, A) -> true ; findall(X, P, L), sort(L, A) ).
reply(count(X, P), N) :- findall(X, P, L), sort(L, S), length(S, N).
%?- ask('what is the capital of france?', A).
%?- ask('which countries border france', A).
%?- ask('which country borders chile?', A).
%?- ask('which countries are in europe', A).
%?- ask('what are the countries in america', A).
%?- ask('does peru border chile?', A).
%?- ask('does peru border spain?', A).
%?- ask('how many countries are large', A).
%?- ask('what are the countries that border france?', A).
%?- ask('which countries borders france', A).
%?- atom_codes('  one two? ', Cs), phrase(tokens(Ts), Cs).
