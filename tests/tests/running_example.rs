//! The running example of [Giantsios et al. 2015, Fig. 1] through the whole loop: from one harmless input to
//! the three kinds of errors in the program.

use conformance::machine_with;
use engine::{Alone, Report, Settings, Stop, Test, explore};
use erlang::machine::Unit;
use solve::{Chain, Checked, Effort, NoNumbers, Solver, Structure};
use std::path::Path;
use term::{Atom, Domain, Style, Term, print, read_args};
use trace::{Executor, Input, Looked, Outcome};

#[test]
fn without_z3_all_errors_are_found() {
    let mut solver = Checked::new(Structure::new(NoNumbers));
    let report = explore_from("[17]", &mut solver);
    expect_all_errors(&report);
}

#[test]
fn the_whole_chain_finds_all_errors() {
    let mut solver = Chain::new(Effort::default());
    let report = explore_from("[17]", &mut solver);
    expect_all_errors(&report);
    assert!(3 <= solver.statistics.sat, "{:?}", solver.statistics);
}

#[test]
fn one_run_is_one_choice_for_each_test_of_the_input() {
    let mut machine = example();
    let mut unit = unit(&mut machine);
    let run = unit.run(&input("[17]")).expect("it runs");
    assert_eq!(run.outcome, Outcome::Value(Term::atom("ok")));
    assert_eq!(run.losses, vec![]);
    // The list has a cell; 17 is neither above nor equal to 42, but below it; then the list ends.
    let alternatives: Vec<(usize, usize)> =
        run.choices.iter().map(|it| (it.taken, it.n_alternatives())).collect();
    assert_eq!(alternatives, [(0, 3), (1, 2), (1, 2), (0, 2), (1, 3)], "{:?}", run.choices);
    let model = input("[17]").to_model();
    let mut exprs = unit.exprs().clone();
    for choice in &run.choices {
        for alternative in 0..choice.n_alternatives() {
            let constraints = choice.constraints(&mut exprs, alternative);
            let holds = term::all_hold(&exprs, &constraints, &model);
            assert_eq!(holds, alternative == choice.taken, "{choice:?}");
        }
    }
    assert!(run.choices.iter().any(|it| matches!(it.looked, Looked::Heads(..))));
}

fn explore_from(args: &str, solver: &mut impl Solver) -> Report {
    let mut machine = example();
    let settings = Settings { max_runs: Some(40), ..Settings::default() };
    let (seeds, domain) = ([input(args)], Domain::default());
    let mut watch = |_: &Report| -> Option<Stop> { None };
    let mut oracle = Alone { solver, domain: &domain };
    let report = explore(&mut unit(&mut machine), &mut oracle, &seeds, &settings, &mut watch);
    assert_eq!(report.trouble, None);
    assert_eq!((report.n_diverged, report.losses.len()), (0, 0));
    report
}

/// Checks the ends of the runs only, because the choice of inputs is up to the solver.
fn expect_all_errors(report: &Report) {
    let shown: Vec<String> = report.tests.iter().map(|it| show(&it.input, &it.outcome)).collect();
    let mut found = [false; 3];
    for Test { input, outcome, .. } in &report.tests {
        let Outcome::Crash { reason, trace, .. } = outcome else { continue };
        let is_list = matches!(input.args.as_slice(), [Term::Nil | Term::List(_)]);
        let is_case_clause = print(reason, Style::TW) == "{case_clause,eq}";
        let is_in_cmp = print(trace, Style::TW).starts_with("[{example,cmp,[42.0]");
        let is_function_clause = reason.as_atom() == Some("function_clause");
        found[0] |= is_list && is_case_clause;
        found[1] |= !is_list;
        found[2] |= is_list && is_function_clause && is_in_cmp;
    }
    assert_eq!(found, [true; 3], "42, a non-list, 42.0 in:\n{}", shown.join("\n"));
}

fn show(input: &Input, outcome: &Outcome) -> String {
    let args: Vec<String> = input.args.iter().map(|it| print(it, Style::TW)).collect();
    format!("foo({}): {outcome:?}", args.join(","))
}

fn unit(machine: &mut erlang::Machine) -> Unit<'_> {
    Unit::new(machine, Atom::new("example"), Atom::new("foo"))
}

fn input(args: &str) -> Input {
    Input { args: read_args(&format!("[{args}]")).expect("terms") }
}

fn example() -> erlang::Machine {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/example.erl");
    machine_with(Atom::new("example"), &source)
}
