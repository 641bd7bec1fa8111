% print_term/2 with the layout of SWI-Prolog, whose own library needs dicts.
:- module(prolog_pretty_print, [print_term/2]).
:- use_module(library(option)).

% print_term(+Term, +Options): a term that is too wide for the line is broken at arguments, elements and
% operators. What every part needs to know is at(Indent, Priority, Depth); Depth is what is left of
% max_depth, or infinite.
print_term(Term, Options) :-
    select_option(write_options(Own), Options, Others, []),
    merge_options(Own, [quoted(true), numbervars(true), portray(true), attributes(portray)], Write),
    merge_options(Others, [output(user_output), indent_arguments(auto), operators(true), tab_width(8)], Known),
    option(right_margin(Margin), Known, 72),
    (   var(Margin) -> Margin = 72 ; true ),
    option(left_margin(Indent), Known, 0),
    option(max_depth(Depth), Write, infinite),
    Settings = [right_margin(Margin), write_options(Write)|Known],
    \+ \+ print_whole(Term, at(Indent, 1200, Depth), Settings).

print_whole(Term, At, Options) :-
    copy_term(Term, Copy, Constraints),
    numbervars(Copy+Constraints, 0, _, [singletons(true)]),
    pp(Copy, At, Options),
    option(output(Out), Options),
    print_constraints(Constraints, At, Out, Options),
    ( option(fullstop(true), Options) -> put_char(Out, '.') ; true ),
    ( option(nl(true), Options) -> nl(Out) ; true ).

print_constraints([], _, _, _) :- !.
print_constraints(Constraints, at(Indent, P, Depth), Out, Options) :-
    format(Out, ', % with constraints', []),
    Inside is Indent + 4,
    print_each(Constraints, Inside, at(Inside, P, Depth), Out, Options).

print_each([C|Cs], Indent, At, Out, Options) :-
    new_line(Indent, Out, Options),
    pp(C, At, Options),
    ( Cs == [] -> true ; write(Out, ','), print_each(Cs, Indent, At, Out, Options) ).

pp(Term, at(_, _, Depth), Options) :-
    ( \+ compound(Term) ; Term = '$VAR'(Name), ( integer(Name) ; atom(Name) ) ),
    !,
    plain(Term, Depth, Options).
pp(Term, _, Options) :-
    option(write_options(Write), Options),
    option(portray(true), Write),
    option(output(Out), Options),
    predicate_property(user:portray(_), defined),
    with_output_to(Out, user:portray(Term)),
    !.
pp([X|Xs], At, Options) :- !, pp_list([X|Xs], At, Options).
pp(Term, At, Options) :-
    option(operators(true), Options),
    compound_name_arity(Term, Name, Arity),
    current_op(Priority, Type, Name),
    operands(Type, Arity, Kind, Priority, Left, Right),
    !,
    pp_operator(Kind, Term, Name, op(Priority, Left, Right), At, Options).
pp(Term, at(Indent, _, Depth), Options) :-
    option(indent_arguments(Style), Options),
    (   stays_on_line(Style, Term, Indent, Options)
    ->  plain(Term, Depth, Options)
    ;   option(output(Out), Options),
        compound_name_arguments(Term, Name, Args),
        format(atom(Start), '~q(', [Name]),
        write(Out, Start),
        atom_length(Start, Width),
        (   integer(Style)
        ->  Inside is Indent + Style,
            ( Width > Style -> new_line(Inside, Out, Options) ; true )
        ;   Inside is Indent + Width
        ),
        less_deep(Depth, Depth1),
        pp_arguments(Args, at(Inside, 999, Depth1), Out, Options),
        write(Out, ')')
    ).

pp_list(List, at(Indent, _, Depth), Options) :-
    option(indent_arguments(Style), Options),
    (   stays_on_line(Style, List, Indent, Options)
    ->  plain(List, Depth, Options)
    ;   option(output(Out), Options),
        write(Out, '[ '),
        Inside is Indent + 2,
        pp_elements(List, at(Inside, 999, Depth), Out, Options),
        new_line(Indent, Out, Options),
        write(Out, ']')
    ).

