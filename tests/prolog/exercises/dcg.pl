:- use_module(library(dcg/basics)).
:- use_module(library(dcg/high_order)).
sentence(s(NP, VP)) --> np(NP, Num), vp(VP, Num).
np(np(D, N), Num) --> det(D, Num), noun(N, Num).
vp(vp(V, NP), Num) --> verb(V, Num), np(NP, _).
vp(vp(V), Num) --> verb(V, Num).
det(d(the), _) --> [the].
det(d(a), sg) --> [a].
noun(n(cat), sg) --> [cat].
noun(n(cats), pl) --> [cats].
noun(n(dog), sg) --> [dog].
verb(v(sees), sg) --> [sees].
verb(v(see), pl) --> [see].
expr(E) --> term(T), expr_rest(T, E).
expr_rest(A, E) --> blanks, "+", blanks, !, term(T), expr_rest(A + T, E).
expr_rest(A, E) --> blanks, "-", blanks, !, term(T), expr_rest(A - T, E).
expr_rest(E, E) --> [].
term(T) --> factor(F), term_rest(F, T).
term_rest(A, T) --> blanks, "*", blanks, !, factor(F), term_rest(A * F, T).
term_rest(T, T) --> [].
factor(N) --> integer(N), !.
factor(V) --> csym_(Cs), !, { atom_codes(V, Cs) }.
factor(E) --> "(", blanks, expr(E), blanks, ")".
csym_([C|Cs]) --> [C], { code_type(C, alpha) }, csyms_(Cs).
csyms_([C|Cs]) --> [C], { code_type(C, alnum) }, !, csyms_(Cs).
csyms_([]) --> [].
csv_line(Fields) --> sequence(field, ",", Fields).
field(F) --> string_without(`,`, Cs), { atom_codes(F, Cs) }.
json(N) --> number(N), !.
json(S) --> "\"", !, string_without(`"`, Cs), "\"", { string_codes(S, Cs) }.
json(L) --> "[", !, sequence(json, ",", L), "]".
json(obj(Ps)) --> "{", sequence(pair, ",", Ps), "}".
pair(K-V) --> "\"", string_without(`"`, Cs), "\":", { atom_codes(K, Cs) }, json(V).
count([]) --> [].
count([X|Xs]) --> [X], count(Xs).
anbncn(N) --> as(N), bs(N), cs(N).
as(0) --> [].
as(N) --> [a], as(M), { N is M + 1 }.
bs(0) --> [].
bs(N) --> { N > 0 }, [b], { M is N - 1 }, bs(M).
cs(0) --> [].
cs(N) --> { N > 0 }, [c], { M is N - 1 }, cs(M).
greeting --> \+ [bye], [X], { atom(X) }, call(rest).
rest(S, S).
%?- phrase(sentence(T), [the, cat, sees, a, dog]).
%?- phrase(sentence(_), [the, cats, sees, a, dog]).
%?- findall(S, phrase(sentence(_), S), Ss), length(Ss, N).
%?- phrase(expr(E), `1 + 2*(x - 3)`).
%?- phrase(csv_line(F), `a,b c,,d`).
%?- phrase(json(J), `{"a":[1,2.5,"x"],"b":{}}`).
%?- phrase(anbncn(2), [a, a, b, b, c, c]).
%?- phrase(greeting, [hello]).
%?- phrase(integer(X), `42abc`, R), atom_codes(A, R).
%?- phrase((whites, nonblanks(W), blanks), `  foo `), atom_codes(A, W).
%?- phrase(number(X), `-1.5e3`).
%?- phrase(xinteger(X), `ff`).
%?- phrase(count(L), [a, b]).
%?- phrase(foo, [a]).
%?- phrase(("ab", [X]), `abc`).
