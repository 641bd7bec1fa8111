//! Checks that no builtin of Prolog depends on its input without recording it.
//!
//! If a builtin with a symbolic argument records neither a choice nor a loss, it must end alike for all other
//! values of the argument. Otherwise the search would wrongly consider later clauses unsatisfiable.

use conformance::swipl::Installed;
use prolog::code::Kind;
use prolog::concolic::{Arg, Goal, Unit};
use prolog::data::AtomId;
use prolog::{File, Limits, Machine};
use std::collections::BTreeMap;
use term::{Term, read_term};
use trace::{Executor, Input, Outcome};

/// Values of the symbolic argument, as terms of the shared theory: texts are binaries, compounds are tuples.
const VALUES: &[&str] = &[
    "a",
    "[]",
    "0",
    "1",
    "-7",
    "1.5",
    "{f,a}",
    "{f,b,c}",
    "[a]",
    "[97]",
    "[a|b]",
    "<<\"ab\">>",
    "user",
    "user_error",
    "{':',user,a}",
    "{'-',a,b}",
    "[{'-',a,b}]",
];

/// Values of the other arguments.
const OTHERS: &[&str] = &["_", "f(a)", "[a]", "x", "2"];

/// Builtins that end the run, or that only write their arguments.
const LEFT_OUT: &[&str] = &["halt", "read_term", "read"];

fn term(text: &str) -> Term {
    read_term(text).unwrap_or_else(|it| panic!("{text}: {it:?}"))
}

/// Returns how the goal of a program ends for an input, and whether the run recorded a choice or a loss.
fn ran(program: &str, input: &str) -> (String, bool) {
    let mut library = Installed;
    let mut machine = Machine::new(&mut library);
    run_on(&mut machine, &mut library, program, input)
}

fn run_on(
    machine: &mut Machine,
    library: &mut Installed,
    program: &str,
    input: &str,
) -> (String, bool) {
    let file = File { path: "program.pl".to_owned(), text: program.to_owned() };
    machine.load_marked(&file, library);
    machine.clear();
    unit_run(machine, library, "p", input)
}

fn unit_run(
    machine: &mut Machine,
    library: &mut Installed,
    name: &str,
    input: &str,
) -> (String, bool) {
    let (name, before) = (name.to_owned(), Vec::new());
    let goal = Goal {
        module: "user".to_owned(),
        name,
        args: vec![Arg::Input],
        before,
        types: Vec::new(),
        conditions: Vec::new(),
    };
    let limits = Limits { steps: 20_000, memory_bytes: 1 << 26 };
    let mut unit = Unit::new(machine, library, goal, limits, 1);
    let run = unit.run(&Input { args: vec![term(input)] }).expect("a run");
    let ending = match &run.outcome {
        Outcome::Value(value) => format!("{value:?}"),
        Outcome::Crash { reason, .. } => format!("throws {reason:?}"),
        other @ (Outcome::Deadlock | Outcome::Stopped(_)) => format!("{other:?}"),
    };
    (ending, !run.choices.is_empty() || !run.losses.is_empty())
}

