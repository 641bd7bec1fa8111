:- use_module(words).
:- begin_tests(words).
test(count, Ps == ["a"-2,"b"-1]) :- words:count("a b, A.", Ps).
test(freq, V == 2) :- freq("x y x", A), get_assoc("x", A, V).
test(top, T == ["x"-3,"y"-2]) :- top("x y x y x z", 2, T).
test(top_all, T == ["x"-1]) :- top("x", 5, T).
test(cap, C == "Hello") :- capitalize("hello", C).
test(acr, A == 'PNG') :- acronym("Portable Network Graphics", A).
test(acr2, A == 'CMOS') :- acronym("complementary metal-oxide semiconductor", A).
test(pig, [nondet, P == appleay]) :- pig(apple, P).
test(pig2, P == eenquay) :- pig(queen, P).
test(pig3, all(P == [oolschay])) :- pig(school, P).
test(none, fail) :- capitalize("", _).
test(pigs, [forall(member(W-P, [igloo-iglooay, pig-igpay, thrush-ushthray])), true(X == P), nondet]) :- pig(W, X).
:- end_tests(words).
