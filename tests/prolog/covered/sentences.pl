s(s(NP, VP)) --> np(Num, NP), vp(Num, VP).
np(Num, np(D, N)) --> det(Num, D), n(Num, N).
np(sg, np(PN)) --> pn(PN).
vp(Num, vp(V)) --> iv(Num, V).
vp(Num, vp(V, NP)) --> tv(Num, V), np(_, NP).
det(sg, d(a)) --> [a].
det(_, d(the)) --> [the].
n(sg, n(dog)) --> [dog].
n(pl, n(dogs)) --> [dogs].
pn(pn(mary)) --> [mary].
iv(sg, v(sleeps)) --> [sleeps].
iv(pl, v(sleep)) --> [sleep].
tv(sg, v(sees)) --> [sees].
tv(pl, v(see)) --> [see].
parse(Text, Tree) :- split_string(Text, " ", " .", Ws), maplist([S, A]>>atom_string(A, S), Ws, As), phrase(s(Tree), As).
question(Q, Answer) :- phrase(q(Goal), Q), ( call(Goal) -> Answer = yes ; Answer = no ).
q(G) --> [is], name(X), adj(X, G).
q(likes(X, Y)) --> [does], name(X), [like], name(Y).
name(ann) --> [ann].
name(bob) --> [bob].
adj(X, tall(X)) --> [tall].
adj(X, happy(X)) --> [happy].
tall(ann).
happy(bob).
likes(ann, bob).