#[test]
fn builtins_record_what_they_depend_on() {
    let mut library = Installed;
    let mut machine = Machine::new(&mut library);
    let builtins: Vec<(String, usize)> = machine
        .db
        .preds
        .iter()
        .filter(|it| it.module == AtomId::SYSTEM && matches!(it.kind, Kind::Builtin(_)))
        .map(|it| (machine.atoms.text(it.name).to_owned(), it.arity as usize))
        .filter(|it| 0 < it.1 && it.1 < 5 && !it.0.starts_with('$'))
        .filter(|it| !LEFT_OUT.contains(&it.0.as_str()))
        .collect();
    assert!(200 < builtins.len(), "{}", builtins.len());
    // The program has one clause for each builtin, symbolic argument and value of the other arguments.
    let mut program = String::new();
    let mut names = Vec::new();
    for (name, arity) in &builtins {
        for n in 0..*arity {
            for (k, other) in OTHERS.iter().enumerate().take(if *arity == 1 { 1 } else { 5 }) {
                let args: Vec<&str> =
                    (0..*arity).map(|it| if it == n { "X" } else { other }).collect();
                let text = name.replace('\\', "\\\\");
                let own = format!("'{text} {n} {k}'");
                program += &format!("{own}(X) :- '{text}'({}).\n", args.join(", "));
                names.push(format!("{name} {n} {k}"));
            }
        }
    }
    let file = File { path: "program.pl".to_owned(), text: program };
    let report = machine.load_marked(&file, &mut library);
    assert!(report.errors.is_empty(), "{:?}", report.errors.first());
    machine.clear();
    let mut wrong = Vec::new();
    for name in names {
        let mut untold: BTreeMap<String, &str> = BTreeMap::new();
        let mut all: BTreeMap<String, &str> = BTreeMap::new();
        for value in VALUES {
            let (ending, told) = unit_run(&mut machine, &mut library, &name, value);
            // The culprit in an error term is the input itself, so it is not compared.
            let ending = if ending.starts_with("throws") { "throws".to_owned() } else { ending };
            if !told {
                untold.entry(ending.clone()).or_insert(value);
            }
            all.entry(ending).or_insert(value);
        }
        if !untold.is_empty() && 1 < all.len() {
            wrong.push(format!("{name}: told nothing with {untold:?}, but {all:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

/// Comparing results with arguments, catching balls and reading flags are recorded.
#[test]
fn comparisons_of_inputs_are_recorded() {
    for (program, input) in [
        ("p(X) :- copy_term(X, f(Y)), q(Y).\nq(a).", "b"),
        ("p(X) :- duplicate_term(X, f(_)).", "b"),
        ("p(X) :- nb_setval(k, X), nb_getval(k, a).", "b"),
        ("p(X) :- X =.. [f, a].", "{f,b}"),
        ("p(X) :- term_variables(f(X, Y), [Y]), functor(X, f, _).", "b"),
        ("p(X) :- catch(throw(X), a, true).", "b"),
        ("p(X) :- catch(throw(e(X)), e(f(_)), true).", "b"),
        ("p(X) :- findall(X, true, [a]).", "b"),
        ("p(X) :- assertz(k(X)), k(a).\n:- dynamic k/1.", "b"),
        ("p(_) :- current_prolog_flag(no_such_flag, true).", "b"),
        ("p(_) :- current_prolog_flag(argv, [_, a]).", "b"),
        ("p(X) :- strip_module(X, m, _).", "b"),
        ("p(X) :- setarg(X, f(a), b).", "2"),
        ("p(X) :- arg(1, f(X), a).", "b"),
        ("p(X) :- sort(0, @>=, [X, a], [a|_]).", "b"),
        ("p(X) :- atom_length(X, 3).", "b"),
        ("p(X) :- call(X).", "fail"),
        ("p(X) :- G =.. [X, 1], call(G).\nq(1).", "b"),
    ] {
        let (ending, told) = ran(program, input);
        assert!(told, "{program}: {ending} and nothing is told");
    }
}

/// Comparing cyclic terms and terms with shared subterms terminates.
#[test]
fn looking_at_large_terms_ends() {
    let tree = "tree(0, a) :- !.\ntree(N, f(X, X)) :- M is N - 1, tree(M, X).\n";
    let cyclic = "cyclic(A, C) :- A = f(A, A, B), B = g(A, B), C = f(C, C, D), D = g(C, D).\n";
    for body in [
        "tree(60, A), tree(60, B), f(A, X) == f(B, 1)",
        "tree(60, A), tree(60, B), f(A, X) @< f(B, 1)",
        "tree(60, A), tree(60, B), f(A, X) = f(B, 1)",
        "tree(60, A), tree(60, B), compare(_, f(X, A), f(1, B))",
        "cyclic(A, C), f(A, X) == f(C, 1)",
        "cyclic(A, C), f(A, X) @< f(C, 1)",
        "cyclic(A, C), f(A, X) = f(C, 1)",
        "cyclic(A, _), copy_term(f(A, X), B), B \\== f(A, X)",
        "cyclic(A, _), term_variables(f(A, X), _)",
        "cyclic(A, _), term_hash(f(A, X), _)",
        "cyclic(A, C), msort([f(A, X), f(C, 1)], _)",
        "tree(60, A), assertz(k(A, X))",
        "X = X, functor(_, f, 10000000000)",
    ] {
        let (ending, _) = ran(&format!("{tree}{cyclic}:- dynamic k/2.\np(X) :- {body}.\n"), "1");
        assert!(!ending.is_empty(), "{body}: {ending}");
    }
}
