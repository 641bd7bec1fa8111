% Unit tests, run and reported as library(plunit) of SWI-Prolog does, whose own source is written with
% dicts. The loader opens and closes units, and translates tests to clauses with test_clauses/4.
:- module(plunit,
          [ set_test_options/1, begin_tests/1, begin_tests/2, end_tests/1, run_tests/0, run_tests/1,
            load_test_files/1, running_tests/0, current_test/5, current_test_unit/2, test_report/1
          ]).

:- dynamic unit/4, outcome/4, running/3, silent/0.
% unit(Name, Module, File, Options), outcome(Unit, Test, Line, How), running(Unit, Test, Line)

set_test_options(Options) :-
    retractall(silent),
    ( memberchk(silent(true), Options) -> assertz(silent) ; true ).
begin_tests(Unit) :- begin_tests(Unit, []).
begin_tests(_, _) :- throw(error(context_error(nodirective, begin_tests/1), _)).
end_tests(Unit) :- throw(error(context_error(plunit_close(Unit, -)), _)).
load_test_files(_).
running_tests.
test_report(_).
current_test_unit(Unit, Options) :- unit(Unit, _, _, Options).
current_test(Unit, Test, Line, Body, Options) :-
    unit(Unit, Module, _, _), Module:'unit test'(Test, Line, Options, Body).

% Called by the loader.
'$open_unit'(Unit, Module, File, Options) :-
    must_be(atom, Unit), must_be(list, Options),
    retractall(unit(Unit, _, _, _)),
    dynamic(Module:'unit test'/4),
    assertz(unit(Unit, Module, File, Options)).

'$test_clauses'(Test, Line, Module, Clauses) :-
    catch(test_clauses(Test, Line, Module, Clauses), E, ( mistake(E, Text), Clauses = '$mistake'(Text) )).
mistake(error(plunit(incompatible_options, Options), _), Text) :- !,
    format(atom(Text), 'PL-Unit: incompatible test-options: ~p', [Options]).
mistake(E, Text) :- worded(E, Text).
test_clauses((Head :- Body), Line, Module, Clauses) :- !,
    ( Head = test(Name) -> Given = [] ; Head = test(Name, Given) ),
    ( is_list(Given) -> Several = Given ; Several = [Given] ),
    plain_options(Several, Options0),
    check_options(Options0),
    findall(E, ( member(E, Options0), expects(E) ), Several1),
    ( Several1 = [_, _|_] -> throw(error(plunit(incompatible_options, Several1), _)) ; true ),
    ( expectation(Options0, _) -> Options = Options0 ; Options = [true(true)|Options0] ),
    % The variables that options and body share are passed to the body.
    term_variables(Given, InOptions), term_variables(Body, InBody),
    common(InOptions, InBody, Shared),
    Vars =.. [vars|Shared],
    atomic_list_concat([Name, '@line ', Line], Id),
    Clauses = [ 'unit test'(Name, Line, Options, Module:'unit body'(Id, Vars)),
                ('unit body'(Id, Vars) :- !, Body) ].
test_clauses(Head, _, _, _) :-
    arg(1, Head, Name),
    throw(error(existence_error(body, test(Name)), _)).

common([], _, []).
common([V|Vs], Others, Shared) :-
    ( '$same_in'(Others, V) -> Shared = [V|Rest] ; Shared = Rest ),
    common(Vs, Others, Rest).
'$same_in'([O|Os], V) :- ( O == V -> true ; '$same_in'(Os, V) ).

plain_options([], []).
plain_options([O|Os], [P|Ps]) :- plain_option(O, P), plain_options(Os, Ps).
plain_option(O, _) :- var(O), !, throw(error(instantiation_error, _)).
plain_option(true, true(true)) :- !.
plain_option(error(E), throws(error(E, _))) :- !.
plain_option(error(E, C), throws(error(E, C))) :- !.
plain_option(exception(E), throws(E)) :- !.
plain_option(Test, true(Test)) :- comparison(Test, _, _, _), !.
plain_option(O, O).

comparison(A == B, ==, A, B).
comparison(A = B, =, A, B).
comparison(A =@= B, =@=, A, B).
comparison(A =:= B, =:=, A, B).

check_options([]).
check_options([O|Os]) :-
    ( known_option(O) -> true ; throw(error(domain_error(plunit:test_option, O), _)) ),
    check_options(Os).
