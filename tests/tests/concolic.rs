//! Programs with a failure that only certain inputs reach; each has to be found.

use conformance::{machine, machine_with};
use engine::{Alone, Report, Settings, Stop, explore};
use erlang::Machine;
use erlang::machine::{FromSpec, Unit};
use solve::{Chain, Effort};
use specs::{Signature, Specs};
use std::path::Path;
use std::sync::Arc;
use term::{Atom, Dice, Domain, Style, Term, print};
use trace::{Covered, Executor, Input, Outcome};

/// Runs that a hunt may take.
const MAX_RUNS: usize = 3_000;
const MAX_DEEP_RUNS: usize = 20_000;

#[test]
fn every_hunt_finds_its_failure() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("concolic/hunts.erl");
    let module = Atom::new("hunts");
    let mut machine = machine_with(module.clone(), &source);
    let helpers =
        ["module_info", "check", "init", "handle_call", "handle_cast", "eval"].map(Atom::new);
    let exports = machine.exports(&module).expect("it loads");
    let units = exports.into_iter().filter(|it| !helpers.contains(&it.0));
    let units =
        units.filter(|it| !matches!((it.0.as_str(), it.1), ("countdown" | "machine" | "maze", 2)));
    let (mut lost, mut n_diverged) = (Vec::new(), 0);
    for (function, arity) in units {
        let (report, found) = hunt(&mut machine, &module, &function, arity);
        let name = format!("{}/{arity}", function.as_str());
        n_diverged += report.n_diverged;
        if found.is_none() && !NOT_YET.contains(&name.as_str()) {
            let Report { n_runs, stop, losses, solver, .. } = report;
            lost.push(format!("{name}: {n_runs} runs, {stop:?}, losses {losses:?}, {solver:?}"));
        }
    }
    assert_eq!(n_diverged, 0, "every input takes the path that it was made for");
    assert!(lost.is_empty(), "not found ({}):\n{}", lost.len(), lost.join("\n"));
}

#[test]
fn what_lies_deeper_is_found_too() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("concolic/deeper.erl");
    let module = Atom::new("deeper");
    let mut machine = machine_with(module.clone(), &source);
    let exports = machine.exports(&module).expect("it loads");
    let units = exports.into_iter().filter(|it| it.0.as_str() != "module_info");
    let wanted = all_clauses(&machine, &module);
    let settings = Settings { max_runs: Some(MAX_DEEP_RUNS), wanted, ..Settings::default() };
    let mut hunts = Hunts::default();
    for (function, arity) in units {
        let (report, found) = hunt_with(&mut machine, &module, &function, arity, &settings);
        let name = format!("{}/{arity}", function.as_str());
        hunts.add(&name, report, found.is_some());
    }
    hunts.expect_all_found();
}

#[test]
fn programs_as_people_write_them_are_searched_from_their_specs() {
    hunt_from_specs("wider", TAKE_LONG);
}

#[test]
fn planted_mistakes_are_found_from_specs() {
    hunt_from_specs("planted", &[]);
}

/// All functions of a module that have specs, except some.
fn hunt_from_specs(name: &str, except: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("concolic/{name}.erl"));
    let module = Atom::new(name);
    let mut machine = machine_with(module.clone(), &source);
    let wanted = all_clauses(&machine, &module);
    let settings = Settings { max_runs: Some(MAX_WIDE_RUNS), wanted, ..Settings::default() };
    let mut hunts = Hunts::default();
    let is_meant = |name: &str| !except.contains(&name);
    each_with_spec(&mut machine, &module, is_meant, &settings, |name, report, is_found| {
        hunts.add(name, report, is_found);
    });
    hunts.expect_all_found();
}

#[test]
fn in_libraries_too_every_input_takes_the_path_that_it_was_made_for() {
    let mut machine = machine();
    let settings = Settings { max_runs: Some(MAX_LIBRARY_RUNS), ..Settings::default() };
    for (module, functions) in LIBRARIES {
        let module = Atom::new(module);
        // What comes with the module is loaded by the first call.
        machine.call(&module, &Atom::new("module_info"), &[]).expect("it loads");
        let is_meant = |name: &str| functions.contains(&name);
        each_with_spec(&mut machine, &module, is_meant, &settings, |name, report, _| {
            let Report { n_runs, n_diverged, .. } = report;
            assert_eq!((n_runs, n_diverged), (MAX_LIBRARY_RUNS, 0), "{}:{name}", module.as_str());
        });
    }
}

/// Functions whose result is an input or a part of one, or that choose others by their input.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("string", &["equal/4", "find/2", "prefix/2", "split/2", "trim/3"]),
    ("unicode", &["characters_to_list/2"]),
    ("uri_string", &["transcode/2"]),
];
const MAX_LIBRARY_RUNS: usize = 100;

/// Searches each function that is meant and has a spec.
fn each_with_spec(
    machine: &mut Machine,
    module: &Atom,
    is_meant: impl Fn(&str) -> bool,
    settings: &Settings,
    mut tell: impl FnMut(&str, Report, bool),
) {
    let mut specs = Specs::default();
    for (function, arity) in machine.exports(module).expect("it loads") {
        let name = format!("{}/{arity}", function.as_str());
        if !is_meant(&name) {
            continue;
        }
        let n = arity as usize;
        let found = specs.signature(machine.host(), module, &function, n).expect("it loads");
        let Some(signature) = found else { continue };
        let domain = signature.domain.clone();
        let seeds = seeds(&signature, &domain);
        let promise = Arc::new(signature.promise());
        let spec = FromSpec { domain: Arc::new(domain.clone()), promise };
        let unit = Unit::new(machine, module.clone(), function.clone()).within(spec);
        let (report, found) =
            hunt_from(unit.testing(std::slice::from_ref(module)), &domain, &seeds, settings);
        tell(&name, report, found.is_some());
    }
}

