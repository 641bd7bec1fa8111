t(f(x)). t([a, b|c]). t(a+b*c-(d-e)). t((a :- b, c ; d -> e)). t(f(A, _, A)). t("str"). t('hello world'). t(- 1). t(-(1)).
t(\+ a). t(1 - -1). t(a =.. b). t({x, y}).
t([aaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccccccccccccccccccc, dddd|tail]).
t(foo(aaaaaaaaaaaaaaaaaaaaaaaaaaa, bar(bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccccccccccccccccccc, [dddd, eeeeeeeeeeeeeeeeeeeeeeeeeeeee, fffffffffffffffffffffffffffff]))).
t((aaaaaaaaaaaaaaaaaaaaaaaaaaa :- bbbbbbbbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccccccccccc, ddddddddddddddddddddddd(X, _, X))).
t(aaaaaaaaaaaaaaaaaaaaaaaaaaa+bbbbbbbbbbbbbbbbbbbbbbbbbbbb+cccccccccccccccccccccccc+ddddddddddddddddddddddd(X, _, X)).
t(x-(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa ; bbbbbbbbbbbbbbbbbbbbbbbbbbbbb ; cccccccccccccccccccccccc ; ddddddddddddddddddddddd)).
t(\+ fooooooooooooooooooooooooooooooooooooooo(aaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb)).
t(f(-(1), - a, 1-2, a:b:c, (a, b), (:-), [(a :- b)], '$VAR'(3))).
%?- forall(t(T), ( print_term(T, []), nl )).
%?- forall(t(T), ( print_term(T, [right_margin(30), tab_width(0)]), nl )).
%?- forall(t(T), ( print_term(f(T), [indent_arguments(4), right_margin(40)]), nl )).
%?- print_term(f([1, 2]), [fullstop(true), nl(true)]).