known_option(O) :- expects(O), !.
known_option(O) :-
    functor(O, Name, Arity),
    memberchk(Name/Arity, [blocked/1, condition/1, setup/1, cleanup/1, sto/1, concurrent/1, nondet/0, fixme/1, forall/1]).
expects(true(_)).
expects(all(_)).
expects(set(_)).
expects(fail).
expects(throws(_)).
expectation([O|Os], E) :- ( expects(O) -> E = O ; expectation(Os, E) ).

run_tests :- findall(Unit, unit(Unit, _, _, _), Units), run_tests(Units).
run_tests(Spec) :-
    retractall(outcome(_, _, _, _)), retractall(running(_, _, _)),
    ( is_list(Spec) -> run_units(Spec) ; run_units([Spec]) ),
    report,
    \+ ( outcome(_, _, _, How), bad(How) ).
bad(failed).
bad(assertion).

run_units([]).
run_units([Spec|Specs]) :- run_unit(Spec), run_units(Specs).
run_unit(Spec) :-
    ( Spec = Unit:Tests -> true ; Unit = Spec ),
    (   unit(Unit, Module, File, Options) -> true
    ;   throw(error(existence_error(unit_test, Unit), context(_, _)))
    ),
    (   memberchk(blocked(Why), Options)
    ->  tell('PL-Unit: ~w blocked: ~w', [Unit, Why])
    ;   prepared(Module, unit(Unit), Options)
    ->  begin_line('PL-Unit: ~w ', [Spec]),
        forall(( Module:'unit test'(Name, Line, TestOptions, Body), wanted(Tests, Name) ),
               run_test(test(Unit, Module, File, Name, Line), TestOptions, Body)),
        (   outcome(Unit, _, _, How), bad(How) -> dot('**FAILED') ; dot(' passed') ),
        dot(' 0.000 sec\n'),
        clean(Module, Options)
    ;   true
    ).
wanted(Tests, Name) :- ( var(Tests) -> true ; is_list(Tests) -> memberchk(Name, Tests) ; Tests = Name ).

run_test(test(Unit, Module, File, Name, Line), Options, Body) :-
    memberchk(forall(Generator), Options), !,
    term_variables(Generator, Vars),
    forall(Module:Generator, run_once(test(Unit, Module, File, @(Name, Vars), Line), Options, Body)).
run_test(Test, Options, Body) :- run_once(Test, Options, Body).

run_once(test(Unit, _, _, Name, Line), Options, _) :-
    memberchk(blocked(Why), Options), !,
    assertz(outcome(Unit, Name, Line, blocked(Why))).
run_once(Test, Options, Body) :-
    Test = test(Unit, Module, _, Name, Line),
    assertz(running(Unit, Name, Line)),
    (   prepared(Module, Test, Options)
    ->  expectation(Options, Expected),
        judge(Expected, Module, Body, Verdict),
        clean(Module, Options),
        settle(Verdict, Test, Options)
    ;   true
    ),
    retractall(running(_, _, _)).

% judge(Expectation, Module, Body, Verdict): the verdict is passed(Determinism) or failed(Why).
judge(fail, Module, Body, Verdict) :-
    (   catch(Module:Body, E, true)
    ->  ( var(E) -> Verdict = failed(succeeded) ; Verdict = failed(E) )
    ;   Verdict = passed(true)
    ).
judge(true(Check), Module, Body, Verdict) :-
    (   catch(call_det(Module:Body, Det), E, true)
    ->  (   nonvar(E) -> Verdict = failed(E)
        ;   catch(Module:Check, E, true)
        ->  ( nonvar(E) -> Verdict = failed(check(E)) ; Verdict = passed(Det) )
        ;   Verdict = failed(wrong_answer(Check))
        )
    ;   Verdict = failed(failed)
    ).
judge(throws(Expected), Module, Body, Verdict) :-
    (   catch(Module:Body, E, true)
    ->  (   var(E) -> Verdict = failed(no_exception)
        ;   subsumes_term(Expected, E) -> Verdict = passed(true)
        ;   Verdict = failed(wrong_error(Expected, E))
        )
    ;   Verdict = failed(failed)
    ).