/// What did not go as it should.
#[derive(Default)]
struct Hunts {
    lost: Vec<String>,
    diverged: Vec<String>,
}

impl Hunts {
    fn add(&mut self, name: &str, report: Report, is_found: bool) {
        let Report { n_runs, n_diverged, stop, losses, solver, .. } = report;
        if n_diverged > 0 {
            self.diverged.push(format!("{name}: {n_diverged} of {n_runs}"));
        }
        if !is_found {
            let line = format!("{name}: {n_runs} runs, {stop:?}, losses {losses:?}, {solver:?}");
            self.lost.push(line);
        }
    }

    fn expect_all_found(&self) {
        let Hunts { lost, diverged } = self;
        assert!(diverged.is_empty(), "not the path that the input was made for: {diverged:?}");
        assert!(lost.is_empty(), "not found ({}):\n{}", lost.len(), lost.join("\n"));
    }
}

const N_SEEDS: usize = 4;

/// Runs that a program of this file may take; most take a tenth.
const MAX_WIDE_RUNS: usize = 2_000;

/// What takes longer than a test may, or is not found yet: hashes, regular expressions, floats of
/// several roundings, texts that libraries take apart letter by letter.
const TAKE_LONG: &[&str] = &[
    "balanced/1",
    "bst/1",
    "caesar/2",
    "crc16/1",
    "crc8/1",
    "cron/1",
    "csv/1",
    "ets_match/1",
    "ets_words/1",
    "float_bits/1",
    "float_text/1",
    "formatted/2",
    "frame/1",
    "hashed/1",
    "histogram/1",
    "hypot/2",
    "ipv4/1",
    "log_line/1",
    "lru/2",
    "median/1",
    "printed/1",
    "query_string/1",
    "regexp/1",
    "rgb/1",
    "roman/1",
    "semver/1",
    "server/1",
    "statem/1",
    "tokens/1",
    "url/1",
    "version/2",
    "words/2",
];

fn seeds(signature: &Signature, domain: &Domain) -> Vec<Input> {
    let mut dice = Dice(0);
    let first = signature.first_input().map(|args| Input { args });
    let sizes = [3, 6, 12].into_iter();
    let more = sizes.filter_map(|it| domain.types.sample(domain.args?, it, &mut dice));
    let more = more.filter_map(|it| Some(Input { args: it.as_tuple()?.to_vec() }));
    let is_member = |it: &Input| domain.has(&it.args);
    first.into_iter().chain(more).filter(is_member).collect()
}

#[test]
fn behind_the_last_choice_that_is_kept_runs_end_as_ever() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("concolic/long.erl");
    let module = Atom::new("long");
    let mut machine = machine_with(module.clone(), &source);
    let mut check = |function: &str, input: Term, expect: i64| {
        let mut unit = Unit::new(&mut machine, module.clone(), Atom::new(function));
        let run = unit.run(&Input { args: vec![input] }).expect("it runs");
        assert_eq!(run.outcome, Outcome::Value(Term::Int(expect)), "{function}");
        assert!(!run.losses.is_empty(), "{function} has too few choices");
    };
    check("bytes", Term::binary(vec![7; 3_000]), 3_000);
    check("words", Term::binary(b"a".repeat(3_000)), 3_000 * 97);
    check("items", Term::proper_list(vec![Term::Int(1); 3_000]), 3_000);
}

/// What the solver does not find yet.
const NOT_YET: &[&str] = &["upper/1"];

fn hunt(
    machine: &mut Machine,
    module: &Atom,
    function: &Atom,
    arity: u32,
) -> (Report, Option<String>) {
    let settings = Settings { max_runs: Some(MAX_RUNS), ..Settings::default() };
    hunt_with(machine, module, function, arity, &settings)
}

fn hunt_with(
    machine: &mut Machine,
    module: &Atom,
    function: &Atom,
    arity: u32,
    settings: &Settings,
) -> (Report, Option<String>) {
    let unit = Unit::new(machine, module.clone(), function.clone());
    let seed = Input { args: vec![Term::Int(0); arity as usize] };
    hunt_from(unit, &Domain::default(), &[seed], settings)
}

/// All there are: whatever was entered, there is reason to look deeper.
fn all_clauses(machine: &Machine, module: &Atom) -> Covered {
    let clauses = machine.clauses(module);
    let last = clauses.iter().map(|it| it.id.0 as usize / 64).max().unwrap_or(0);
    Covered::from_words(vec![u64::MAX; last + 1])
}

fn hunt_from(
    mut unit: Unit<'_>,
    domain: &Domain,
    seeds: &[Input],
    settings: &Settings,
) -> (Report, Option<String>) {
    let mut solver = Chain::new(Effort::default());
    let mut watch = |report: &Report| found(report).map(|_| Stop::Interrupted);
    let mut oracle = Alone { solver: &mut solver, domain };
    let mut report = explore(&mut unit, &mut oracle, seeds, settings, &mut watch);
    assert_eq!(report.trouble, None);
    report.solver = solver.statistics;
    let found = found(&report);
    (report, found)
}

/// The input that failed as it should.
fn found(report: &Report) -> Option<String> {
    let is_found = |outcome: &Outcome| matches!(outcome, Outcome::Crash { reason, .. } if reason.as_atom() == Some("found"));
    // The first inputs are run before anybody looks.
    let mut last = report.tests.iter().rev().take(N_SEEDS);
    let test = last.find(|it| is_found(&it.outcome))?;
    let args: Vec<String> = test.input.args.iter().map(|it| print(it, Style::TP)).collect();
    Some(args.join(", "))
}
