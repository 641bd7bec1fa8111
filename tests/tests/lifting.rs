//! Compares the liftings of builtins (their symbolic half) with their concrete half. Of each recorded choice,
//! exactly the taken alternative must hold for the input. A symbolic result must have the value of the
//! concrete one. Runs with equal choices must end alike, unless a loss was recorded.

use conformance::{Call, Kinds, Random, argument, functions, machine, machine_with, module_source};
use erlang::builtins::{Builtin, all};
use erlang::lift::Lift;
use erlang::machine::Recorder;
use erlang::{Machine, Outcome};
use std::path::Path;
use std::{env, fs, process};
use term::{Atom, ExprId, Exprs, Fun, Model, Style, Term, all_hold, print, read_term, value};
use trace::Choice;

/// The number of calls of each builtin.
const N_CALLS: usize = 400;
/// The number of modules of random functions, and the number of calls of each function.
const N_MODULES: usize = 40;
const N_CALLS_OF_RANDOM: usize = 40;

#[test]
fn choices_and_results_of_builtins_are_right() {
    let edges = edges();
    let mut kinds = Kinds::default();
    kinds.define("Any", edges.clone());
    kinds.add(include_str!("bif_kinds.txt"));
    let mut random = Random(7);
    let written = kinds.calls(&mut random, 60);
    let mut machine = machine();
    let mut calls = Vec::new();
    for row in all().filter(|it| matches!(it.lift, Lift::Own(_))) {
        let known = written.iter().filter(|it| is_of(it, row)).cloned();
        let mixed = (0..N_CALLS).map(|_| Call {
            module: Atom::new(row.module),
            function: Atom::new(row.name),
            args: (0..row.arity).map(|_| random.pick(&edges).clone()).collect(),
        });
        calls.extend(mixed.chain(known).filter(|it| !is_huge(it)));
    }
    check_all(&mut machine, &calls, 20_000);
}

#[test]
fn choices_and_results_of_constructs_are_right() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lifting.erl");
    let module = Atom::new("lifting");
    let mut machine = machine_with(module.clone(), &source);
    let more = include_str!("lifting_inputs.txt").lines().map(|it| read_term(it).expect("a term"));
    let inputs: Vec<Term> = edges().into_iter().chain(more).collect();
    let functions = machine.exports(&module).expect("it loads");
    let (mut calls, mut wrong) = (Vec::new(), Vec::new());
    for (function, _) in
        functions.into_iter().filter(|it| it.1 == 1 && it.0.as_str() != "module_info")
    {
        let call = |input: &Term| Call {
            module: module.clone(),
            function: function.clone(),
            args: vec![input.clone()],
        };
        let of_function: Vec<Call> = inputs.iter().map(call).collect();
        wrong.extend(differing_ends(&mut machine, &of_function));
        calls.extend(of_function);
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    check_all(&mut machine, &calls, 2_000);
}