pp_elements(_, at(_, _, 0), Out, _) :- !, write(Out, '...').
pp_elements([X|Xs], at(Indent, P, Depth0), Out, Options) :-
    less_deep(Depth0, Depth),
    At = at(Indent, P, Depth),
    pp(X, At, Options),
    (   Xs == []
    ->  true
    ;   nonvar(Xs), Xs = [_|_]
    ->  write(Out, ','),
        new_line(Indent, Out, Options),
        pp_elements(Xs, At, Out, Options)
    ;   Before is Indent - 2,
        new_line(Before, Out, Options),
        write(Out, '| '),
        pp(Xs, At, Options)
    ).

pp_arguments([], _, _, _).
pp_arguments([X|Xs], At, Out, Options) :-
    pp(X, At, Options),
    (   Xs == []
    ->  true
    ;   At = at(Indent, _, _),
        write(Out, ','),
        new_line(Indent, Out, Options),
        pp_arguments(Xs, At, Out, Options)
    ).

pp_operator(prefix, Term, Name, op(Priority, _, Right), at(Indent, Outside, Depth0), Options) :-
    option(output(Out), Options),
    less_deep(Depth0, Depth),
    arg(1, Term, Arg),
    written_op(Name, Text),
    operand_text(Arg, Right, Options, ArgText),
    ( ( spaced(Name) ; apart(Name, Text, ArgText) ) -> Space = ' ' ; Space = '' ),
    ( Outside >= Priority -> Open = '', Close = '' ; Open = '(', Close = ')' ),
    atomic_list_concat([Open, Text, Space], Start),
    write(Out, Start),
    atom_length(Start, Width),
    Inside is Indent + Width,
    pp(Arg, at(Inside, Right, Depth), Options),
    write(Out, Close).
pp_operator(postfix, Term, Name, op(Priority, Left, _), at(Indent, Outside, Depth0), Options) :-
    option(output(Out), Options),
    less_deep(Depth0, Depth),
    arg(1, Term, Arg),
    written_op(Name, Text),
    operand_text(Arg, Left, Options, ArgText),
    ( ( spaced(Name) ; apart(Name, ArgText, Text) ) -> Space = ' ' ; Space = '' ),
    embraced(Outside, Priority, Indent, Inside, Open, Close),
    write(Out, Open),
    pp(Arg, at(Inside, Left, Depth), Options),
    format(Out, '~w~w~w', [Space, Text, Close]).
pp_operator(infix, Term, Name, op(Priority, Left, Right), at(Indent, Outside, Depth0), Options) :-
    option(output(Out), Options),
    less_deep(Depth0, Depth),
    written_op(Name, Text),
    arg(1, Term, Arg1),
    arg(2, Term, Arg2),
    (   is_narrow(Term, Indent, Options)
    ->  operand_text(Arg1, Left, Options, Text1),
        operand_text(Arg2, Right, Options, Text2),
        ( ( spaced(Name) ; apart(Name, Text1, Text) ; apart(Name, Text, Text2) ) -> Space = ' ' ; Space = '' ),
        Chain = []
    ;   ( ( solo(Name) ; spaced(Name) ) -> Space = '' ; Space = ' ' ),
        chain(Term, Name, Chain)
    ),
    % Without parentheses around it a chain is not broken, as on SWI-Prolog.
    (   Chain = [_, _|_], Outside < Priority
    ->  Each is min(Left, Right),
        write(Out, '( '),
        Inside is Indent + 2,
        pp_chain(Chain, Space, Text, at(Inside, Each, Depth), Options),
        new_line(Indent, Out, Options),
        write(Out, ')')
    ;   embraced(Outside, Priority, Indent, Inside, Open, Close),
        write(Out, Open),
        pp(Arg1, at(Inside, Left, Depth), Options),
        format(Out, '~w~w~w', [Space, Text, Space]),
        pp(Arg2, at(Indent, Right, Depth), Options),
        write(Out, Close)
    ).

