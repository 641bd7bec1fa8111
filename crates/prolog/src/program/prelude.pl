% Predicates that SWI-Prolog has in its core and that are written in Prolog here: control inside called goals, all
% solutions, and nondeterministic builtins. Loaded into the module system.

% Control constructs in called goals. Arguments: the subgoals, their module, the number of choice points a cut keeps.
'$and'(A, B, M, C) :- '$body'(A, M, C), '$body'(B, M, C).
'$or'(A, _, M, C) :- '$body'(A, M, C).
'$or'(_, B, M, C) :- '$body'(B, M, C).
'$then'(I, T, M, C) :- ( call(M:I) -> '$body'(T, M, C) ).
'$if'(I, T, E, M, C) :- ( call(M:I) -> '$body'(T, M, C) ; '$body'(E, M, C) ).
'$soft'(I, T, M, C) :- call(M:I), '$body'(T, M, C).
'$soft_if'(I, T, E, M, C) :- ( call(M:I) *-> '$body'(T, M, C) ; '$body'(E, M, C) ).
'$not'(G, M, _) :- \+ call(M:G).

:- meta_predicate '$guard'(+, +, 0), call_with_inference_limit(0, +, -), call_with_time_limit(+, 0), $(0), @(0, +), abolish_table_subgoals(:), call_residue_vars(0, -), once(0), ignore(0), forall(0, 0), findall(?, 0, -), findall(?, 0, -, ?),
    bagof(?, ^, -), setof(?, ^, -), ^(?, 0), not(0), apply(:, +), call_cleanup(0, 0),
    setup_call_cleanup(0, 0, 0), setup_call_catcher_cleanup(0, 0, ?, 0), call_cleanup(0, ?, 0),
    findnsols(+, ?, 0, -), findnsols(+, ?, 0, -, ?), sig_atomic(0), with_mutex(+, 0), at_halt(0),
    use_module(:), use_module(:, +), ensure_loaded(:), consult(:), load_files(:), load_files(:, +), tnot(0), nth_clause(:, ?, ?), copy_predicate_clauses(:, :), with_output_to(?, 0), retract(:), rule(:, -), rule(:, -, -), '$find_predicate'(:, -),
    clause(:, ?), clause(:, ?, ?), predicate_property(:, ?), source_file(:, ?), current_predicate(:), phrase(//, ?),
    phrase(//, ?, ?), freeze(?, 0), format(+, +, :), notrace(0), catch_with_backtrace(0, ?, 0), '$sig_atomic'(0), initialization(0), initialization(0, +),
    call_dcg(//, ?, ?).

once(G) :- call(G), !.
ignore(G) :- ( call(G) -> true ; true ).
not(G) :- \+ call(G).
forall(C, A) :- \+ ( call(C), \+ call(A) ).
_ ^ G :- call(G).
apply(G, Extra) :-
    strip_module(G, M, P),
    (   atom(P) -> compound_name_arguments(T, P, Extra)
    ;   var(P) -> throw(error(instantiation_error, _))
    ;   compound(P) -> compound_name_arguments(P, N, As0), '$append'(As0, Extra, As), compound_name_arguments(T, N, As)
    ;   throw(error(type_error(callable, P), _))
    ),
    call(M:T).
% Calling a list loads files.
[X|Xs] :-
    (   Xs == [] -> consult(user:X)
    ;   is_list(Xs) -> forall('$member'(F, [X|Xs]), catch(consult(user:F), E, print_message(error, E)))
    ;   nonvar(Xs), Xs \= [_|_] -> throw(error(type_error(list, Xs), _))
    ;   consult(user:[X|Xs])
    ).
consult(Files) :- strip_module(Files, M, Fs), '$consult'(Fs, M).
'$consult'(F, _) :- var(F), !, throw(error(instantiation_error, _)).
'$consult'([], _) :- !.
'$consult'([F|Fs], M) :- !, '$consult'(F, M), '$consult'(Fs, M).
'$consult'(M:F, _) :- !, '$consult'(F, M).
'$consult'(F, M) :- number(F), !, atom_number(Name, F), '$use_library'(Name, M).
'$consult'(F, M) :- '$use_library'(F, M).
load_files(Files) :- consult(Files).
load_files(Files, Options) :- '$must_be_list'(Options), consult(Files).
exists_source(Source) :- catch('$use_library'(Source, '$exists'), error(existence_error(_, _), _), fail).
exists_source(Source, Source) :- exists_source(Source).
catch_with_backtrace(G, E, R) :- catch(G, E, R).
'$sig_atomic'(G) :- once(G).
notrace(G) :- once(G).
initialization(G) :- ignore(G).
initialization(_, _).

setup_call_cleanup(S, G, C) :- once(S), '$must_be_goal'(C), '$call_cleanup'(G, _, C).
setup_call_catcher_cleanup(S, G, Catcher, C) :- once(S), '$must_be_goal'(C), '$call_cleanup'(G, Catcher, C).
'$must_be_goal'(G) :-
    strip_module(G, _, P),
    ( var(P) -> throw(error(instantiation_error, _)) ; callable(P) -> true ; throw(error(type_error(callable, P), _)) ).
call_cleanup(G, C) :- '$must_be_goal'(C), '$call_cleanup'(G, _, C).
call_cleanup(G, Catcher, C) :- '$must_be_goal'(C), '$call_cleanup'(G, Catcher, C).
'$run_cleanup'(Reason, Catcher, C) :- ( Catcher = Reason -> ignore(C) ; true ).

% $/1: a goal that must succeed exactly once, without leaving a choice point.
$(G) :-
    (   call_cleanup(G, Det = true)
    *-> ( Det == true -> true ; '$undetermined'(G, nondet) )
    ;   '$undetermined'(G, fail)
    ).
% What comes after `$/0` in a clause of the predicate PI. Last is the predicate of the last call, or none.
($) :- true.
'$guard'(PI, Last, G) :-
    (   call_cleanup(G, Det = true)
    *-> (   Det == true -> true
        ;   Last == none -> '$unguarded'(PI, nondet, guard)
        ;   '$unguarded'(Last, nondet, guard_in_caller)
        )
    ;   '$unguarded'(PI, fail, guard)
    ).
'$unguarded'(PI, How, Where) :- throw(error(determinism_error(PI, det, How, Where), context(PI, _))).
% The check of $/1 for a predicate that is declared det.
'$det'(G) :-
    (   '$call_cleanup'(system:'$det_goal'(G), _, Det = true)
    *-> ( Det == true -> true ; '$undetermined_call'(G, nondet) )
    ;   '$undetermined_call'(G, fail)
    ).
'$undetermined_call'(M:G, How) :-
    functor(G, N, A), ( M == user -> PI = N/A ; PI = M:N/A ),
    throw(error(determinism_error(PI, det, How, property), context(PI, _))).
'$undetermined'(G, How) :- strip_module(G, _, P), throw(error(determinism_error(P, det, How, goal), _)).

% The limit applies until the goal's first answer.
call_with_inference_limit(G, Limit, Result) :-
    '$must_be_integer'(Limit),
    ( Limit > 9223372036854775807 -> throw(error(representation_error(int64_t), _)) ; true ),
    '$limit_start'(Limit, Id),
    (   catch('$limited'(G, Id, Result), E, '$limit_passed'(E, Id, Result))
    *-> true
    ;   '$limit_end'(Id), fail
    ).
'$limited'(G, Id, Result) :- call_cleanup(G, Det = true), '$limit_end'(Id), ( Det == true -> Result = (!) ; Result = true ).
'$limit_passed'(E, Id, Result) :-
    ( E == '$limit_exceeded'(Id) -> Result = inference_limit_exceeded ; '$limit_end'(Id), throw(E) ).
call_with_time_limit(Seconds, G) :-
    Limit is integer(Seconds * 1000000),
    call_with_inference_limit(once(G), Limit, Result),
    ( Result == inference_limit_exceeded -> throw(time_limit_exceeded) ; true ).

findall(T, G, L) :- findall(T, G, L, []).
findall(T, G, L, Tail) :-
    '$findall_start',
    ( call(G), '$findall_add'(T) ; '$findall_collect'(L0, Tail), L = L0 ).

% Answers in portions of N. The state survives backtracking into the goal.
findnsols(N, T, G, L) :- findnsols(N, T, G, L, []).
findnsols(N, T0, G0, L, Tail) :-
    '$must_be_nonneg'(N),
    copy_term(T0-G0, T-G),
    State = state(0, []),
    (   call(G),
        arg(1, State, K0), arg(2, State, Found),
        nb_setarg(2, State, [T|Found]),
        K is K0 + 1,
        nb_setarg(1, State, K),
        K >= N,
        '$portion'(State, L, Tail)
    ;   '$portion'(State, L, Tail)
    ).
'$portion'(State, L, Tail) :-
    arg(2, State, Found),
    nb_setarg(1, State, 0), nb_setarg(2, State, []),
    '$reversed'(Found, Tail, L).
'$reversed'([], L, L).
'$reversed'([X|Xs], L0, L) :- '$reversed'(Xs, [X|L0], L).

bagof(T, G0, L) :-
    '$free_variables'(T^G0, G, W),
    (   W == v
    ->  findall(T, G, L0), L0 \== [], L = L0
    ;   findall(W-T, G, Pairs), Pairs \== [],
        keysort(Pairs, Sorted),
        '$bags'(Sorted, W, L)
    ).
setof(T, G0, S) :-
    '$free_variables'(T^G0, G, W),
    (   W == v
    ->  findall(T, G, L), L \== [], sort(L, S)
    ;   findall(W-T, G, Pairs), Pairs \== [],
        sort(Pairs, Sorted),
        '$bags'(Sorted, W, L),
        sort(L, S)
    ).
% Groups of answers whose free variables are variants of each other.
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
    ->  fail
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
'$must_be_nonneg'(N) :- '$must_be_integer'(N), ( N < 0 -> throw(error(domain_error(not_less_than_zero, N), _)) ; true ).
'$must_be_number'(X) :- ( number(X) -> true ; var(X) -> throw(error(instantiation_error, _)) ; throw(error(type_error(number, X), _)) ).
'$must_be_list'(L) :- ( var(L) -> throw(error(instantiation_error, _)) ; L = [_|_] -> true ; L == [] -> true ; throw(error(type_error(list, L), _)) ).
'$must_be_options'(L) :- '$must_be_list'(L), forall('$member_so_far'(O, L), '$must_be_option'(O)).
'$must_be_option'(O) :- ( var(O) -> throw(error(instantiation_error, _)) ; compound(O), functor(O, _, 1) -> true ; O = (_ = _) -> true ; throw(error(type_error(option, O), _)) ).
'$member_so_far'(X, L) :- nonvar(L), L = [Y|Ys], ( X = Y ; '$member_so_far'(X, Ys) ).
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

atom_concat(A, B, C) :- var(C), atomic(A), atomic(B), A \== [], B \== [], !, '$concat'(atom, A, B, C).
atom_concat(A, B, C) :- '$concat_any'(atom, A, B, C).
string_concat(A, B, C) :- '$concat_any'(string, A, B, C).
'$concat_any'(_, A, B, C) :- '$concat_text'(A), '$concat_text'(B), '$concat_text'(C), fail.
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
'$as'(atom, X, A) :- ( atom(X) -> A = X ; atom_string(A, X) ).
'$as'(string, X, S) :- ( string(X) -> S = X ; number(X) -> number_string(X, S) ; text_to_string(X, S) ).
'$concat_text'(X) :-
    (   var(X) -> true
    ;   X == [] -> throw(error(type_error(atom, X), _))
    ;   atomic(X) -> true
    ;   throw(error(type_error(atomic, X), _))
    ).

sub_atom(A, B, L, R, S) :- '$slices'(atom, A, B, L, R, S, Found), '$slice'(Found, B, L, R, S).
sub_string(A, B, L, R, S) :- '$slices'(string, A, B, L, R, S, Found), '$slice'(Found, B, L, R, S).
'$slice'([s(B0, L0, R0, S0)|Rest], B, L, R, S) :-
    (   Rest == [] -> B = B0, L = L0, R = R0, S = S0
    ;   ( B = B0, L = L0, R = R0, S = S0 ; '$slice'(Rest, B, L, R, S) )
    ).

'$factorize_term'(T, T, []).
clause(H, B) :- '$first_clause'(H, B, access, R0, Rest), '$found_clause'(Rest, R0, R, H, B), '$clause_seen'(R, H, B).
'$found_clause'([], R, R, _, _).
'$found_clause'('$rest'(A, B, C), R0, R, H, Body) :-
    (   R = R0
    ;   '$next_clause'(H, Body, '$rest'(A, B, C), R1, Rest),
        '$found_clause'(Rest, R1, R, H, Body)
    ).
clause(H, B, R) :- nonvar(R), !, '$must_be_ref'(R), '$clause'(R, H, B).
clause(H, B, R) :- '$first_clause'(H, B, access, R0, Rest), '$found_clause'(Rest, R0, R, H, B), '$clause_seen'(R, H, B).
'$must_be_ref'(R) :- ( R = '$clause'(_) -> true ; throw(error(type_error(db_reference, R), _)) ).
retract(C) :-
    strip_module(C, M, P),
    ( nonvar(P), P = (H :- B) -> true ; H = P, B = true ),
    '$first_clause'(M:H, B, modify, R0, Rest),
    '$found_clause'(Rest, R0, R, M:H, B),
    '$clause_seen'(R, M:H, B),
    ( '$erase'(R) -> true ; true ).

current_op(P, T, N) :-
    ( var(N) -> true ; atom(N) -> true ; throw(error(type_error(atom, N), _)) ),
    (   var(P) -> true
    ;   integer(P) -> ( P >= 0, P =< 1200 -> true ; throw(error(domain_error(operator_priority, P), _)) )
    ;   throw(error(type_error(integer, P), _))
    ),
    ( var(T) -> true ; atom(T) -> true ; throw(error(type_error(atom, T), _)) ),
    '$ops'(Ops),
    findall(op(P, T, N), '$member'(op(P, T, N), Ops), Found),
    '$member'(op(P, T, N), Found).
current_prolog_flag(F0, V) :- nonvar(F0), !, strip_module(F0, _, F), '$flag'(F, V).
current_prolog_flag(F, V) :- '$member'(F, [bounded, max_integer, min_integer, double_quotes, unknown]), '$flag'(F, V).

current_predicate(Spec) :-
    strip_module(Spec, M, P),
    (   var(P) -> P = N/A ; P = N/A -> true ; ( Spec = user:_ -> throw(error(type_error(predicate_indicator, P), _)) ; throw(error(type_error(predicate_indicator, Spec), _)) ) ),
    (   atom(N), integer(A) -> '$is_loaded'(M, N, A)
    ;   '$procedures'(M, L), '$member'(N/A, L)
    ).
current_predicate(N, Head) :-
    strip_module(Head, M, H),
    (   nonvar(H) -> callable(H), functor(H, N, A), '$is_loaded'(M, N, A)
    ;   '$procedures'(M, L), '$member'(N/A, L), functor(H, N, A)
    ).
predicate_property(H, _) :- strip_module(H, _, P), nonvar(P), \+ callable(P), !, fail.
predicate_property(H, P) :-
    strip_module(H, M, G), var(G), !,
    ( var(M) -> '$modules'(Ms), '$member'(M, Ms) ; true ),
    '$procedures'(M, L), '$member'(N/A, L), functor(G, N, A), predicate_property(M:G, P).
predicate_property(H, P) :-
    callable(P), !, functor(P, Name, _), ( P =.. [_, V] -> true ; V = [] ), '$predicate'(H, Name, V).
predicate_property(H, P) :-
    var(P),
    '$member'(P, [interpreted, visible, built_in, foreign, static, dynamic, imported_from(_), multifile, discontiguous,
        exported, file(_), line_count(_), number_of_clauses(_), number_of_rules(_), defined, tabled]),
    predicate_property(H, P).

source_file(H, File) :- nonvar(H), strip_module(H, _, P), ( callable(P) -> true ; throw(error(type_error(callable, P), _)) ), predicate_property(H, file(File)).
backtrace(_).

phrase(G, L) :- phrase(G, L, []).
phrase(G, L, R) :-
    strip_module(G, M, P),
    '$phrase_list'(L), '$phrase_list'(R),
    ( var(P) -> throw(error(instantiation_error, _)) ; callable(P) -> true ; string(P) -> true ; P == [] -> true ; throw(error(type_error(callable, P), _)) ),
    '$dcg_call'(P, M, L, R).
call_dcg(G, L, R) :- strip_module(G, M, P), ( var(P) -> throw(error(instantiation_error, _)) ; true ), '$dcg_call'(P, M, L, R).
'$phrase_list'(L) :- ( var(L) -> true ; L = [_|_] -> true ; L == [] -> true ; throw(error(type_error(list, L), _)) ).
'$dcg_call'(P, M, L, R) :- dcg_translate_rule(('$dcg' --> P), ('$dcg'(S0, S) :- B)), S0 = L, S = R, call(M:B).

with_output_to(Sink, G) :- nonvar(Sink), is_stream(Sink), !, with_output_to(string(Text), G), write(Sink, Text).
with_output_to(Sink, G) :-
    ( var(Sink) -> throw(error(instantiation_error, _)) ; true ),
    (   compound(Sink), functor(Sink, Kind, 1), '$sink'(Kind) -> arg(1, Sink, Text), Tail = none
    ;   compound(Sink), Sink =.. [Kind, Text, Tail0], ( Kind == codes ; Kind == chars ) -> Tail = tail(Tail0)
    ;   '$not_output'(Sink)
    ),
    '$capture',
    (   catch(G, E, true)
    ->  '$captured'(Kind, T0), ( nonvar(E) -> throw(E) ; Tail = tail(T) -> '$append'(T0, T, Text) ; Text = T0 )
    ;   '$captured'(Kind, _), fail
    ).
% Printing with portray/1 of the program: its output replaces a subterm.
'$print'(T) :- '$write_portrayed'(T, [quoted(true), numbervars(true)]).
'$print'(S, T) :- with_output_to(string(Text), '$print'(T)), write(S, Text).
'$write_portrayed'(S, T, Options) :- with_output_to(string(Text), '$write_portrayed'(T, Options)), write(S, Text).
'$write_portrayed'(T0, Options0) :-
    '$portrayed'(T0, T, Names, []),
    '$without_portray'(Options0, Options),
    write_term(T, [variable_names(Names)|Options]).
'$without_portray'([], []).
'$without_portray'([O|Os], Rest) :-
    ( O = portray(_) -> Rest = Rest1 ; O = portrayed(_) -> Rest = Rest1 ; Rest = [O|Rest1] ),
    '$without_portray'(Os, Rest1).
'$portrayed'(T, T, Names, Names) :- var(T), !.
'$portrayed'(T, V, [A = V|Names], Names) :-
    catch(with_output_to(atom(A), \+ \+ user:portray(T)), _, fail), !.
'$portrayed'(T0, T, Names0, Names) :-
    compound(T0), acyclic_term(T0), !,
    compound_name_arguments(T0, N, As0),
    ( N == '[|]' -> As0 = [H0, R0], '$portrayed'(H0, H, Names0, Names1), '$portrayed_tail'(R0, R, Names1, Names), T = [H|R]
    ; '$all_portrayed'(As0, As, Names0, Names), compound_name_arguments(T, N, As)
    ).
'$portrayed'(T, T, Names, Names).
'$portrayed_tail'(T0, T, Names0, Names) :-
    (   nonvar(T0), T0 = [H0|R0]
    ->  '$portrayed'(H0, H, Names0, Names1), T = [H|R], '$portrayed_tail'(R0, R, Names1, Names)
    ;   T0 == [] -> T = [], Names0 = Names
    ;   '$portrayed'(T0, T, Names0, Names)
    ).
'$all_portrayed'([], [], Names, Names).
'$all_portrayed'([A0|As0], [A|As], Names0, Names) :- '$portrayed'(A0, A, Names0, Names1), '$all_portrayed'(As0, As, Names1, Names).
% An argument that is not a sink must be a stream.
'$not_output'(Sink) :- atom(Sink), \+ is_stream(Sink), !, throw(error(existence_error(stream, Sink), _)).
'$not_output'(Sink) :- throw(error(type_error(output, Sink), _)).
'$sink'(atom).
'$sink'(string).
'$sink'(codes).
'$sink'(chars).
format(Sink, F, Args0) :-
    strip_module(Args0, _, Args),
    (   var(Sink) -> throw(error(instantiation_error, _))
    ;   compound(Sink), functor(Sink, Kind, 1), '$sink'(Kind)
    ->  '$capture', arg(1, Sink, Text),
        catch(format(F, Args), E, true),
        '$captured'(Kind, T0),
        ( nonvar(E) -> throw(E) ; Text = T0 )
    ;   compound(Sink), Sink =.. [Kind, Text, Tail], ( Kind == codes ; Kind == chars )
    ->  One =.. [Kind, List], format(One, F, Args), '$append'(List, Tail, Text)
    ;   \+ is_stream(Sink) -> '$not_output'(Sink)
    ;   '$format_calls'(F, Args, F1, Args1) -> '$called_texts'(Args1, Texts), '$format_stream'(Sink, F1, Texts)
    ;   '$format_stream'(Sink, F, Args)
    ).
'$format_calling'(F, Args) :- '$format_calls'(F, Args, F1, Args1), '$called_texts'(Args1, Texts), format(F1, Texts).
'$called_texts'([], []).
'$called_texts'([A|As], [T|Ts]) :-
    ( nonvar(A), A = '$call'(G) -> with_output_to(string(T), user:G) ; T = A ),
    '$called_texts'(As, Ts).
term_string(T, S, Options) :- nonvar(S), !, '$must_be_text'(S), '$must_be_options'(Options), read_term_from_atom(S, T, Options).
term_string(T, S, Options) :- '$must_be_list'(Options), ( memberchk(quoted(_), Options) -> O = Options ; O = [quoted(true)|Options] ), format(string(S), "~W", [T, O]).
read_term_from_atom(A, T, Options) :-
    ( var(A) -> throw(error(instantiation_error, _)) ; text_to_string(A, S) ),
    '$must_be_options'(Options),
    (   split_string(S, "", " \t\n", [""]) -> T = end_of_file
    ;   string_concat(S, " .", Whole), open_string(Whole, In), read_term(In, T, Options)
    ).

'$simple_kind'(alnum).
'$simple_kind'(alpha).
'$simple_kind'(csym).
'$simple_kind'(csymf).
'$simple_kind'(white).
'$simple_kind'(cntrl).
'$simple_kind'(digit).
'$simple_kind'(print).
'$simple_kind'(graph).
'$simple_kind'(punct).
'$simple_kind'(space).
'$simple_kind'(lower).
'$simple_kind'(upper).
char_type(C, T) :- '$char_class'(C, T, char).
code_type(C, T) :- '$char_class'(C, T, code).
% The most frequent case: a known character and a type without arguments.
'$char_class'(C, T, _) :-
    atom(T), '$simple_kind'(T),
    ( integer(C) -> C >= 0, C =< 0x10ffff, Code = C ; atom(C), C \== end_of_file, char_code(C, Code) ), !,
    '$char_type'(Code, T, []).
'$char_class'(C, T, Kind) :-
    var(C), !,
    '$char_kind'(T),
    findall(C0-T, ( '$between'(0, 255, Code), char_code(Char, Code), ( Kind == char -> C0 = Char ; C0 = Code ), '$char_class'(C0, T, Kind) ), Found),
    '$member'(C-T, Found).
'$char_class'(C, T, Kind) :-
    '$some_code'(C, Code),
    ( Code == -1 -> true ; '$char_kind'(T) ),
    (   Code == -1 -> T = end_of_file
    ;   ( var(T) -> '$char_kinds'(Ts), '$member'(T, Ts) ; true ),
        (   atom(T) -> '$char_type'(Code, T, [])
        ;   T =.. [Name, A],
            (   '$weight_kind'(Name) -> '$char_type'(Code, Name, A)
            ;   '$char_type'(Code, Name, A0), ( Kind == char -> char_code(A, A0) ; A = A0 )
            )
        )
    ).
'$some_code'(C, Code) :-
    (   C == end_of_file -> Code = -1
    ;   integer(C)
    ->  (   C >= -1, C =< 0x10ffff -> Code = C
        ;   C >= -1, C =< 0x7fffffff -> throw(error(domain_error(character, C), _))
        ;   throw(error(type_error(character, C), _))
        )
    ;   ( string(C) ; C = [_|Rest], Rest == [] ), catch(string_length(C, 1), _, fail) -> string_code(1, C, Code)
    ;   char_code(C, Code)
    ).
'$char_kinds'([alnum, alpha, csym, csymf, prolog_var_start, prolog_atom_start, prolog_identifier_continue, prolog_symbol,
    csymf, decimal, decimal(_), ascii, white, cntrl, digit, print, graph, punct, space, end_of_line, newline,
    period, quote, lower, upper, digit(_), xdigit(_), to_lower(_), to_upper(_), upper(_), lower(_), paren(_)]).
'$weight_kind'(digit).
'$weight_kind'(xdigit).
'$weight_kind'(decimal).
'$char_kind'(T) :-
    (   var(T) -> true
    ;   atom(T), '$char_kinds'(Ts), memberchk(T, [end_of_file|Ts]) -> true
    ;   compound(T), functor(T, N, 1), functor(G, N, 1), '$char_kinds'(Ts), memberchk(G, Ts) -> true
    ;   throw(error(type_error(char_type, T), _))
    ).
string_code(N, S, C) :-
    (   var(S) -> throw(error(instantiation_error, _))
    ;   number(S) -> throw(error(type_error(text, S), _))
    ;   text_to_string(S, T)
    ),
    ( var(N), compound(C) -> throw(error(type_error(character, C), _)) ; true ),
    ( var(N) -> string_length(T, L), L > 0, '$between'(1, L, N) ; true ),
    '$string_code'(N, T, C).
sub_atom_icasechk(Text, At, Part) :-
    ( var(At) -> true ; '$must_be_integer'(At) ),
    ( compound(Text) -> throw(error(type_error(text, Text), _)) ; true ),
    downcase_atom(Text, T), downcase_atom(Part, P), sub_atom(T, At, _, _, P), !.

atomic_concat(A, B, C) :- '$concat_text'(A), '$concat_text'(B), ( ( var(A) ; var(B) ) -> throw(error(instantiation_error, _)) ; '$concat_text'(C) ), atomic_list_concat([A, B], C).

% Attributed variables.
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
frozen(T, G) :-
    term_attvars(T, Vs),
    '$attribute_goals'(Vs, Gs0, []),
    '$keep_frozen'(Gs0, Gs),
    '$conjunction'(Gs, G).
'$keep_frozen'([], []).
'$keep_frozen'([G|Gs0], Gs) :- ( G = freeze(_, _) -> Gs = [G|Gs1] ; Gs = Gs1 ), '$keep_frozen'(Gs0, Gs1).
'$conjunction'([], true).
'$conjunction'([G|Gs], C) :- ( Gs == [] -> C = G ; C = (G, C1), '$conjunction'(Gs, C1) ).
get_attrs(V, As) :- '$get_attrs'(V, As).

% Attributes as goals: attribute_goals//1 of the attribute's module describes them; others become put_attr/3.
copy_term(Term, Copy, Goals) :-
    term_attvars(Term, Vars),
    (   Vars == []
    ->  Goals = [], copy_term(Term, Copy)
    ;   sort(Vars, Sorted),
        findall(Term-Goals0, ( '$attribute_goals'(Sorted, Goals0, []), term_attvars(Term-Goals0, All), '$forget_attributes'(All) ), [Copy-Goals])
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
'$frozen_goals'(G, V, [freeze(V, G)|Rest], Rest).
'$forget_attributes'([]).
'$forget_attributes'([V|Vs]) :- del_attrs(V), '$forget_attributes'(Vs).

% The remaining constraints on the variables of a query: one goal per attribute.
'$constraints'(Vars, Goals) :-
    term_attvars(Vars, Attributed),
    ( Attributed == [] -> Goals = [] ; copy_term(Attributed, Attributed, Goals0), '$shown_goals'(Goals0, Goals) ).
'$shown_goals'([], []).
'$shown_goals'([G0|Gs0], [G|Gs]) :-
    (   G0 = freeze(V, user:P) -> G = freeze(V, P)
    ;   G0 = when(C, user:P) -> G = when(C, P)
    ;   G0 = M:P, atom(M), callable(P), predicate_property(user:P, imported_from(M)) -> G = P
    ;   G = G0
    ),
    '$shown_goals'(Gs0, Gs).

thread_self(main).
'$type_error'(T, V) :- throw(error(type_error(T, V), _)).
'$domain_error'(T, V) :- throw(error(domain_error(T, V), _)).
'$instantiation_error'(_) :- throw(error(instantiation_error, _)).
'$existence_error'(T, V) :- throw(error(existence_error(T, V), _)).
'$permission_error'(A, T, V) :- throw(error(permission_error(A, T, V), _)).
prolog_flag(F, V) :- current_prolog_flag(F, V).

abort :- throw('$aborted').
sig_atomic(G) :- once(G).
with_mutex(M, G) :-
    ( var(M) -> throw(error(instantiation_error, _)) ; atom(M) -> once(G) ; throw(error(type_error(mutex, M), _)) ).
:- dynamic '$at_halt'/1.
at_halt(G) :- assertz('$at_halt'(G)).
cancel_halt(Reason) :- throw(cancel_halt(Reason)).
halt :- halt(0).
halt(Status) :-
    '$must_be_integer'(Status),
    forall(clause('$at_halt'(G), true), catch(ignore(G), _, true)),
    '$halt'(Status).
% Stack frames cannot be inspected.
prolog_current_frame(1).
prolog_frame_attribute(_, _, _) :- fail.
prolog_choice_attribute(_, _, _) :- fail.
prolog_current_choice(_) :- fail.
char_conversion(A, B) :- '$must_be_char'(A), '$must_be_char'(B).
'$must_be_char'(C) :- ( var(C) -> throw(error(instantiation_error, _)) ; '$is_char'(C) -> true ; throw(error(type_error(character, C), _)) ).
current_char_conversion(C, C) :- atom(C).
meta_predicate(_).
module_transparent(_).
multifile(_).
public(_).
volatile(_).
noprofile(_).
garbage_collect_atoms.
garbage_collect_clauses.
trim_stacks.
set_random(_).
style_check(_).
prompt1(_).
ttyflush.
nb_linkval(K, V) :- nb_setval(K, V).
nb_linkarg(N, T, V) :- nb_setarg(N, T, V).

?=(X, Y) :- ( X == Y -> true ; X \= Y ).
subsumes_term(General, Specific) :- \+ \+ '$subsumes'(Specific, General).
is_most_general_term(T) :-
    (   is_list(T) -> term_variables(T, Vs), length(T, N), length(Vs, N), '$all_var'(T)
    ;   compound(T) -> T =.. [_|As], length(As, N), term_variables(As, Vs), length(Vs, N), '$all_var'(As)
    ;   atom(T)
    ).
'$all_var'([]).
'$all_var'([X|Xs]) :- var(X), '$all_var'(Xs).
nonground(T, V) :- term_variables(T, [V0|_]), V = V0.
divmod(X, Y, Q, R) :- '$must_be_integer'(X), '$must_be_integer'(Y), Q is div(X, Y), R is mod(X, Y).
nth_integer_root_and_remainder(N, I, Root, Rest) :- '$root'(N, I, Root), Rest is I - Root ** N.
rational(X, N, D) :- rational(X), N is numerator(X), D is denominator(X).
bounded_number(L, H, X) :-
    ( number(X) -> '$below'(L, X), '$above'(H, X) ; ( var(L) -> throw(error(instantiation_error, _)) ; throw(error(type_error(number, L), _)) ) ).
'$below'(L, X) :- ( integer(X), var(L) -> L is X - 1 ; var(L) -> L is nexttoward(X, -inf) ; number(L), L < X ).
'$above'(H, X) :- ( integer(X), var(H) -> H is X + 1 ; var(H) -> H is nexttoward(X, inf) ; number(H), H > X ).
numbervars(T, S, E, Options) :-
    ( var(S) -> throw(error(instantiation_error, _)) ; true ),
    ( is_list(Options) -> forall('$member'(O, Options), ( compound(O), functor(O, _, 1) -> true ; O = (_ = _) -> true ; throw(error(type_error(option, O), _)) )) ; true ),
    ( float(S), abs(S) < 1.0e15, truncate(S) =:= S -> true ; '$must_be_integer'(S) ),
    ( memberchk(singletons(true), Options) -> term_singletons(T, Ss), '$all_equal'(Ss, '$VAR'('_')) ; true ),
    numbervars(T, S, E).
var_number(T, N) :- nonvar(T), T = '$VAR'(N).
atomics_to_string(L, S) :- atomic_list_concat(L, A), atom_string(A, S).
atomics_to_string(L, Separator, S) :- atomic_list_concat(L, Separator, A), atom_string(A, S).
functor(T, N, A, Type) :-
    ( var(Type) -> true ; atom(Type) -> true ; throw(error(type_error(atom, Type), _)) ),
    (   compound(T) -> compound_name_arity(T, N, A), Type = compound
    ;   atom(T) -> N = T, A = 0, Type = atom
    ;   nonvar(T) -> N = T, A = 0, Type = atomic
    ;   Type == compound -> compound_name_arity(T, N, A)
    ;   Type == callable -> functor(T, N, A), callable(T)
    ;   var(Type), A == 0, atom(N) -> throw(error(instantiation_error, _))
    ;   functor(T, N, A), ( compound(T) -> Type = compound ; atom(T) -> Type = atom ; Type = atomic )
    ).
% The size in words, as on SWI-Prolog; shared subterms count once there, but for each occurrence here.
'$term_size'(T, Max, Size) :- '$size_of'([T], 0, S), ( var(Max) -> true ; S =< Max ), Size = S.
'$size_of'([], S, S).
'$size_of'([T|Ts], S0, S) :-
    (   compound(T) -> compound_name_arguments(T, _, As), length(As, N), S1 is S0 + N + 1, '$append'(As, Ts, Todo)
    ;   string(T) -> string_length(T, L), S1 is S0 + 3 + L // 8, Todo = Ts
    ;   float(T) -> S1 is S0 + 3, Todo = Ts
    ;   S1 = S0, Todo = Ts
    ),
    '$size_of'(Todo, S1, S).
normalize_space(Out, Text) :-
    ( var(Out) -> throw(error(instantiation_error, _)) ; compound(Out), functor(Out, Kind, 1), '$sink'(Kind) -> true ; is_stream(Out) -> true ; '$not_output'(Out) ),
    '$normal_space'(Text, T), '$put_text'(Out, T).
'$put_text'(atom(A), T) :- !, atom_string(A, T).
'$put_text'(string(S), T) :- !, S = T.
'$put_text'(codes(Cs), T) :- !, string_codes(T, Cs).
'$put_text'(chars(Cs), T) :- !, string_chars(T, Cs).
'$put_text'(Out, T) :- format(Out, "~w", [T]).
put_byte(C) :- put_byte(current_output, C).
put_byte(S, C) :-
    (   var(C) -> throw(error(instantiation_error, _))
    ;   integer(C), C >= 0, C =< 255 -> true
    ;   throw(error(type_error(byte, C), _))
    ),
    throw(error(permission_error(output, text_stream, S), _)).
get0(C) :- get_code(C).
get0(S, C) :- get_code(S, C).
skip(C) :- current_input(S), skip(S, C).
skip(S, C0) :- ( integer(C0) -> C = C0 ; char_code(C0, C) ), repeat, get_code(S, X), ( X == C ; X == -1 ), !.
peek_string(S, N, Text) :- '$peek'(S, T), string_length(T, L), M is min(N, L), sub_string(T, 0, M, _, Text).
read_line_to_string(S, Line) :- '$rest_of_line'(S, L), ( L == -1 -> Line = end_of_file ; Line = L ).
read_line_to_codes(S, Codes) :- '$rest_of_line'(S, L), ( L == -1 -> Codes = end_of_file ; string_codes(L, Codes) ).
read_string(S, Separators, Pad, Separator, Text) :-
    string_codes(Separators, Ss), '$read_until'(S, Ss, Codes, Separator),
    string_codes(Text0, Codes), split_string(Text0, "", Pad, [Text]).
'$read_until'(S, Separators, Codes, Separator) :-
    get_code(S, C),
    (   ( C == -1 ; memberchk(C, Separators) ) -> Codes = [], Separator = C
    ;   Codes = [C|Rest], '$read_until'(S, Separators, Rest, Separator)
    ).
read_line_to_codes(S, Codes, Tail) :-
    '$rest_of_line'(S, L),
    (   L == -1 -> Codes = Tail
    ;   string_codes(L, Cs), ( '$peek_past'(S) -> '$append'(Cs, [10|Tail], Codes) ; '$append'(Cs, Tail, Codes) )
    ).
% Whether the line that was read ended with a line break.
'$peek_past'(S) :- line_position(S, 0).
read_stream_to_codes(S, Codes, Tail) :- read_stream_to_codes(S, Cs), '$append'(Cs, Tail, Codes).
read_stream_to_codes(S, Codes) :- '$rest_of_stream'(S, T), string_codes(T, Codes).
read_string(S, Length, Text) :- var(Length), !, '$rest_of_stream'(S, Text), string_length(Text, Length).
read_string(S, Length, Text) :- '$must_be_nonneg'(Length), '$read_codes'(Length, S, Codes), string_codes(Text, Codes).
'$read_codes'(N, S, Codes) :-
    (   N > 0, get_code(S, C), C \== -1 -> Codes = [C|Cs], M is N - 1, '$read_codes'(M, S, Cs)
    ;   Codes = []
    ).
read_term_with_history(T, O) :- read_term(T, O).
see(F) :- ( nonvar(F), is_stream(F) -> set_input(F) ; open(F, read, S), set_input(S) ).
seen :- current_input(S), set_input(user_input), ( stream_property(S, alias(user_input)) -> true ; close(S) ).
tell(F) :- ( nonvar(F), is_stream(F) -> set_output(F) ; open(F, write, S), set_output(S) ).
append(F) :- open(F, append, S), set_output(S).
told :- current_output(S), set_output(user_output), ( '$is_user_output'(S) -> true ; close(S) ).
'$is_user_output'(S) :- stream_property(S, file_no(N)), N < 3, !.
seeing(S) :- current_input(S).
telling(S) :- current_output(S).
stream_property(S, P) :-
    ( var(S) -> '$member'(S, [user_input, user_output, user_error]) ; is_stream(S) -> true ; throw(error(domain_error(stream, S), _)) ),
    '$stream_has'(S, P).
'$stream_has'(S, alias(S)) :- atom(S).
'$stream_has'(S, P) :-
    nonvar(P), P = position('$stream_position'(Chars, Line, Column, Chars)), \+ atom(S), !,
    character_count(S, Chars), line_count(S, Line), line_position(S, Column).
'$stream_has'(user_input, P) :- '$member'(P, [mode(read), input, file_no(0), eof_action(reset)]).
'$stream_has'(user_output, P) :- '$member'(P, [mode(append), output, file_no(1), eof_action(eof_code)]).
'$stream_has'(user_error, P) :- '$member'(P, [mode(append), output, file_no(2), eof_action(eof_code)]).
'$stream_has'(_, P) :- '$member'(P, [type(text), encoding(utf8), newline(posix), representation_errors(error)]).
file_base_name(Path, Base) :- '$file_parts'(Path, _, Base).
file_directory_name(Path, Dir) :- '$file_parts'(Path, Dir, _).

% The recorded database: terms under a key, in order.
recorda(K, T) :- recorda(K, T, _).
recorda(K, T, R) :- '$record_key'(K, _), '$new_ref'(R), '$record_key'(K, N), asserta('$recorded'(N, K, T), R).
recordz(K, T) :- recordz(K, T, _).
recordz(K, T, R) :- '$record_key'(K, _), '$new_ref'(R), '$record_key'(K, N), assertz('$recorded'(N, K, T), R).
recorded(K, T) :- recorded(K, T, _).
recorded(K, T, R) :-
    ( var(R) -> true ; R = '$clause'(_) -> true ; throw(error(type_error(db_reference, R), _)) ),
    ( var(K) -> true ; '$record_key'(K, N) ),
    clause('$recorded'(N, K0, T), true, R),
    ( var(K) -> functor(K0, F, A), functor(K, F, A) ; true ).
'$new_ref'(R) :- ( var(R) -> true ; throw(error(uninstantiation_error(R), _)) ).
'$record_key'(K, _) :- var(K), !, throw(error(instantiation_error, _)).
'$record_key'(K, K) :- ( atom(K) -> true ; K == [] -> true ; integer(K), K >= -1152921504606846976, K < 1152921504606846976 ), !.
'$record_key'(K, F/A) :- compound(K), !, functor(K, F, A).
'$record_key'(K, _) :- throw(error(type_error(key, K), _)).
:- dynamic '$recorded'/3, '$flag_value'/2.
current_key(K) :- findall(K0, clause('$recorded'(_, K0, _), true), Ks0), sort(Ks0, Ks), '$member'(K, Ks).
instance(R, T) :-
    ( var(R) -> throw(error(instantiation_error, _)) ; R = '$clause'(_) -> true ; throw(error(type_error(db_reference, R), _)) ),
    clause('$recorded'(_, _, T), true, R).
flag(Key, Old, New) :-
    ( clause('$flag_value'(Key, V), true) -> Old = V ; Old = 0 ),
    N is New,
    retractall('$flag_value'(Key, _)), assertz('$flag_value'(Key, N)).
get_flag(Key, V) :- '$record_key'(Key, _), ( clause('$flag_value'(Key, V0), true) -> V = V0 ; V = 0 ).
set_flag(Key, V) :- '$record_key'(Key, _), retractall('$flag_value'(Key, _)), assertz('$flag_value'(Key, V)).
nth_clause(Head, N, R) :-
    (   nonvar(R) -> clause(Head, _, R), findall(R0, clause(Head, _, R0), Rs), '$nth'(Rs, 1, N, R)
    ;   strip_module(Head, M, H), functor(H, F, A), functor(G, F, A),
        findall(R0, clause(M:G, _, R0), Rs), '$nth'(Rs, 1, N, R)
    ).
'$nth'([R|_], N, N, R).
'$nth'([_|Rs], N0, N, R) :- N1 is N0 + 1, '$nth'(Rs, N1, N, R).
% A predicate, given as an indicator or as a head.
'$of_predicate'(P, N, A) :-
    (   var(P) -> throw(error(instantiation_error, _))
    ;   P = N/A -> true
    ;   callable(P) -> functor(P, N, A)
    ;   throw(error(type_error(predicate_indicator, P), _))
    ).
copy_predicate_clauses(From, To) :-
    strip_module(From, M, F), strip_module(To, M2, T),
    '$of_predicate'(F, FN, A), '$of_predicate'(T, TN, A),
    functor(H, FN, A), H =.. [_|As], H2 =.. [TN|As],
    forall(clause(M:H, B), assertz(M2:(H2 :- B))).

% Predicates that library(listing) calls.
rule(Head, Rule) :- rule(Head, Rule, _).
rule(Head, Rule, Ref) :- ( var(Ref) -> true ; '$must_be_ref'(Ref) ), strip_module(Head, M, H), clause(M:H, B, Ref), ( B == true -> Rule = H ; Rule = (H :- B) ).
'$find_predicate'(Spec, Preds) :-
    strip_module(Spec, M, P),
    ( P = N/A -> true ; P = N//A0 -> ( var(A0) -> true ; A is A0 + 2 ) ; callable(P) -> functor(P, N, _) ; true ),
    findall(M:N/A, ( '$procedures'(M, All), '$member'(N/A, All) ), Preds0),
    ( Preds0 == [] -> throw(error(existence_error(procedure, P), _)) ; sort(Preds0, Preds) ).
'$define_predicate'(_).
'$find_library'(_, _, _, _, _) :- fail.
'$put_token'(Out, Token) :- format(Out, "~w", [Token]).
clause_property(_, _) :- fail.

% Coroutining: goals that wait for variables to be bound.
'$suspend'(V, M, G) :-
    (   get_attr(V, M, call(G0)) -> put_attr(V, M, call((G0, M:G)))
    ;   put_attr(V, M, call(M:G))
    ).
'$eval_when_condition'(C, _) :- var(C), !, throw(error(instantiation_error, _)).
'$eval_when_condition'(nonvar(X), C) :- !, ( nonvar(X) -> C = true ; C = nonvar(X) ).
'$eval_when_condition'(ground(X), C) :- !, ( ground(X) -> C = true ; C = ground(X) ).
'$eval_when_condition'(?=(X, Y), C) :- !, ( ?=(X, Y) -> C = true ; C = ?=(X, Y) ).
'$eval_when_condition'((A, B), C) :- !,
    '$eval_when_condition'(A, C1), '$eval_when_condition'(B, C2),
    ( C1 == true -> C = C2 ; C2 == true -> C = C1 ; C = (C1, C2) ).
'$eval_when_condition'((A ; B), C) :- !,
    '$eval_when_condition'(A, C1), '$eval_when_condition'(B, C2),
    (   C1 == true -> C = true ; C2 == true -> C = true
    ;   '$or_list'(C1, L1), '$or_list'(C2, L2), '$append'(L1, L2, L), C = or(L)
    ).
'$eval_when_condition'(C, _) :- throw(error(domain_error(when_condition, C), _)).
'$or_list'(C, L) :- ( C = or(L0) -> L = L0 ; L = [C] ).

% Calls of tabled predicates. A complete table gives its answers. A table that is being evaluated gives
% the answers found so far, including those that are added during the iteration.
'$tabled'(Call, Goal, Modes) :-
    '$table_state'(Call, Table, State),
    '$table_fill'(State, Table, Call, Goal, Modes),
    (   State == running
    ->  '$table_so_far'(Table, Call, 0)
    ;   '$table_answers'(Table, Answers), '$member'(Call, Answers)
    ).
'$table_so_far'(Table, Call, N) :-
    '$table_some'(Table, N, Answers, Next),
    ( '$member'(Call, Answers) ; '$table_so_far'(Table, Call, Next) ).
tnot(Goal) :-
    strip_module(Goal, M, G),
    (   callable(G), '$predicate'(M:G, tabled, []) -> true
    ;   ( callable(G) ; G == [] )
    ->  functor(G, N, A),
        (   predicate_property(M:G, imported_from(Home)) -> PI = Home:N/A
        ;   ( M == user ; M == system ) -> PI = N/A
        ;   PI = M:N/A
        ),
        throw(error(permission_error(tnot, non_tabled_procedure, PI), _))
    ;   throw(error(type_error(callable, M:G), _))
    ),
    '$table_nest',
    ( catch(Goal, E, ( '$table_unnest', throw(E) )) -> Holds = true ; Holds = false ),
    '$table_unnest',
    Holds == false.
untable(_).
abolish_module_tables(M) :- ( var(M) -> throw(error(instantiation_error, _)) ; atom(M) -> abolish_all_tables ; throw(error(type_error(atom, M), _)) ).
abolish_table_subgoals(G) :- strip_module(G, _, P), ( ( callable(P) ; P == [] ) -> abolish_all_tables ; throw(error(type_error(callable, G), _)) ).
'$table_fill'(complete, _, _, _, _).
'$table_fill'(running, _, _, _, _).
'$table_fill'(new, Table, Call, Goal, Modes) :-
    '$table_modes'(Modes, How),
    '$table_enter'(Table),
    repeat,
    '$table_begin',
    ( call(Goal), '$table_new'(How, Table, Modes, Call), fail ; true ),
    '$table_again'(Again),
    Again == false,
    !.
% Whether the modes combine the answers of a group by comparison only.
'$table_modes'([], all) :- !.
'$table_modes'(Modes, simple) :- '$table_simple'(Modes), !.
'$table_modes'(_, general).
'$table_simple'([]).
'$table_simple'([M|Ms]) :- memberchk(M, [index, first, last, -, min, max]), '$table_simple'(Ms).
'$table_new'(all, Table, _, Answer) :- '$table_add'(Table, Answer).
'$table_new'(simple, Table, Modes, Answer) :- '$table_join'(Table, Modes, Answer).
'$table_new'(general, Table, [M0|Ms0], Answer) :-
    ( '$table_first'(Table) -> M = M0, Ms = Ms0 ; '$table_once'([M0|Ms0], [M|Ms]) ),
    strip_module(Answer, Module, Plain),
    Plain =.. [Name|Args],
    '$table_group'([M|Ms], Args, Group),
    (   '$table_improve'(Table, Group, Answer, Found)
    ->  Found = old(Old), strip_module(Old, _, OldPlain), OldPlain =.. [_|OldArgs],
        '$table_better'([M|Ms], Module, OldArgs, Args, NewArgs),
        NewArgs \== OldArgs,
        New =.. [Name|NewArgs],
        '$table_improve'(Table, Group, Module:New, new)
    ;   '$table_improve'(Table, Group, Answer, new)
    ).
% Modes that combine all answers must see each answer once: in the first round.
'$table_once'([], []).
'$table_once'([M0|Ms0], [M|Ms]) :- ( M0 == last -> M = first ; M0 == sum -> M = first ; M = M0 ), '$table_once'(Ms0, Ms).
'$table_group'([], [], []).
'$table_group'([M|Ms], [A|As], G) :-
    ( M == index -> G = [A|G1] ; G = G1 ), '$table_group'(Ms, As, G1).
'$table_better'([], _, [], [], []).
'$table_better'([M|Ms], Module, [Old|Olds], [New|News], [Best|Bests]) :-
    '$table_best'(M, Module, Old, New, Best),
    '$table_better'(Ms, Module, Olds, News, Bests).
'$table_best'(index, _, Old, _, Old).
'$table_best'(first, _, Old, _, Old).
'$table_best'(-, _, Old, _, Old).
'$table_best'(last, _, _, New, New).
'$table_best'(sum, _, Old, New, Sum) :- Sum is Old + New.
'$table_best'(min, _, Old, New, Best) :- ( New @< Old -> Best = New ; Best = Old ).
'$table_best'(max, _, Old, New, Best) :- ( New @> Old -> Best = New ; Best = Old ).
'$table_best'(lattice(P0), Module, Old, New, Best) :-
    '$table_pred'(P0, P), ( call(Module:P, Old, New, Best0) -> Best = Best0 ; Best = Old ).
'$table_best'(po(P0), Module, Old, New, Best) :-
    '$table_pred'(P0, P), ( call(Module:P, Old, New) -> Best = Old ; Best = New ).
'$table_pred'(P0, P) :- ( P0 = P/_ -> true ; compound(P0) -> functor(P0, P, _) ; P = P0 ).

% Goal expansion.
'$expand_clause'((H :- B0), M, (H :- B)) :- !, '$expand_body'(B0, M, B).
'$expand_clause'(C, _, C).
'$expand_body'(G, _, G) :- var(G), !.
'$expand_body'((A0, B0), M, (A, B)) :- !, '$expand_body'(A0, M, A), '$expand_body'(B0, M, B).
'$expand_body'((A0 ; B0), M, (A ; B)) :- !, '$expand_body'(A0, M, A), '$expand_body'(B0, M, B).
'$expand_body'((A0 -> B0), M, (A -> B)) :- !, '$expand_body'(A0, M, A), '$expand_body'(B0, M, B).
'$expand_body'((A0 *-> B0), M, (A *-> B)) :- !, '$expand_body'(A0, M, A), '$expand_body'(B0, M, B).
'$expand_body'(\+ A0, M, \+ A) :- !, '$expand_body'(A0, M, A).
'$expand_body'(G0, M, G) :- callable(G0), '$goal_expansion'(G0, M, G1), G1 \== G0, !, '$expand_body'(G1, M, G).
'$expand_body'(findall(T, G0, L), M, findall(T, G, L)) :- !, '$expand_body'(G0, M, G).
'$expand_body'(forall(A0, B0), M, forall(A, B)) :- !, '$expand_body'(A0, M, A), '$expand_body'(B0, M, B).
'$expand_body'(once(G0), M, once(G)) :- !, '$expand_body'(G0, M, G).
'$expand_body'(ignore(G0), M, ignore(G)) :- !, '$expand_body'(G0, M, G).
'$expand_body'(catch(G0, E, R0), M, catch(G, E, R)) :- !, '$expand_body'(G0, M, G), '$expand_body'(R0, M, R).
'$expand_body'(G, _, G).
'$goal_expansion'(G, M, X) :- current_predicate(M:goal_expansion/2), M:goal_expansion(G, X), !.
'$goal_expansion'(G, M, X) :- M \== user, current_predicate(user:goal_expansion/2), user:goal_expansion(G, X), !.
'$goal_expansion'(G, M, X) :-
    '$is_loaded'(clpfd, clpfd_expandable, 1), clpfd:clpfd_expandable(G),
    predicate_property(M:G, imported_from(clpfd)), system:goal_expansion(G, X), !.
expand_goal(G0, G) :- prolog_load_context(module, M), '$expand_body'(G0, M, G).
% Finds the node of a key in a tree `Name(Key, _, ..., Left, Right)`, or the node where it would be inserted.
'$btree_find_node'(Key, Tree, Positions, Node, Where) :-
    (   var(Tree) -> throw(error(instantiation_error, _))
    ;   compound(Tree), functor(Tree, Name, Arity)
    ->  KeyAt is Positions >> 16, Left is (Positions >> 8) /\ 255, Right is Positions /\ 255,
        ( Arity >= Right -> true ; throw(error(type_error(btree, Tree), _)) ),
        '$btree_find'(Key, Tree, p(Name, Arity, KeyAt, Left, Right), Node, Where)
    ;   throw(error(type_error(btree, Tree), _))
    ).
'$btree_find'(Key, Tree, P, Node, Where) :-
    P = p(Name, Arity, KeyAt, Left, Right),
    arg(KeyAt, Tree, Here),
    compare(Order, Key, Here),
    (   Order == (=) -> Node = Tree, Where = (=)
    ;   ( Order == (<) -> arg(Left, Tree, Next) ; arg(Right, Tree, Next) ),
        (   compound(Next), functor(Next, Name, Arity) -> '$btree_find'(Key, Next, P, Node, Where)
        ;   Node = Tree, Where = Order
        )
    ).
expand_term(T0, T) :-
    (   nonvar(T0), current_predicate(user:term_expansion/2), user:term_expansion(T0, T1) -> true ; T1 = T0 ),
    ( nonvar(T1), T1 = (_ --> _) -> dcg_translate_rule(T1, T) ; T = T1 ).
'$missing_global'(K, V) :-
    user:exception(undefined_global_variable, K, retry), nb_current(K, V0), !, V = V0.
'$missing_global'(K, _) :- throw(error(existence_error(variable, K), context(system:nb_getval/2, _))).

% Messages go to user_error. The text comes from the program's hooks, or from '$error_message' for errors.
print_message(Kind, Term) :-
    (   current_predicate(user:message_hook/3),
        '$message_lines'(Term, Lines), user:message_hook(Term, Kind, Lines)
    ->  true
    ;   '$message_prefix'(Kind, Prefix)
    ->  '$message_lines'(Term, Lines),
        print_message_lines(user_error, Prefix, Lines)
    ;   true
    ).
'$message_prefix'(error, 'ERROR: ').
'$message_prefix'(warning, 'Warning: ').
'$message_prefix'(informational, '% ').
'$message_prefix'(information, '').
'$message_prefix'(help, '').
'$message_prefix'(format(_, _), '').
'$message_lines'(Term, Lines) :-
    (   nonvar(Term), current_predicate(prolog:message/3), phrase(prolog:message(Term), Lines) -> true
    ;   nonvar(Term), Term = format(F, A) -> Lines = [F-A]
    ;   nonvar(Term), Term = message_lines(Lines0) -> Lines = Lines0
    ;   '$error_message'(Term, Text)
    ->  (   Term = error(_, context(Place, _)), nonvar(Place)
        ->  (   Place = system:(N/A) -> Lines = ["~q/~w: ~w"-[N, A, Text]]
            ;   Lines = ["~q: ~w"-[Place, Text]]
            )
        ;   Lines = ["~w"-[Text]]
        )
    ;   Lines = ["Unknown message: ~p"-[Term]]
    ).
translate_message(Term, Lines, Rest) :- '$message_lines'(Term, Lines0), '$append'(Lines0, Rest, Lines).
message_to_codes(Term, _, Codes) :- '$message_lines'(Term, Lines), with_output_to(codes(Codes), '$print_lines'(Lines, '')).
print_message_lines(S, Prefix0, Lines0) :-
    ( Prefix0 = kind(Kind) -> ( '$message_prefix'(Kind, Prefix) -> true ; Prefix = '' ) ; Prefix = Prefix0 ),
    '$plain_prefix'(Prefix, Plain),
    % Every line ends with one line break, including the last.
    ( '$append'(Lines, [nl], Lines0) -> true ; Lines = Lines0 ),
    with_output_to(string(Text), ( write(Plain), '$print_lines'(Lines, Plain) )),
    format(S, "~w~n", [Text]).
'$plain_prefix'(P, Plain) :- ( atom_concat(Plain0, '~N', P) -> Plain = Plain0 ; atom_concat('~N', Plain0, P) -> Plain = Plain0 ; Plain = P ).
'$print_lines'([], _).
'$print_lines'([L|Ls], Prefix) :- '$print_part'(L, Prefix), '$print_lines'(Ls, Prefix).
'$print_part'(nl, Prefix) :- !, nl, write(Prefix).
'$print_part'(flush, _) :- !.
'$print_part'(at_same_line, _) :- !.
'$print_part'(begin(_, _), _) :- !.
'$print_part'(end(_), _) :- !.
'$print_part'(ansi(_, F, A), _) :- !, format(F, A).
'$print_part'(url(U), _) :- !, print(U).
'$print_part'(url(_, L), _) :- !, write(L).
'$print_part'(F-A, _) :- !, format(F, A).
'$print_part'(F, _) :- format(F, []).
assertion_failed(_, G) :- throw(error(assertion_failed(G), _)).

use_module(F) :- strip_module(F, M, P), '$use_library'(P, M).
use_module(F, _) :- use_module(F).
ensure_loaded(F) :- use_module(F).
'$filled_array'(Array, Name, Size, Value) :- length(Args, Size), '$all_equal'(Args, Value), compound_name_arguments(Array, Name, Args).
'$all_equal'([], _).
'$all_equal'([V|Vs], V) :- '$all_equal'(Vs, V).

% The components of floats.
float_class(F, Class) :-
    ( float(F) -> true ; var(F) -> throw(error(instantiation_error, _)) ; throw(error(type_error(float, F), _)) ),
    (   F =\= F -> C = nan
    ;   abs(F) =:= inf -> C = infinite
    ;   F =:= 0.0 -> C = zero
    ;   abs(F) < 2.2250738585072014e-308 -> C = subnormal
    ;   C = normal
    ),
    Class = C.
float_parts(X, M, B, E) :-
    ( number(X) -> F is float(X) ; var(X) -> throw(error(instantiation_error, _)) ; throw(error(type_error(float, X), _)) ),
    B = 2,
    (   F =:= 0.0 -> M = F, E = 0
    ;   E0 is floor(log(abs(F)) / log(2)) + 1, '$mantissa'(F, E0, M, E)
    ).
% The exponent computed by a logarithm may be off by one; this corrects it.
'$mantissa'(F, E0, M, E) :-
    M0 is F / 2.0 ** E0,
    (   abs(M0) >= 1.0 -> E1 is E0 + 1, '$mantissa'(F, E1, M, E)
    ;   abs(M0) < 0.5 -> E1 is E0 - 1, '$mantissa'(F, E1, M, E)
    ;   M = M0, E = E0
    ).

% Texts.
get_string_code(N, S, C) :-
    '$wild_text'(S, T), '$must_be_integer'(N), string_length(T, L),
    ( N >= 1, N =< L -> string_code(N, T, C) ; throw(error(domain_error(range(1, L), N), _)) ).
atom_prefix(Text, Prefix) :- sub_atom(Text, 0, _, _, Prefix).
string_bytes(S, Bytes, Encoding) :-
    (   var(Encoding) -> throw(error(instantiation_error, _))
    ;   \+ atom(Encoding) -> throw(error(type_error(atom, Encoding), _))
    ;   memberchk(Encoding, [octet, ascii, iso_latin_1, text, utf8]) -> true
    ;   throw(error(domain_error(encoding, Encoding), _))
    ),
    ( nonvar(S) -> '$must_be_text'(S) ; '$must_be_text'(Bytes) ),
    (   nonvar(S) -> string_codes(S, Codes), '$encoded'(Encoding, Codes, Bytes0), Bytes = Bytes0
    ;   '$decoded'(Encoding, Bytes, Codes), string_codes(S, Codes)
    ).
'$must_be_text'(X) :- ( number(X) -> throw(error(type_error(text, X), _)) ; text_to_string(X, _) ).
'$encoded'(E, Codes, Bytes) :- ( E == utf8 -> '$utf8_bytes'(Codes, Bytes) ; E == text -> '$utf8_bytes'(Codes, Bytes) ; Bytes = Codes ).
'$decoded'(E, Bytes, Codes) :-
    ( is_list(Bytes) -> true ; string_codes(Bytes, _) ),
    ( ( E == utf8 ; E == text ) -> '$utf8_codes'(Bytes, Codes) ; Codes = Bytes ).
'$utf8_bytes'([], []).
'$utf8_bytes'([C|Cs], Bytes) :-
    (   C < 0x80 -> Bytes = [C|More]
    ;   C < 0x800 -> A is 0xc0 \/ (C >> 6), Bytes = [A|Rest], '$continued'(1, C, Rest, More)
    ;   C < 0x10000 -> A is 0xe0 \/ (C >> 12), Bytes = [A|Rest], '$continued'(2, C, Rest, More)
    ;   A is 0xf0 \/ (C >> 18), Bytes = [A|Rest], '$continued'(3, C, Rest, More)
    ),
    '$utf8_bytes'(Cs, More).
'$continued'(0, _, More, More) :- !.
'$continued'(N, C, [B|Bs], More) :- M is N - 1, B is 0x80 \/ ((C >> (6 * M)) /\ 0x3f), '$continued'(M, C, Bs, More).
'$utf8_codes'([], []).
'$utf8_codes'([B|Bs], [C|Cs]) :-
    (   B < 0xc0 -> C = B, More = Bs
    ;   B < 0xe0 -> C0 is B /\ 0x1f, '$more_bits'(1, Bs, C0, C, More)
    ;   B < 0xf0 -> C0 is B /\ 0x0f, '$more_bits'(2, Bs, C0, C, More)
    ;   C0 is B /\ 0x07, '$more_bits'(3, Bs, C0, C, More)
    ),
    '$utf8_codes'(More, Cs).
'$more_bits'(N, Bs, C0, C, More) :-
    (   N > 0, Bs = [B|Rest] -> C1 is (C0 << 6) \/ (B /\ 0x3f), M is N - 1, '$more_bits'(M, Rest, C1, C, More)
    ;   C = C0, More = Bs
    ).
wildcard_match(Pattern, Text) :- wildcard_match(Pattern, Text, []).
wildcard_match(Pattern, Text, Options) :-
    '$must_be_options'(Options),
    '$wild_text'(Pattern, P0), '$wild_text'(Text, T0),
    ( memberchk(case_sensitive(false), Options) -> string_lower(P0, P), string_lower(T0, T) ; P = P0, T = T0 ),
    string_codes(P, Ps), string_codes(T, Ts),
    once('$wild'(Ps, Ts)).
'$wild_text'(X, S) :- ( number(X) -> number_string(X, S) ; text_to_string(X, S) ).
'$wild'([], []).
'$wild'([0'*|Ps], Ts) :- !, '$append'(_, Rest, Ts), '$wild'(Ps, Rest).
'$wild'([0'?|Ps], [_|Ts]) :- !, '$wild'(Ps, Ts).
'$wild'([0'[|Ps], [T|Ts]) :- !, '$append'(Set, [0']|Rest], Ps), !, '$in_set'(Set, T), '$wild'(Rest, Ts).
'$wild'([0'{|Ps], Ts) :- !, '$append'(All, [0'}|Rest], Ps), !, '$one_of'(All, One), '$append'(One, Rest, Qs), '$wild'(Qs, Ts).
'$wild'([0'\\, P|Ps], [P|Ts]) :- !, '$wild'(Ps, Ts).
'$wild'([P|Ps], [P|Ts]) :- '$wild'(Ps, Ts).
'$in_set'([L, 0'-, H|Set], T) :- !, ( L =< T, T =< H -> true ; '$in_set'(Set, T) ).
'$in_set'([C|Set], T) :- ( C == T -> true ; '$in_set'(Set, T) ).
'$one_of'(All, One) :- ( '$append'(First, [0',|Rest], All) -> ( One = First ; '$one_of'(Rest, One) ) ; One = All ).

% Terms.
copy_term(Vs0, T0, Vs, T) :-
    term_variables(Vs0, Copied), term_variables(T0, All), '$others'(All, Copied, Kept),
    copy_term(Vs0-T0-Kept, Vs-T-Kept).
copy_term_nat(Vs0, T0, Vs, T) :-
    term_variables(Vs0, Copied), term_variables(T0, All), '$others'(All, Copied, Kept),
    copy_term_nat(Vs0-T0-Kept, Vs-T-Kept).
'$others'([], _, []).
'$others'([V|Vs], Copied, Kept) :-
    ( '$member'(C, Copied), C == V -> Kept = Kept1 ; Kept = [V|Kept1] ),
    '$others'(Vs, Copied, Kept1).
call_residue_vars(G, Vars) :- term_attvars(G, Before), call(G), term_attvars(G, After), '$others'(After, Before, Vars).
dcg_translate_rule(Rule, _, Clause, _) :- dcg_translate_rule(Rule, Clause).
stream_position_data(char_count, '$stream_position'(N, _, _, _), N).
stream_position_data(line_count, '$stream_position'(_, N, _, _), N).
stream_position_data(line_position, '$stream_position'(_, _, N, _), N).
stream_position_data(byte_count, '$stream_position'(_, _, _, N), N).

% Predicates and modules.
current_module(M) :-
    '$modules'(Ms),
    (   var(M) -> '$member'(M, Ms)
    ;   atom(M) -> '$member'(M0, Ms), M0 == M, !
    ;   throw(error(type_error(module, M), _))
    ).
@(G, _) :- call(G).
abolish(Name, Arity) :- abolish(Name/Arity).
tracing :- fail.
thread_local(Spec) :- dynamic(Spec).
'$pi_head'(PI, Head) :- var(PI), var(Head), !, throw(error(instantiation_error, _)).
'$pi_head'(M:PI, M:Head) :- !, '$pi_head'(PI, Head).
'$pi_head'(PI, M:Head) :- var(PI), !, PI = M:PI0, '$pi_head'(PI0, Head).
'$pi_head'(PI, Head) :- var(PI), !, '$head_name_arity'(Head, N, A), PI = N/A.
'$pi_head'(N/A, Head) :- !, '$head_name_arity'(Head, N, A).
'$pi_head'(N//A0, Head) :- !, '$must_be_nonneg'(A0), A is A0 + 2, '$head_name_arity'(Head, N, A).
'$pi_head'(PI, _) :- throw(error(type_error(predicate_indicator, PI), _)).
'$head_name_arity'(Head, N, A) :-
    (   atom(Head) -> N = Head, A = 0
    ;   compound(Head) -> compound_name_arity(Head, N, A)
    ;   var(Head)
    ->  (   ( var(N) ; var(A) ) -> throw(error(instantiation_error, _))
        ;   \+ atom(N) -> throw(error(type_error(atom, N), _))
        ;   \+ integer(A) -> throw(error(type_error(integer, A), _))
        ;   A =:= 0 -> Head = N
        ;   compound_name_arity(Head, N, A)
        )
    ;   throw(error(type_error(callable, Head), _))
    ).

% Whether a term has a declared type. An unbound variable has every type, as it may be bound to a value of it.
'$has_type'(_, X) :- var(X), !.
'$has_type'(any, _) :- !.
'$has_type'('|'(A, B), X) :- !, ( '$has_type'(A, X) -> true ; '$has_type'(B, X) ).
'$has_type'(list(T), X) :- !, is_list(X), '$all_have_type'(X, T).
'$has_type'(pair(K, V), X) :- !, X = A-B, '$has_type'(K, A), '$has_type'(V, B).
'$has_type'(T, X) :- error:is_of_type(T, X), !.
'$all_have_type'([], _).
'$all_have_type'([X|Xs], T) :- '$has_type'(T, X), '$all_have_type'(Xs, T).
'$check_result'(N, T, X) :- ( '$has_type'(T, X) -> true ; throw('$broken_result'(N)) ).
