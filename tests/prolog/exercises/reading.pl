:- use_module(library(readutil)).
lines(Text, Ls) :- open_string(Text, S), read_lines(S, Ls).
read_lines(S, Ls) :- read_line_to_string(S, L), ( L == end_of_file -> Ls = [] ; Ls = [L|Rest], read_lines(S, Rest) ).
terms(Text, Ts) :- open_string(Text, S), read_terms(S, Ts).
read_terms(S, Ts) :- read(S, T), ( T == end_of_file -> Ts = [] ; Ts = [T|Rest], read_terms(S, Rest) ).
chars(Text, Cs) :- open_string(Text, S), get_chars(S, Cs).
get_chars(S, Cs) :- get_char(S, C), ( C == end_of_file -> Cs = [] ; Cs = [C|R], get_chars(S, R) ).
peeks(C, D, E, F) :- open_string("ab", S), peek_char(S, C), get_char(S, D), get_char(S, E), get_char(S, F), at_end_of_stream(S).
all_codes(A) :- open_string("a b", S), read_stream_to_codes(S, Cs), atom_codes(A, Cs).
three(A, B, C) :- open_string("l1\nl2\n", S), read_line_to_codes(S, A), read_line_to_codes(S, B), read_line_to_codes(S, C).
two(T, V, U) :- open_string("x(Y). y.", S), read_term(S, T, [variable_names(V)]), read_term(S, U, []), close(S).
fields(A, B, C) :- open_string("ab, c ;d", S), read_string(S, ",;", " ", X, A), read_string(S, ",;", " ", Y, B), read_string(S, ",;", " ", Z, D), C = [X, Y, Z, D].
%?- peeks(C, D, E, F).
%?- all_codes(A).
%?- three(A, B, C).
%?- two(T, V, U).
%?- fields(A, B, C).
%?- lines("a\nb c\n\nd", L).
%?- lines("", L).
%?- terms("foo(X, Y). bar. 'B'(1). % c\n", L).
%?- catch(terms("foo( .", L), error(syntax_error(E), _), true).
%?- chars("héy", L).
%?- term_to_atom(T, 'p(X, Y, X)'), T = p(A, B, C), A == C.
%?- term_string(T, "a + b * c"), T = A + B.
%?- atom_to_term('f(X, Y, X)', T, Bs).
%?- read_term_from_atom('hello(World)', T, []).
%?- sformat(S, "x~w", [1]), string(S).
%?- X = 0x1F, Y = 0b101, Z = 0o17, W = 0'a, V = 1_000_000, U = 1.5e3, T = "s", S = 'q', R = `c`, Q = 1r3.
%?- catch(atom_to_term('foo(', T, B), error(syntax_error(E), _), true).
%?- catch(term_to_atom(T, 'a b'), error(syntax_error(E), _), true).
%?- catch(number_codes(X, "3."), error(syntax_error(E), _), true).
