table(Rows) :- forall(member(Name-Qty-Price, Rows), format("~w~t~12|~t~d~18|~t~2f~28|~n", [Name, Qty, Price])).
tree(T) :- tree(T, 0).
tree(leaf(X), I) :- format("~*c~w~n", [I, 0' , X]).
tree(node(X, L, R), I) :- format("~*c~w~n", [I, 0' , X]), J is I + 2, tree(L, J), tree(R, J).
%?- table([apple-3-1.5, pear-12-0.25, pineapple-100-12.333]).
%?- tree(node(a, leaf(b), node(c, leaf(d), leaf(e)))).
%?- format("~a ~w ~q ~p~n", [abc, 'A b', 'A b', 'A b']).
%?- format("~e ~4e ~g ~0f ~3d ~D~n", [1.5, 2.25, 3.0, 2.5, 12345, 1234567]).
%?- format("~s ~i~w ~c~c ~8r ~16r ~8|x~n", ["abc", skipped, shown, 0'h, 0'i, 64, 255]).
%?- format("~`-t~40|~n~t~w~t~40|~n~`-t~40|~n", [centred]).
%?- print_message_lines(user_output, kind(none), []).
%?- writeq(f(-1, - 1, 1 - 1, a - (-1), -(-(1)), -a, \+ a, [a, b|c], {x, y}, 'hello world', "str", 'don''t')), nl.
%?- writeq([a = b, (a :- b, c), (a -> b ; c), [(a, b)], f((a :- b)), (:- a), \+ (a, b), - (1), 1 - (2 - 3), (1 - 2) - 3, (a , b)]), nl.
%?- print(1.0), nl, print(1.0e10), nl, print(-0.0), nl, print(123456789012345678901234567890), nl, print(1.5e-7), nl.
%?- write_canonical([a, 'B', "c", 1.5, f(x)]), nl, write_term([1, 2], [spacing(next_argument)]), nl.
%?- with_output_to(string(S), ( write(a), write(' '), writeq('B') )), string_length(S, N).
%?- format(atom(A), "~w-~w", [x, y]), format(string(S), "~t~w~5|", [ab]), format(codes(C), "z", []).
%?- forall(member(X, [1, 10, 100]), format("~t~w~5|~n", [X])).
%?- writeq(- - a), writeq(\ \ a), writeq(1 = :- ), nl ; nl.
%?- writeq(['\t', '\n', 'a\\b', '', [], {}, '[]', '{}', ;, !, (','), '|', 'éa', 'Éa', aB, 'B', '_x', a1, 'a.b', +, '+a', (dynamic), (:-)]), nl.
%?- writeq(f(;, (a ; b), [a | b], (a | b))), nl.
%?- writeq({a}), writeq({a, b}), writeq('{}'(x, y)), writeq(-(3)), writeq(-(3.0)), writeq(-(a)), writeq(1 - -3), writeq(2 - (-3)), nl.
%?- writeq(a:b:c), writeq((a:b):c), writeq(x is 1 + 2 * 3), writeq((1 + 2) * 3), writeq(-(2) ^ 2), writeq((-2) ^ 2), writeq(- (2 ^ 2)), nl.
%?- writeq([p :- q, r --> s, (a , b), ?- x]), nl ; nl.
%?- writeq("a\"b\\c\n"), writeq('a''b'), writeq('\e'), nl.