judge(all(Check), Module, Body, Verdict) :- judge_all(all, Check, Module, Body, Verdict).
judge(set(Check), Module, Body, Verdict) :- judge_all(set, Check, Module, Body, Verdict).
judge_all(Kind, Check, Module, Body, Verdict) :-
    comparison(Check, Op, Vars, Expected0),
    catch(findall(Vars, Module:Body, Found0), E, true),
    (   nonvar(E) -> Verdict = failed(E)
    ;   ( Kind == set -> sort(Expected0, Expected), sort(Found0, Found) ; Expected = Expected0, Found = Found0 ),
        ( alike(Expected, Found, Op) -> Verdict = passed(true) ; Verdict = failed(wrong_answers(Kind, Expected, Found)) )
    ).
% Done is bound if the goal left no choice point, because then its cleanup has run.
call_det(Goal, Det) :- call_cleanup(Goal, Done = true), ( var(Done) -> Det = false ; Det = true ).
alike([], [], _).
alike([X|Xs], [Y|Ys], Op) :- call(Op, X, Y), alike(Xs, Ys, Op).

settle(passed(Det), test(Unit, _, File, Name, Line), Options) :-
    ( Det == true -> Sure = true ; memberchk(nondet, Options) -> Sure = true ; Sure = false ),
    (   memberchk(fixme(Why), Options)
    ->  ( Sure == true -> dot('+'), How = passed ; dot('!'), How = nondet ),
        assertz(outcome(Unit, Name, Line, fixme(Why, How)))
    ;   outcome(Unit, Name, Line, assertion)
    ->  dot('A'), assertz(outcome(Unit, Name, Line, failed))
    ;   assertz(outcome(Unit, Name, Line, passed)),
        (   Sure == true -> dot('.')
        ;   complain('Warning: ', '~w:~w:\n\tPL-Unit: Test ~w: Test succeeded with choicepoint', [File, Line, Name])
        )
    ).
settle(failed(_), test(Unit, _, _, Name, Line), Options) :-
    memberchk(fixme(Why), Options), !,
    dot('-'),
    assertz(outcome(Unit, Name, Line, fixme(Why, failed))).
settle(failed(Why), test(Unit, _, File, Name, Line), _) :-
    assertz(outcome(Unit, Name, Line, failed)),
    named(Name, Named),
    reason(Why, Text),
    complain('ERROR: ', '~w:~w:\n\t~w: ~w', [File, Line, Named, Text]).

named(@(Name, Vars), Text) :- !, format(atom(Text), 'test ~w (forall bindings = ~p)', [Name, Vars]).
named(Name, Text) :- format(atom(Text), 'test ~w', [Name]).

reason(succeeded, 'must fail but succeeded in 0.00 seconds\n') :- !.
reason(check(E), Text) :- !, worded(E, Words), format(atom(Text), 'Comparison error: ~w', [Words]).
reason(wrong_error(Expected, E), Text) :- !, side_by_side('wrong error', Expected, E, Text).
reason(wrong_answer(Check), Text) :-
    compound(Check), Check =.. [Op, Answer, Expected], !,
    format(atom(Head), 'wrong answer (compared using ~w)', [Op]),
    side_by_side(Head, Expected, Answer, Text).
reason(wrong_answers(Kind, Expected, Found), Text) :- !,
    format(atom(Text), 'wrong "~w" answer:\nERROR:     Expected: ~q\nERROR:        Found: ~q', [Kind, Expected, Found]).
% The context of an error in a test's last goal is the predicate that checks for choice points.
reason(error(F, context(system:'<meta-call>'/1, M)), Text) :- !, reason(error(F, context(system:setup_call_catcher_cleanup/4, M)), Text).
reason(E, Text) :- nonvar(E), E = error(_, _), !, worded(E, Words), format(atom(Text), 'received error: ~w', [Words]).
reason(Why, Text) :- format(atom(Text), '~p\n', [Why]).
side_by_side(Head, Expected0, Got0, Text) :-
    copy_term(Expected0-Got0, Expected-Got, Goals),
    numbervars(Expected-Got-Goals, 0, _),
    Options = [numbervars(true), quoted(true), portray(true), max_depth(100)],
    format(atom(Text0), '~w\nERROR:     Expected: ~W\nERROR:     Got:      ~W', [Head, Expected, Options, Got, Options]),
    ( Goals == [] -> Text = Text0 ; format(atom(Text), '~w\nERROR:        with: ~W', [Text0, Goals, Options]) ).
worded(E, Words) :- message_to_codes(E, _, Codes), atom_codes(Words, Codes).