#[test]
fn equal_choices_have_equal_ends() {
    let edges = edges();
    let mut kinds = Kinds::default();
    kinds.define("Any", edges.clone());
    kinds.add(include_str!("bif_kinds.txt"));
    let mut random = Random(11);
    let written = kinds.calls(&mut random, 60);
    let mut machine = machine();
    let mut wrong = Vec::new();
    for row in all().filter(|it| it.arity > 0) {
        let known = written.iter().filter(|it| is_of(it, row)).cloned();
        let mixed = (0..N_CALLS).map(|_| Call {
            module: Atom::new(row.module),
            function: Atom::new(row.name),
            args: (0..row.arity).map(|_| random.pick(&edges).clone()).collect(),
        });
        let calls: Vec<Call> = mixed.chain(known).filter(|it| !is_huge(it)).collect();
        wrong.extend(differing_ends(&mut machine, &calls));
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn choices_and_results_of_random_functions_are_right() {
    let dir = env::temp_dir().join(format!("gimlet-lifting-{}", process::id()));
    fs::create_dir_all(&dir).expect("a directory for programs");
    let mut random = Random(3);
    let (mut n_calls, mut wrong) = (0, Vec::new());
    for number in 0..N_MODULES {
        let module = format!("random_{number}");
        let path = dir.join(format!("{module}.erl"));
        let source = module_source(&module, &functions(&mut random));
        fs::write(&path, &source).expect("it can be written");
        let mut machine = machine_with(Atom::new(&module), &path);
        // The compiler rejects some of the modules.
        if machine.exports(&Atom::new(&module)).is_err() {
            continue;
        }
        for function in ["f0", "f1", "f2", "f3"] {
            let call = |_| Call {
                module: Atom::new(&module),
                function: Atom::new(function),
                args: (0..2).map(|_| read_term(&argument(&mut random)).expect("a term")).collect(),
            };
            let calls: Vec<Call> = (0..N_CALLS_OF_RANDOM).map(call).collect();
            n_calls += calls.len();
            let differing = differing_ends(&mut machine, &calls);
            let failed = calls.iter().find_map(|it| check(&mut machine, it).err());
            wrong.extend(differing.or(failed).map(|it| format!("{it}\n{source}")));
        }
    }
    fs::remove_dir_all(&dir).expect("our own directory can be removed");
    assert!(5_000 < n_calls, "only {n_calls} calls");
    let first = wrong.first().map_or("", String::as_str);
    assert!(wrong.is_empty(), "{} in {n_calls} calls, one is\n{first}", wrong.len());
}

/// The result of a recorded call.
struct RecordedCall {
    call: Call,
    choices: Vec<Choice>,
    result: Option<ExprId>,
    outcome: Outcome,
}

/// Returns a description of the first two calls with equal choices and different ends.
fn differing_ends(machine: &mut Machine, calls: &[Call]) -> Option<String> {
    let mut recorder = Recorder::default();
    let mut all: Vec<RecordedCall> = Vec::new();
    for call in calls {
        let recorded = machine.record(&call.module, &call.function, &call.args, recorder);
        let (run, mut after) = recorded.expect("it runs");
        let choices = std::mem::take(&mut after.choices);
        let (result, outcome) = (after.result, run.outcome);
        if after.losses.is_empty() && !matches!(outcome, Outcome::Stopped(_)) {
            let recorded_call = RecordedCall { call: call.clone(), choices, result, outcome };
            let like = all.iter().find(|it| it.choices == recorded_call.choices);
            if let Some(like) = like.filter(|it| !end_alike(&after.exprs, it, &recorded_call)) {
                let [a, b] = [shown(&like.call), shown(&recorded_call.call)];
                return Some(format!(
                    "{a} -> {:?}\n  {b} -> {:?}",
                    like.outcome, recorded_call.outcome
                ));
            }
            all.push(recorded_call);
        }
        recorder = after;
    }
    None
}

fn end_alike(exprs: &Exprs, a: &RecordedCall, b: &RecordedCall) -> bool {
    match (&a.outcome, &b.outcome) {
        // The environment of a closure is not part of its expression.
        (Outcome::Value(of_a), Outcome::Value(_)) if has_closure(of_a) => true,
        (Outcome::Value(of_a), Outcome::Value(of_b)) => match a.result {
            Some(result) => {
                let model = Model::of(b.call.args.iter().cloned());
                value(exprs, result, &model).is_some_and(|it| it.cmp_exact(of_b).is_eq())
            }
            None => of_a.cmp_exact(of_b).is_eq(),
        },
        (Outcome::Raised { class: a, .. }, Outcome::Raised { class: b, .. }) => a == b,
        (a, b) => a == b,
    }
}

fn has_closure(term: &Term) -> bool {
    let is_closure =
        |it: &Term| matches!(it, Term::Fun(fun) if matches!(**fun, Fun::Closure { .. }));
    term.has_part(is_closure)
}

fn edges() -> Vec<Term> {
    let lines = include_str!("edges.txt").lines().filter(|it| !it.starts_with('%'));
    lines.map(|it| read_term(it).expect("a term")).collect()
}

fn check_all(machine: &mut Machine, calls: &[Call], at_least: usize) {
    let n_cases = calls.len();
    assert!(at_least < n_cases, "only {n_cases} cases");
    let mut failed = |it: &Call| Some(format!("{}: {}", shown(it), check(machine, it).err()?));
    let mut wrong: Vec<String> = calls.iter().filter_map(&mut failed).collect();
    let n_wrong = wrong.len();
    wrong.truncate(40);
    assert!(wrong.is_empty(), "{n_wrong} of {n_cases}:\n{}", wrong.join("\n"));
}

fn is_of(call: &Call, row: &Builtin) -> bool {
    call.module.as_str() == row.module
        && call.function.as_str() == row.name
        && call.args.len() == usize::from(row.arity)
}

/// Whether the call is a shift that would make an integer of gigabytes.
fn is_huge(call: &Call) -> bool {
    matches!(call.function.as_str(), "bsl" | "bsr")
        && call
            .args
            .iter()
            .skip(1)
            .any(|it| it.as_int().is_none_or(|it| it.unsigned_abs() > 10_000))
}

fn check(machine: &mut Machine, call: &Call) -> Result<(), String> {
    let recorder = Recorder::default();
    let recorded = machine.record(&call.module, &call.function, &call.args, recorder);
    let (run, recorder) = recorded.map_err(|it| it.to_string())?;
    let Recorder { mut exprs, choices, result, .. } = recorder;
    let plain = machine.call(&call.module, &call.function, &call.args);
    let plain = plain.map_err(|it| it.to_string())?.outcome;
    if plain != run.outcome {
        return Err(format!("{:?} instead of {plain:?}", run.outcome));
    }
    let model = Model::of(call.args.iter().cloned());
    for choice in &choices {
        for alternative in 0..choice.n_alternatives() {
            let constraints = choice.constraints(&mut exprs, alternative);
            let holds = all_hold(&exprs, &constraints, &model);
            if holds != (alternative == choice.taken) {
                let text =
                    term::print_query(&exprs, &constraints, &model, &term::Domain::default());
                return Err(format!("took {} but {alternative} is {holds}:\n{text}", choice.taken));
            }
        }
    }
    if let (Some(expr), Outcome::Value(found)) = (result, &run.outcome) {
        let expected = value(&exprs, expr, &model);
        if !expected.as_ref().is_some_and(|it| it.cmp_exact(found).is_eq()) {
            return Err(format!("the expression says {expected:?} instead of {found:?}"));
        }
    }
    Ok(())
}

fn shown(call: &Call) -> String {
    let args: Vec<String> = call.args.iter().map(|it| print(it, Style::TW)).collect();
    format!("{}:{}({})", call.module.as_str(), call.function.as_str(), args.join(", "))
}
