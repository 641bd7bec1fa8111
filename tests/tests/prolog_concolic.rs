//! The derivations of the paper on concolic testing of Prolog (Vidal, LOPSTR 2014), step for step, and
//! our machine beside its semantics.
//!
//! Variables of clauses are renamed apart by the number of the step: `R_2` is the paper's `L'`.

use conformance::swipl::Installed;
use expect_test::{Expect, expect};
use papers::concolic_prolog::{
    Event, Term, concolic, next_goal, read_goal, read_program, run, show_trace,
};
use prolog::concolic::{Arg, Goal, Unit, to_term};
use prolog::text::Reader;
use prolog::{File, Limits, Machine};
use std::collections::BTreeSet;
use trace::Input;

const EXAMPLE_1: &str = "
    main(L,N,R) :- length(L,N), rev(L,[],R), foo(a).
    main(_L,_N,error).
    rev([],A,A).
    rev([H|T],Acc,Res) :- is_list(Acc), rev(T,[H|Acc],Res).
    is_list([]).
    is_list([_H|T]) :- is_list(T).
    length([],0).
    length([_H|R],s(N)) :- length(R,N).
    foo(b).";

const EXAMPLE_2: &str = "p(X) :- q(X), r(X). q(X) :- s(X). s(a). s(b). r(b).";

const SECTION_5_2: &str = "
    main(L,N,R) :- length(L,N), rev(L,[],R).
    main(_L,_N,error).
    rev([],A,A).
    rev([H|T],Acc,Res) :- is_list(Acc), rev(T,[H|Acc],Res).
    is_list([]).
    is_list([_H|T]) :- is_list(T).
    length([],0).
    length([_H|R],s(N)) :- length(R,N).";

const MAX_STEPS: usize = 100;

fn variables(of: &Term) -> Vec<String> {
    let mut res = Vec::new();
    of.variables(&mut res);
    res
}

/// The concrete computation as the figures show it.
#[track_caller]
fn check_concrete(program: &str, goal: &str, expect: &Expect) -> Vec<Event> {
    let program = read_program(program).expect("a program");
    let goal = read_goal(goal).expect("a goal");
    let variables = variables(&goal);
    let states = run(&program, &goal, MAX_STEPS);
    let lines: Vec<String> = states
        .iter()
        .map(|(event, state)| {
            let event = event.as_ref().map(|it| format!("{it} ")).unwrap_or_default();
            format!("{event}{}\n", state.show(&variables))
        })
        .collect();
    expect.assert_eq(&lines.concat());
    states.into_iter().filter_map(|it| it.0).collect()
}

/// The concolic execution for a trace; then the goal that is tried next.
#[track_caller]
fn check_concolic(program: &str, trace: Vec<Event>, goal: &str, left: &[usize], expect: &Expect) {
    let program = read_program(program).expect("a program");
    let goal = read_goal(goal).expect("a goal");
    let variables = variables(&goal);
    let steps = concolic(&program, trace, &goal, left.iter().copied().collect());
    let mut text = String::new();
    for step in &steps {
        let labels: Vec<String> = step
            .alternatives
            .iter()
            .map(|it| format!("c({},{}) ", it.label, it.unifier.restricted(&all_variables(step))))
            .collect();
        text += &format!("{}{}\n", labels.concat(), step.state.show(&variables));
    }
    if let Some((label, next)) = next_goal(&goal, &steps) {
        text += &format!("next: {next} for clause {label}\n");
    }
    expect.assert_eq(&text);
}

/// Of an alternative, what it does to variables of the goal before it is what the figures show.
fn all_variables(step: &papers::concolic_prolog::Step) -> Vec<String> {
    let mut res = Vec::new();
    for alternative in &step.alternatives {
        let bound = alternative.unifier.0.keys();
        res.extend(bound.cloned());
    }
    res.sort();
    res.dedup();
    res
}

