% What SWI-Prolog has in its core and is written in Prolog here: control inside called goals, all
% solutions, and builtins with more than one answer. Loaded into the module system.

% Control constructs of goals that are called: arguments, module, and what a cut goes back to.
'$and'(A, B, M, C) :- '$body'(A, M, C), '$body'(B, M, C).
'$or'(A, _, M, C) :- '$body'(A, M, C).
'$or'(_, B, M, C) :- '$body'(B, M, C).
'$then'(I, T, M, C) :- ( call(M:I) -> '$body'(T, M, C) ).
'$if'(I, T, E, M, C) :- ( call(M:I) -> '$body'(T, M, C) ; '$body'(E, M, C) ).
'$soft'(I, T, M, C) :- call(M:I), '$body'(T, M, C).
'$soft_if'(I, T, E, M, C) :- ( call(M:I) *-> '$body'(T, M, C) ; '$body'(E, M, C) ).
'$not'(G, M, _) :- \+ call(M:G).

:- meta_predicate once(0), ignore(0), forall(0, 0), findall(?, 0, -), findall(?, 0, -, ?),
    bagof(?, ^, -), setof(?, ^, -), ^(?, 0), not(0), apply(:, +), call_cleanup(0, 0),
    setup_call_cleanup(0, 0, 0), findnsols(+, ?, 0, -), with_output_to(?, 0), retract(:),
    clause(:, ?), clause(:, ?, ?), predicate_property(:, ?), current_predicate(:), phrase(//, ?),
    phrase(//, ?, ?), freeze(?, 0), format(+, +, :), notrace(0), catch_with_backtrace(0, ?, 0), '$sig_atomic'(0), initialization(0), initialization(0, +),
    call_dcg(//, ?, ?).

once(G) :- call(G), !.
ignore(G) :- ( call(G) -> true ; true ).
not(G) :- \+ call(G).
forall(C, A) :- \+ ( call(C), \+ call(A) ).
_ ^ G :- call(G).
apply(G, Extra) :- strip_module(G, M, P), P =.. L0, '$append'(L0, Extra, L1), T =.. L1, call(M:T).
catch_with_backtrace(G, E, R) :- catch(G, E, R).
'$sig_atomic'(G) :- once(G).
notrace(G) :- once(G).
initialization(G) :- ignore(G).
initialization(_, _).

setup_call_cleanup(S, G, C) :- once(S), '$call_cleanup'(G, C).
call_cleanup(G, C) :- '$call_cleanup'(G, C).

findall(T, G, L) :- findall(T, G, L, []).
findall(T, G, L, Tail) :-
    '$check_partial_list'(L),
    '$findall_start',
    ( call(G), '$findall_add'(T) ; '$findall_collect'(L, Tail) ).

findnsols(N, T, G, L) :- findall(T, G, L0), '$first'(N, L0, L).
'$first'(0, _, []) :- !.
'$first'(_, [], []) :- !.
'$first'(N, [X|Xs], [X|Ys]) :- N1 is N - 1, '$first'(N1, Xs, Ys).

bagof(T, G0, L) :-
    '$free_variables'(T^G0, G, W),
    (   W == v
    ->  findall(T, G, L0), L0 \== [], L = L0
    ;   findall(W-T, G, Pairs), Pairs \== [],
        '$bind_same'(Pairs, W),
        keysort(Pairs, Sorted),
        '$bags'(Sorted, W, L)
    ).
setof(T, G0, S) :-
    '$free_variables'(T^G0, G, W),
    (   W == v
    ->  findall(T, G, L), L \== [], sort(L, S)
    ;   findall(W-T, G, Pairs), Pairs \== [],
        '$bind_same'(Pairs, W),
        sort(Pairs, Sorted),
        '$bags'(Sorted, W, L),
        sort(L, S)
    ).
% Answers whose free variables are equal up to naming belong together.
'$bind_same'(_, _).
'$bags'(Sorted, W, L) :-
    '$bag'(Sorted, W0, L0, Rest),
    (   Rest == []
    ->  W = W0, L = L0
    ;   ( W = W0, L = L0 ; '$bags'(Rest, W, L) )
    ).
'$bag'([W-T|More], W, [T|Ts], Rest) :- '$same_bag'(More, W, Ts, Rest).
'$same_bag'([W0-T|More], W, [T|Ts], Rest) :- W0 =@= W, !, W0 = W, '$same_bag'(More, W, Ts, Rest).
'$same_bag'([P|More], W, Ts, [P|Rest]) :- !, '$same_bag'(More, W, Ts, Rest).
'$same_bag'([], _, [], []).

'$append'([], L, L).
'$append'([X|Xs], L, [X|Ys]) :- '$append'(Xs, L, Ys).
'$member'(X, [Y|Ys]) :- '$member_'(Ys, X, Y).
'$member_'(_, X, X).
'$member_'([Y|Ys], X, _) :- '$member_'(Ys, X, Y).
'$last'([X|Xs], L) :- '$last_'(Xs, X, L).
'$last_'([], L, L).
'$last_'([X|Xs], _, L) :- '$last_'(Xs, X, L).

'$seek_list'(N, _, _, _) :-
    N > 9223372036854775807, !,
    throw(error(representation_error(int64_t), _)).
'$seek_list'(N, L, RN, RL) :-
    (   N > 0, nonvar(L), L = [_|T]
    ->  N1 is N - 1, '$seek_list'(N1, T, RN, RL)
    ;   RN = N, RL = L
    ).

'$arg'(N, T, A, Count) :- '$between'(1, Count, N), arg(N, T, A).

length(List, Length) :-
    '$skip_list'(N, List, Tail),
    (   var(Tail), var(Length), Tail \== Length
    ->  '$enumerate'(N, Length, Tail)
    ;   var(Tail), Tail == Length
    ->  throw(error(resource_error(infinite_list), _))
    ;   '$length'(List, Length)
    ).
'$enumerate'(N, N, []).
'$enumerate'(N, Length, [_|Tail]) :- N1 is N + 1, '$enumerate'(N1, Length, Tail).

between(L, H, X) :-
    '$must_be_integer'(L),
    ( H == inf -> true ; H == infinite -> true ; '$must_be_integer'(H) ),
    (   integer(X) -> X >= L, ( atom(H) -> true ; X =< H )
    ;   var(X) -> ( atom(H) -> '$from'(L, X) ; L =< H, '$between'(L, H, X) )
    ;   '$must_be_integer'(X)
    ).
'$must_be_integer'(X) :- integer(X), !.
'$must_be_integer'(X) :- var(X), !, throw(error(instantiation_error, _)).
'$must_be_integer'(X) :- throw(error(type_error(integer, X), _)).
'$between'(L, L, X) :- !, X = L.
'$between'(L, _, L).
'$between'(L, H, X) :- L1 is L + 1, '$between'(L1, H, X).
'$from'(L, L).
'$from'(L, X) :- L1 is L + 1, '$from'(L1, X).
repeat.
repeat :- repeat.

atom_concat(A, B, C) :- '$concat_any'(atom, A, B, C).
string_concat(A, B, C) :- '$concat_any'(string, A, B, C).
text_concat(A, B, C) :- ( string(A) -> K = string ; string(B) -> K = string ; string(C) -> K = string ; K = atom ), '$concat_any'(K, A, B, C).
'$concat_any'(K, A, B, C) :- nonvar(A), nonvar(B), !, '$concat'(K, A, B, C).
'$concat_any'(K, A, B, C) :- nonvar(C), !, '$splits'(K, C, _, Splits), '$concat_parts'(K, A, B, Splits).
'$concat_any'(_, _, _, _) :- throw(error(instantiation_error, _)).
'$concat_parts'(K, A, B, Splits) :- nonvar(A), !, '$as'(K, A, A1), '$memberchk_pair'(A1, B, Splits).
'$concat_parts'(K, A, B, Splits) :- nonvar(B), !, '$as'(K, B, B1), '$memberchk_second'(A, B1, Splits).
'$concat_parts'(_, A, B, Splits) :- '$member'(A-B, Splits).
'$memberchk_pair'(A, B, [A0-B0|_]) :- A0 == A, !, B = B0.
'$memberchk_pair'(A, B, [_|S]) :- '$memberchk_pair'(A, B, S).
'$memberchk_second'(A, B, [A0-B0|_]) :- B0 == B, !, A = A0.
'$memberchk_second'(A, B, [_|S]) :- '$memberchk_second'(A, B, S).
'$as'(atom, X, A) :- ( atom(X) -> A = X ; atomic(X) -> atom_string(A, X) ; throw(error(type_error(atomic, X), _)) ).
'$as'(string, X, S) :- ( string(X) -> S = X ; atomic(X) -> text_to_string(X, S) ; throw(error(type_error(atomic, X), _)) ).

sub_atom(A, B, L, R, S) :- '$slices'(atom, A, B, L, R, S, Found), '$slice'(Found, B, L, R, S).
sub_string(A, B, L, R, S) :- '$slices'(string, A, B, L, R, S, Found), '$slice'(Found, B, L, R, S).
'$slice'([s(B0, L0, R0, S0)|Rest], B, L, R, S) :-
    (   Rest == [] -> B = B0, L = L0, R = R0, S = S0
    ;   ( B = B0, L = L0, R = R0, S = S0 ; '$slice'(Rest, B, L, R, S) )
    ).

clause(H, B) :- '$clauses'(H, B, access, Refs), '$member'(R, Refs), '$clause'(R, H, B).
clause(H, B, R) :- nonvar(R), !, '$clause'(R, H, B).
clause(H, B, R) :- '$clauses'(H, B, access, Refs), '$member'(R, Refs), '$clause'(R, H, B).
retract(C) :-
    strip_module(C, M, P),
    ( nonvar(P), P = (H :- B) -> true ; H = P, B = true ),
    '$clauses'(M:H, B, modify, Refs),
    '$member'(R, Refs),
    '$clause'(R, M:H, B),
    '$erase'(R).

current_op(P, T, N) :-
    ( var(P) -> true ; integer(P) -> true ; throw(error(type_error(integer, P), _)) ),
    ( var(T) -> true ; atom(T) -> true ; throw(error(type_error(atom, T), _)) ),
    ( var(N) -> true ; atom(N) -> true ; throw(error(type_error(atom, N), _)) ),
    '$ops'(Ops), '$member'(op(P, T, N), Ops).
current_prolog_flag(F, V) :- nonvar(F), !, '$flag'(F, V).
current_prolog_flag(F, V) :- '$member'(F, [bounded, max_integer, min_integer, double_quotes, unknown]), '$flag'(F, V).

current_predicate(Spec) :-
    strip_module(Spec, M, P),
    (   nonvar(P), P = N/A -> true ; var(P) -> P = N/A ; throw(error(type_error(predicate_indicator, P), _)) ),
    '$procedures'(M, L), '$member'(N/A, L).
current_predicate(N, Head) :-
    strip_module(Head, M, H),
    (   nonvar(H) -> functor(H, N, A), '$procedures'(M, L), memberchk(N/A, L)
    ;   '$procedures'(M, L), '$member'(N/A, L), functor(H, N, A)
    ).
predicate_property(H, P) :-
    nonvar(P), functor(P, Name, _), ( P =.. [_, V] -> true ; V = [] ), '$predicate'(H, Name, V).
predicate_property(H, P) :-
    var(P), '$member'(P, [defined, dynamic, static, built_in, visible]), '$predicate'(H, P, []).

phrase(G, L) :- phrase(G, L, []).
phrase(G, L, R) :-
    strip_module(G, M, P),
    ( var(P) -> throw(error(instantiation_error, _)) ; callable(P) -> true ; string(P) -> true ; throw(error(type_error(callable, P), _)) ),
    '$phrase_list'(L), '$phrase_list'(R),
    '$dcg_call'(P, M, L, R).
call_dcg(G, L, R) :- strip_module(G, M, P), '$dcg_call'(P, M, L, R).
'$phrase_list'(L) :- ( var(L) -> true ; L = [_|_] -> true ; L == [] -> true ; throw(error(type_error(list, L), _)) ).
'$dcg_call'(P, M, L, R) :- dcg_translate_rule(('$dcg' --> P), ('$dcg'(S0, S) :- B)), S0 = L, S = R, call(M:B).

with_output_to(Sink, G) :-
    ( var(Sink) -> throw(error(instantiation_error, _)) ; true ),
    ( compound(Sink), functor(Sink, Kind, 1), '$sink'(Kind) -> arg(1, Sink, Text) ; throw(error(domain_error(output_sink, Sink), _)) ),
    '$capture',
    (   catch(G, E, true)
    ->  '$captured'(Kind, T0), ( nonvar(E) -> throw(E) ; Text = T0 )
    ;   '$captured'(Kind, _), fail
    ).
'$sink'(atom).
'$sink'(string).
'$sink'(codes).
'$sink'(chars).
format(Sink, F, Args0) :-
    strip_module(Args0, _, Args),
    (   compound(Sink), functor(Sink, Kind, 1), '$sink'(Kind)
    ->  '$capture', arg(1, Sink, Text),
        catch(format(F, Args), E, true),
        '$captured'(Kind, T0),
        ( nonvar(E) -> throw(E) ; Text = T0 )
    ;   '$format_stream'(Sink, F, Args)
    ).
sformat(S, F, A) :- format(string(S), F, A).
term_string(S, T, _) :- term_string(S, T).
read_term_from_atom(A, T, _) :- term_to_atom(T, A).
read_term(_, T, O) :- read_term(T, O).
read(_, T) :- read(T).

char_type(C, T) :- '$char_class'(C, T, char).
code_type(C, T) :- '$char_class'(C, T, code).
'$char_class'(C, T, Kind) :-
    ( var(C) -> '$between'(0, 255, Code), char_code(Char, Code), ( Kind == char -> C = Char ; C = Code )
    ; integer(C) -> Code = C ; char_code(C, Code) ),
    (   var(T) -> '$member'(T, [alnum, alpha, csym, csymf, ascii, white, cntrl, digit(_), space, end_of_line, lower, upper, punct, graph, print, period, quote, paren]) ; true ),
    (   atom(T) -> '$char_type'(Code, T, [])
    ;   T =.. [Name, A],
        ( Name == digit -> '$char_type'(Code, digit, A)
        ; Name == xdigit -> '$char_type'(Code, xdigit, A)
        ; '$char_type'(Code, Name, A0), ( Kind == char -> char_code(A, A0) ; A = A0 ) )
    ).

% Variables with attributes.
'$wakeup'([]).
'$wakeup'([wake(Atts, Value)|Rest]) :- '$wake'(Atts, Value), '$wakeup'(Rest).
'$wake'([], _).
'$wake'(att(Module, Value, More), Other) :-
    ( Module == freeze -> '$unfreeze'(Other, Value) ; Module:attr_unify_hook(Value, Other) ),
    '$wake'(More, Other).
'$unfreeze'(Other, Goal) :-
    (   attvar(Other), get_attr(Other, freeze, G2) -> put_attr(Other, freeze, '$and'(G2, Goal))
    ;   var(Other) -> put_attr(Other, freeze, Goal)
    ;   '$run_frozen'(Goal)
    ).
'$run_frozen'('$and'(A, B)) :- !, '$run_frozen'(A), '$run_frozen'(B).
'$run_frozen'(G) :- call(G).
freeze(V, G) :-
    (   var(V)
    ->  ( get_attr(V, freeze, Old) -> put_attr(V, freeze, '$and'(Old, G)) ; put_attr(V, freeze, G) )
    ;   call(G)
    ).
frozen(V, G) :- ( attvar(V), get_attr(V, freeze, G0) -> G = G0 ; G = true ).
get_attrs(V, As) :- '$get_attrs'(V, As).

% Attributes as goals: those of the attribute's module say what they mean, others are put back.
copy_term(Term, Copy, Goals) :-
    term_attvars(Term, Vars),
    (   Vars == []
    ->  Goals = [], copy_term(Term, Copy)
    ;   findall(Term-Goals0, ( '$attribute_goals'(Vars, Goals0, []), '$forget_attributes'(Vars) ), [Copy-Goals])
    ).
'$attribute_goals'([], Goals, Goals).
'$attribute_goals'([V|Vs], Goals, Rest) :-
    ( '$get_attrs'(V, As) -> '$one_by_one'(As, V, Goals, Goals1) ; Goals = Goals1 ),
    '$attribute_goals'(Vs, Goals1, Rest).
'$one_by_one'([], _, Goals, Goals).
'$one_by_one'(att(Module, Value, More), V, Goals, Rest) :-
    (   Module == freeze
    ->  '$frozen_goals'(Value, V, Goals, Goals1)
    ;   '$has_hook'(Module), phrase(Module:attribute_goals(V), Goals, Goals1)
    ->  true
    ;   Goals = [put_attr(V, Module, Value)|Goals1]
    ),
    '$one_by_one'(More, V, Goals1, Rest).
'$has_hook'(Module) :- current_predicate(Module:attribute_goals/3), !.
'$frozen_goals'('$and'(A, B), V, Goals, Rest) :- !,
    '$frozen_goals'(A, V, Goals, Goals1), '$frozen_goals'(B, V, Goals1, Rest).
'$frozen_goals'(G0, V, [freeze(V, G)|Rest], Rest) :- ( G0 = user:G -> true ; G = G0 ).
'$forget_attributes'([]).
'$forget_attributes'([V|Vs]) :- del_attrs(V), '$forget_attributes'(Vs).

% What is left to hold of the variables of a query: one goal per attribute.
'$constraints'(Vars, Goals) :-
    term_attvars(Vars, Attributed),
    ( Attributed == [] -> Goals = [] ; copy_term(Attributed, Attributed, Goals) ).

tab(_, N) :- tab(N).
thread_self(main).
'$type_error'(T, V) :- throw(error(type_error(T, V), _)).
'$domain_error'(T, V) :- throw(error(domain_error(T, V), _)).
'$instantiation_error'(_) :- throw(error(instantiation_error, _)).
'$existence_error'(T, V) :- throw(error(existence_error(T, V), _)).
'$permission_error'(A, T, V) :- throw(error(permission_error(A, T, V), _)).
prolog_flag(F, V) :- current_prolog_flag(F, V).