prepared(Module, Where, Options) :-
    ( memberchk(condition(Condition), Options) -> asked(Module, Condition, condition, Where, silent) ; true ),
    ( memberchk(setup(Setup), Options) -> asked(Module, Setup, setup, Where, loud) ; true ).
asked(Module, Goal, What, Where, Loud) :-
    (   catch(Module:Goal, E, true)
    ->  (   var(E) -> true
        ;   worded(E, Words),
            (   Where = test(_, _, File, _, Line)
            ->  complain('ERROR: ', '~w:~w:\n\terror in ~w: ~w', [File, Line, What, Words])
            ;   Where = unit(Unit), complain('ERROR: ', 'PL-Unit: unit ~w: error in ~w: ~w', [Unit, What, Words])
            ),
            fail
        )
    ;   Loud == loud, complain('ERROR: ', 'goal unexpectedly failed: ~p', [Goal]), fail
    ).
clean(Module, Options) :-
    (   memberchk(cleanup(Goal), Options)
    ->  (   catch(Module:Goal, E, true)
        ->  ( var(E) -> true ; worded(E, Words), complain('Warning: ', '~w', [Words]) )
        ;   complain('Warning: ', 'Goal (~p) failed: ''(cleanup handler)''', [Goal])
        )
    ;   true
    ).

:- multifile prolog:assertion_failed/2.
prolog:assertion_failed(Reason, Goal0) :-
    running(Unit, Name, Line), !,
    unit(Unit, _, File, _),
    named(Name, Named),
    ( Goal0 = Module:Goal1, predicate_property(Module:Goal1, built_in) -> Goal = Goal1 ; Goal = Goal0 ),
    ( Reason == fail -> Why = failed ; worded(Reason, Words), format(atom(Why), 'raised "~w"', [Words]) ),
    complain('ERROR: ', '~w:~w:\n\t~w: assertion ~w\n\tAssertion: ~p', [File, Line, Named, Why, Goal]),
    assertz(outcome(Unit, Name, Line, assertion)).

report :-
    counted(passed, Passed), counted(failed, Failed), counted(assertion, Assertions), counted(blocked(_), Blocked),
    (   Passed + Failed + Assertions + Blocked =:= 0 -> tell('No tests to run', [])
    ;   Failed + Assertions + Blocked =:= 0
    ->  report_fixme,
        ( Passed =:= 1 -> tell('test passed', []) ; tell('All ~D tests passed', [Passed]) )
    ;   report_blocked(Blocked),
        report_fixme,
        ( Assertions =:= 0 -> true ; Assertions =:= 1 -> tell('1 assertion failed', []) ; tell('~D assertions failed', [Assertions]) ),
        ( Failed =:= 0 -> true ; Failed =:= 1 -> tell('1 test failed', []) ; tell('~D tests failed', [Failed]) ),
        tell('~D tests passed', [Passed])
    ).
counted(How, N) :- findall(x, outcome(_, _, _, How), Xs), length(Xs, N).
report_blocked(0) :- !.
report_blocked(N) :-
    ( N =:= 1 -> tell('one test is blocked:', []) ; tell('~D tests are blocked:', [N]) ),
    forall(( outcome(Unit, Name, Line, blocked(Why)), unit(Unit, _, File, _) ),
           tell('~w:~w:\n\ttest ~w: ~w', [File, Line, Name, Why])).
report_fixme :-
    counted(fixme(_, failed), Failed), counted(fixme(_, passed), Passed), counted(fixme(_, nondet), Nondet),
    (   Failed + Passed + Nondet =:= 0 -> true
    ;   Passed + Nondet =:= 0 -> tell('all ~D tests flagged FIXME failed', [Failed])
    ;   Nondet =:= 0 -> tell('FIXME: ~D failed; ~D passed', [Failed, Passed])
    ;   All is Passed + Nondet, tell('FIXME: ~D failed; ~D passed; (~D nondet)', [Failed, All, Nondet])
    ).

% Reports go to user_error: whole lines, and one mark per test on a common line.
tell(Format, Args) :- ( silent -> true ; begin_line(Format, Args), dot('\n') ).
begin_line(Format, Args) :- ( silent -> true ; format(user_error, '~N% ', []), format(user_error, Format, Args) ).
complain(Prefix, Format, Args) :- format(user_error, '~N~w', [Prefix]), format(user_error, Format, Args), dot('\n').
dot(Mark) :- ( silent, atom_length(Mark, 1), Mark \== '\n' -> true ; format(user_error, '~w', [Mark]) ).