#[test]
fn figure_2() {
    let trace = check_concrete(
        EXAMPLE_1,
        "main([a,b],s(s(0)),R)",
        &expect![[r#"
        <main([a,b],s(s(0)),R);id;[]>
        u(1,2) <length([a,b],s(s(0))),rev([a,b],[],R),foo(a);id;[(2;{R/error};true)]>
        u(8) <length([b],s(0)),rev([a,b],[],R),foo(a);id;[(2;{R/error};true)]>
        u(8) <length([],0),rev([a,b],[],R),foo(a);id;[(2;{R/error};true)]>
        u(7) <rev([a,b],[],R),foo(a);id;[(2;{R/error};true)]>
        u(4) <is_list([]),rev([b],[a],R),foo(a);id;[(2;{R/error};true)]>
        u(5) <rev([b],[a],R),foo(a);id;[(2;{R/error};true)]>
        u(4) <is_list([a]),rev([],[b,a],R),foo(a);id;[(2;{R/error};true)]>
        u(6) <is_list([]),rev([],[b,a],R),foo(a);id;[(2;{R/error};true)]>
        u(5) <rev([],[b,a],R),foo(a);id;[(2;{R/error};true)]>
        u(3) <foo(a);{R/[b,a]};[(2;{R/error};true)]>
        b(2) <true;{R/error};[]>
    "#]],
    );
    let expected = "[u(1,2),u(8),u(8),u(7),u(4),u(5),u(4),u(6),u(5),u(3),b(2)]";
    assert_eq!(show_trace(&trace), expected);
}

#[test]
fn figure_4() {
    let trace = check_concrete(
        EXAMPLE_2,
        "p(a)",
        &expect![[r#"
        <p(a);id;[]>
        u(1) <q(a),r(a);id;[]>
        u(2) <s(a),r(a);id;[]>
        u(3) <r(a);id;[]>
        f <fail;id;[]>
    "#]],
    );
    assert_eq!(show_trace(&trace), "[u(1),u(2),u(3),f]");
    check_concolic(
        EXAMPLE_2,
        trace,
        "p(X)",
        &[1, 2, 3, 4, 5],
        &expect![[r#"
            <[u(1),u(2),u(3),f];[];p(X);id;[];{1,2,3,4,5}>
            <[u(2),u(3),f];[1];q(X),r(X),e(1);id;[];{1,2,3,4,5}>
            <[u(3),f];[2,1];s(X),e(2),r(X),e(1);id;[];{1,2,3,4,5}>
            c(4,{X/b}) <[f];[3,2,1];e(3),e(2),r(a),e(1);{X/a};[];{1,2,3,4,5}>
            <[f];[2,1];e(2),r(a),e(1);{X/a};[];{1,2,4,5}>
            <[f];[1];r(a),e(1);{X/a};[];{1,4,5}>
            <[];[1];fail;{X/a};[];{1,4,5}>
            next: p(b) for clause 4
        "#]],
    );
}

#[test]
fn figure_5() {
    let trace = check_concrete(
        SECTION_5_2,
        "main([a,b],s(0),R)",
        &expect![[r#"
        <main([a,b],s(0),R);id;[]>
        u(1,2) <length([a,b],s(0)),rev([a,b],[],R);id;[(2;{R/error};true)]>
        u(8) <length([b],0),rev([a,b],[],R);id;[(2;{R/error};true)]>
        b(2) <true;{R/error};[]>
    "#]],
    );
    assert_eq!(show_trace(&trace), "[u(1,2),u(8),b(2)]");
    let all: Vec<usize> = (1..=8).collect();
    check_concolic(
        SECTION_5_2,
        trace,
        "main(L,N,R)",
        &all,
        &expect![[r#"
            <[u(1,2),u(8),b(2)];[];main(L,N,R);id;[];{1,2,3,4,5,6,7,8}>
            <[u(8),b(2)];[1];length(L,N),rev(L,[],R),e(1);id;[(2;[2];{R/error};e(2))];{1,2,3,4,5,6,7,8}>
            c(7,{L/[],N/0}) <[b(2)];[8,1];length(R_2,N_2),e(8),rev([H_2|R_2],[],R),e(1);{L/[H_2|R_2],N/s(N_2)};[(2;[2];{R/error};e(2))];{1,2,3,4,5,6,7,8}>
            c(7,{N_2/0,R_2/[]}) c(8,{N_2/s(N_3),R_2/[H_3|R_3]}) <[];[2];e(2);{R/error};[];{1,2,3,4,5,6,7,8}>
            <[];[];true;{R/error};[];{1,3,4,5,6,7,8}>
            next: main([H_2],s(0),R) for clause 7
        "#]],
    );
}

#[test]
fn figures_6_and_7() {
    let trace = check_concrete(
        SECTION_5_2,
        "main([a],s(0),R)",
        &expect![[r#"
        <main([a],s(0),R);id;[]>
        u(1,2) <length([a],s(0)),rev([a],[],R);id;[(2;{R/error};true)]>
        u(8) <length([],0),rev([a],[],R);id;[(2;{R/error};true)]>
        u(7) <rev([a],[],R);id;[(2;{R/error};true)]>
        u(4) <is_list([]),rev([],[a],R);id;[(2;{R/error};true)]>
        u(5) <rev([],[a],R);id;[(2;{R/error};true)]>
        u(3) <true;{R/[a]};[(2;{R/error};true)]>
    "#]],
    );
    assert_eq!(show_trace(&trace), "[u(1,2),u(8),u(7),u(4),u(5),u(3)]");
    check_concolic(
        SECTION_5_2,
        trace,
        "main(L,N,R)",
        &[4, 5, 6, 8],
        &expect![[r#"
            <[u(1,2),u(8),u(7),u(4),u(5),u(3)];[];main(L,N,R);id;[];{4,5,6,8}>
            <[u(8),u(7),u(4),u(5),u(3)];[1];length(L,N),rev(L,[],R),e(1);id;[(2;[2];{R/error};e(2))];{4,5,6,8}>
            c(7,{L/[],N/0}) <[u(7),u(4),u(5),u(3)];[8,1];length(R_2,N_2),e(8),rev([H_2|R_2],[],R),e(1);{L/[H_2|R_2],N/s(N_2)};[(2;[2];{R/error};e(2))];{4,5,6,8}>
            c(8,{N_2/s(N_3),R_2/[H_3|R_3]}) <[u(4),u(5),u(3)];[7,8,1];e(7),e(8),rev([H_2],[],R),e(1);{L/[H_2],N/s(0)};[(2;[2];{R/error};e(2))];{4,5,6,8}>
            <[u(4),u(5),u(3)];[8,1];e(8),rev([H_2],[],R),e(1);{L/[H_2],N/s(0)};[(2;[2];{R/error};e(2))];{4,5,6,8}>
            <[u(4),u(5),u(3)];[1];rev([H_2],[],R),e(1);{L/[H_2],N/s(0)};[(2;[2];{R/error};e(2))];{4,5,6}>
            <[u(5),u(3)];[4,1];is_list([]),rev([],[H_2],R),e(4),e(1);{L/[H_2],N/s(0)};[(2;[2];{R/error};e(2))];{4,5,6}>
            <[u(3)];[5,4,1];e(5),rev([],[H_2],R),e(4),e(1);{L/[H_2],N/s(0)};[(2;[2];{R/error};e(2))];{4,5,6}>
            <[u(3)];[4,1];rev([],[H_2],R),e(4),e(1);{L/[H_2],N/s(0)};[(2;[2];{R/error};e(2))];{4,6}>
            <[];[3,4,1];e(3),e(4),e(1);{L/[H_2],N/s(0),R/[H_2]};[(2;[2];{R/error};e(2))];{4,6}>
            <[];[4,1];e(4),e(1);{L/[H_2],N/s(0),R/[H_2]};[(2;[2];{R/error};e(2))];{4,6}>
            <[];[1];e(1);{L/[H_2],N/s(0),R/[H_2]};[(2;[2];{R/error};e(2))];{6}>
            <[];[];true;{L/[H_2],N/s(0),R/[H_2]};[(2;[2];{R/error};e(2))];{6}>
            next: main([H_2,H_3|R_3],s(s(N_3)),R) for clause 8
        "#]],
    );
}

#[test]
fn the_last_goal_of_section_5_2_completes_clause_6() {
    let program = read_program(SECTION_5_2).expect("a program");
    let goal = read_goal("main([a,b],s(s(0)),R)").expect("a goal");
    let trace: Vec<Event> =
        run(&program, &goal, MAX_STEPS).into_iter().filter_map(|it| it.0).collect();
    let expected = "[u(1,2),u(8),u(8),u(7),u(4),u(5),u(4),u(6),u(5),u(3)]";
    assert_eq!(show_trace(&trace), expected);
    let general = read_goal("main(L,N,R)").expect("a goal");
    let steps = concolic(&program, trace, &general, BTreeSet::from([6]));
    assert!(steps.last().expect("a state").state.left.is_empty());
}

/// Goals of the figures and some more: up to the first answer, the machine completes exactly the
/// clauses that the semantics completes.
#[test]
fn the_machine_completes_what_the_semantics_completes() {
    let cases: &[(&str, &[&str])] = &[
        (EXAMPLE_1, &["main([a,b],s(s(0)),R)", "main([],0,R)", "main([a],0,R)"]),
        (EXAMPLE_2, &["p(a)", "p(b)", "p(c)"]),
        (
            SECTION_5_2,
            &[
                "main([a,b],s(0),R)",
                "main([a],s(0),R)",
                "main([a,b],s(s(0)),R)",
                "main([],0,R)",
                "main([a,b,c],s(s(s(0))),R)",
                "main(x,y,R)",
            ],
        ),
    ];
    for (text, goals) in cases {
        let program = read_program(text).expect("a program");
        for goal in *goals {
            let parsed = read_goal(goal).expect("a goal");
            let trace: Vec<Event> =
                run(&program, &parsed, MAX_STEPS).into_iter().filter_map(|it| it.0).collect();
            let all: BTreeSet<usize> = program.iter().map(|it| it.label).collect();
            let steps = concolic(&program, trace, &parsed, all.clone());
            let left = &steps.last().expect("a state").state.left;
            let completed: Vec<usize> = all.difference(left).copied().collect();
            assert_eq!(completed_by_machine(text, goal), completed, "{goal}");
        }
    }
}

/// Labels of clauses, from 1.
fn completed_by_machine(text: &str, goal: &str) -> Vec<usize> {
    let mut library = Installed;
    let mut machine = Machine::new(&mut library);
    let file = File { path: "program.pl".to_owned(), text: text.to_owned() };
    let report = machine.load_marked(&file, &mut library);
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    machine.clear();
    let goal = format!("{goal}.");
    let syntax = machine.syntax();
    let read = Reader::new(&goal)
        .next_term(&mut machine.heap, &mut machine.atoms, &machine.ops, syntax)
        .expect("a goal")
        .expect("a goal");
    let (name, arity) =
        machine.heap.name_arity(read.term, &machine.atoms).expect("a goal can be called");
    let name = machine.atoms.text(name).to_owned();
    let (mut args, mut given) = (Vec::new(), Vec::new());
    for n in 0..arity {
        let value = machine.heap.arg(read.term, n);
        if value.is_var() {
            args.push(Arg::Result);
        } else {
            args.push(Arg::Input);
            given.push(to_term(&machine, value).expect("a term"));
        }
    }
    let goal =
        Goal { module: "user".to_owned(), name, args, before: Vec::new(), types: Vec::new() };
    let limits = Limits::default();
    let mut unit = Unit::new(&mut machine, &mut library, goal, limits, 1);
    let ran = unit.solve(&Input { args: given }, limits, 1).expect("it runs");
    ran.completed.iter().map(|it| *it as usize + 1).collect()
}