% Terms joined by the same operator stand below each other.
pp_chain([X|Xs], Space, Text, At, Options) :-
    pp(X, At, Options),
    (   Xs == []
    ->  true
    ;   option(output(Out), Options),
        format(Out, '~w~w', [Space, Text]),
        At = at(Indent, _, _),
        new_line(Indent, Out, Options),
        pp_chain(Xs, Space, Text, At, Options)
    ).

chain(Term, Name, Chain) :-
    (   compound(Term), compound_name_arguments(Term, Name, [Left, Right])
    ->  (   current_op(_, xfy, Name)
        ->  Chain = [Left|Rest], chain(Right, Name, Rest)
        ;   current_op(_, yfx, Name)
        ->  chain(Left, Name, Before), append(Before, [Right], Chain)
        ;   Chain = [Term]
        )
    ;   Chain = [Term]
    ).

embraced(Outside, Priority, Indent, Inside, Open, Close) :-
    (   Outside >= Priority
    ->  Inside = Indent, Open = '', Close = ''
    ;   Inside is Indent + 1, Open = '(', Close = ')'
    ).

operands(fx, 1, prefix, P, _, R) :- R is P - 1.
operands(fy, 1, prefix, P, _, P).
operands(xf, 1, postfix, P, L, _) :- L is P - 1.
operands(yf, 1, postfix, P, P, _).
operands(xfx, 2, infix, P, A, A) :- A is P - 1.
operands(xfy, 2, infix, P, L, P) :- L is P - 1.
operands(yfx, 2, infix, P, P, R) :- R is P - 1.

written_op(Name, Text) :- ( solo(Name) -> Text = Name ; format(atom(Text), '~q', [Name]) ).

operand_text(Term, Priority, Options, Text) :-
    option(write_options(Write), Options),
    format(atom(Text), '~W', [Term, [priority(Priority)|Write]]).

solo(',').
solo(';').
solo('!').
spaced(:-).

% Whether what ends and what begins would be read as one.
apart(Name, Before, After) :-
    \+ solo(Name),
    sub_atom(Before, _, 1, 0, Last),
    sub_atom(After, 0, 1, _, First),
    kind(Last, A),
    kind(First, B),
    \+ joined(A, B).

joined(punct, _) :- !.
joined(_, punct) :- !.
joined(quote(A), quote(B)) :- !, A \== B.
joined(alnum, symbol).
joined(symbol, alnum).

kind(Char, Kind) :-
    (   memberchk(Char, ['"', '''', '`'])
    ->  Kind = quote(Char)
    ;   char_type(Char, prolog_identifier_continue)
    ->  Kind = alnum
    ;   char_type(Char, prolog_symbol)
    ->  Kind = symbol
    ;   Kind = punct
    ).

less_deep(infinite, infinite) :- !.
less_deep(Depth0, Depth) :- Depth is Depth0 - 1.

stays_on_line(false, _, _, _) :- !.
stays_on_line(auto, Term, Indent, Options) :- is_narrow(Term, Indent, Options).

is_narrow(Term, Indent, Options) :-
    option(right_margin(Margin), Options),
    option(write_options(Write), Options),
    write_length(Term, Width, [max_length(Margin)|Write]),
    Indent + Width < Margin.

plain(Term, Depth, Options) :-
    option(output(Out), Options),
    option(write_options(Write), Options),
    (   Depth == infinite
    ->  write_term(Out, Term, Write)
    ;   Depth =< 0
    ->  write(Out, '...')
    ;   write_term(Out, Term, [max_depth(Depth)|Write])
    ).

new_line(Indent, Out, Options) :-
    option(tab_width(Tab), Options, 8),
    nl(Out),
    (   Tab =:= 0
    ->  tab(Out, Indent)
    ;   Tabs is Indent // Tab,
        Spaces is Indent mod Tab,
        forall(between(1, Tabs, _), put_char(Out, '\t')),
        tab(Out, Spaces)
    ).
