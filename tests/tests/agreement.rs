//! The machine and the BEAM back end explore the same units in the same way: path by path, with the
//! same ends and the same coverage. And whatever a program does on BEAM costs one run.

use beam::backend::{BeamUnit, Limits, Runner, Witness, is_alike};
use beam::{Otp, Source};
use engine::{Alone, Report, Settings, Stop, explore};
use erlang::machine::{Allowed, Limits as Budgets, Unit};
use erlang::{Host, Machine};
use solve::{Chain, Effort};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{env, thread};
use term::{Atom, Domain, Style, Term, print, read_args};
use trace::{Executor, Input, Outcome, Run};

/// Enough to get past the first surprises of each unit.
const MAX_RUNS: usize = 40;

#[test]
fn both_explore_alike() {
    let worker = thread::Builder::new().stack_size(1 << 29).spawn(|| {
        let mut sides = Sides::new("hunts", Witness::Clauses);
        let exports = sides.machine.exports(&Atom::new("hunts")).expect("it loads");
        let helpers = ["module_info", "check", "init", "handle_call", "handle_cast"];
        for (function, arity) in exports {
            // Where processes run beside each other, clauses of the unit's own come in any order.
            if helpers.contains(&function.as_str()) {
                continue;
            }
            sides.compare("hunts", function.as_str(), &vec![Term::Int(0); arity as usize]);
        }
        let units = [
            ("lists", "nth", "1, [a]"),
            ("lists", "keysort", "1, [{a}]"),
            ("lists", "zip", "[a], [b]"),
            ("lists", "suffix", "[a], [b]"),
            ("lists", "sublist", "[a], 1"),
            ("orddict", "store", "a, 1, [{b, 2}]"),
            ("orddict", "merge", "none, [{a, 1}], [{b, 2}]"),
            ("ordsets", "union", "[a], [b]"),
            ("gb_trees", "insert", "a, 1, {0, nil}"),
            ("proplists", "get_value", "a, [a]"),
        ];
        for (module, function, args) in units {
            let args = read_args(&format!("[{args}]")).or_else(|_| read_args(args));
            sides.compare(module, function, &args.expect("arguments"));
        }
        sides.report()
    });
    let (n_units, n_runs, different) = worker.expect("a thread").join().expect("no panic");
    assert!(80 < n_units && 1_000 < n_runs, "only {n_units} units in {n_runs} runs");
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}

struct Sides {
    machine: Machine,
    /// The machine that follows BEAM.
    follower: Machine,
    runner: Runner,
    n_units: usize,
    n_runs: usize,
    different: Vec<String>,
}

impl Sides {
    fn new(module: &str, witness: Witness) -> Sides {
        let source = program(module);
        let name = Atom::new(module);
        let mut host = otp(&name, &source);
        let code = Arc::new(host.load(&name).expect("it is loaded"));
        let limits = Limits { time: Duration::from_millis(500), ..Limits::default() };
        let mut runner = Runner::new(host, Allowed::default(), witness, limits);
        runner.add(&code).expect("it is rewritten");
        Sides {
            machine: machine(&name, &source),
            follower: machine(&name, &source),
            runner,
            n_units: 0,
            n_runs: 0,
            different: Vec::new(),
        }
    }

    fn compare(&mut self, module: &str, function: &str, seed: &[Term]) {
        let (module, name) = (Atom::new(module), Atom::new(function));
        let seed = Input { args: seed.to_vec() };
        let mut here = Unit::new(&mut self.machine, module.clone(), name.clone());
        let ours = explored(&mut here, &seed);
        let mut there =
            BeamUnit::new(&mut self.follower, &mut self.runner, module.clone(), name.clone());
        let theirs = explored(&mut there, &seed);
        let unit = format!("{}:{function}/{}", module.as_str(), seed.args.len());
        for difference in &there.differences {
            self.different.push(format!("{unit}: {difference}"));
        }
        self.n_units += 1;
        self.n_runs += theirs.n_runs;
        if let Some(found) = difference(&ours, &theirs) {
            // Which of several inputs the solver takes is its own choice. On equal inputs, both take
            // equal paths.
            let mut here = Unit::new(&mut self.machine, module.clone(), name.clone());
            let mut there = BeamUnit::new(&mut self.follower, &mut self.runner, module, name);
            let tests = ours.tests.iter().chain(&theirs.tests);
            if tests.map(|it| &it.input).any(|it| !is_same_path(&mut here, &mut there, it)) {
                self.different.push(format!("{unit}: {found}"));
            }
        }
    }

    fn report(self) -> (usize, usize, Vec<String>) {
        (self.n_units, self.n_runs, self.different)
    }
}

fn is_same_path(here: &mut dyn Executor, there: &mut dyn Executor, input: &Input) -> bool {
    let (ours, theirs) = (here.run(input).expect("it runs"), there.run(input).expect("it runs"));
    let taken = |it: &Run| it.choices.iter().map(|it| it.taken).collect::<Vec<_>>();
    let lost = |it: &Run| it.losses.iter().map(|it| it.what.clone()).collect::<Vec<_>>();
    taken(&ours) == taken(&theirs)
        && lost(&ours) == lost(&theirs)
        && ends_alike(&ours.outcome, &theirs.outcome)
}

fn explored(unit: &mut dyn Executor, seed: &Input) -> Report {
    let mut solver = Chain::new(Effort::default());
    let settings = Settings { max_runs: Some(MAX_RUNS), ..Settings::default() };
    let mut watch = |_: &Report| -> Option<Stop> { None };
    let mut oracle = Alone { solver: &mut solver, domain: &Domain::default() };
    let seeds = std::slice::from_ref(seed);
    let report = explore(unit, &mut oracle, seeds, &settings, &mut watch);
    assert_eq!(report.trouble, None);
    report
}

/// The first thing in which the explorations differ.
fn difference(ours: &Report, theirs: &Report) -> Option<String> {
    for (n, (ours, theirs)) in ours.tests.iter().zip(&theirs.tests).enumerate() {
        if ours.input != theirs.input {
            return Some(format!("input {n} is {} and {}", text(&ours.input), text(&theirs.input)));
        }
        if !ends_alike(&ours.outcome, &theirs.outcome) {
            let (one, other) = (&ours.outcome, &theirs.outcome);
            return Some(format!("{} ends as {one:?} and {other:?}", text(&ours.input)));
        }
    }
    if ours.n_runs != theirs.n_runs || ours.tests.len() != theirs.tests.len() {
        return Some(format!("{} and {} runs", ours.n_runs, theirs.n_runs));
    }
    (ours.losses != theirs.losses).then(|| format!("{:?} and {:?}", ours.losses, theirs.losses))
}

fn ends_alike(ours: &Outcome, theirs: &Outcome) -> bool {
    match (ours, theirs) {
        (Outcome::Value(ours), Outcome::Value(theirs)) => is_alike(ours, theirs),
        (Outcome::Crash { reason, .. }, Outcome::Crash { reason: theirs, .. }) => {
            is_alike(reason, theirs)
        }
        (ours, theirs) => ours == theirs,
    }
}

fn text(input: &Input) -> String {
    let args: Vec<String> = input.args.iter().map(|it| print(it, Style::TW)).collect();
    args.join(", ")
}

/// What each function of `rough` does with some inputs.
#[test]
fn whatever_a_program_does_costs_one_run() {
    let mut sides = Sides::new("rough", Witness::Ends);
    let stopped = |what: &str| format!("stopped: {what}");
    let halted = stopped("the program halted with status 0");
    let refused = |what: &str| stopped(&format!("{what} was refused: it touches files"));
    let cases = [
        ("halts", "[1]", halted.clone()),
        ("halts", "[2]", halted.clone()),
        ("halts", "[3]", halted),
        ("halts", "[4]", "ok".to_owned()),
        ("loops", "[1]", stopped("the budget of reductions is used up")),
        ("loops", "[2]", "ok".to_owned()),
        ("eats", "[18]", stopped("the memory budget is used up")),
        ("eats", "[0]", "ok".to_owned()),
        ("kills", "[1]", "exit: killed".to_owned()),
        ("kills", "[2]", "exit: odd".to_owned()),
        ("files", "[1]", refused("file:delete/1")),
        ("files", "[2]", refused("file:read_file/1")),
        ("files", "[3]", "ok".to_owned()),
        ("clock", "[7]", "error: late".to_owned()),
        ("digest", "[<<\"abc\">>]", "error: three".to_owned()),
        ("leaves", "[x]", "ok".to_owned()),
        ("leaves", "[{a, 4}]", "error: found".to_owned()),
        ("talks", "[[1, 2]]", "error: found".to_owned()),
        ("talks", "[no]", "ok".to_owned()),
    ];
    for (function, args, expect) in cases {
        let args = read_args(args).expect("arguments");
        let (module, name) = (Atom::new("rough"), Atom::new(function));
        let mut unit = BeamUnit::new(&mut sides.follower, &mut sides.runner, module, name);
        let run = unit.run(&Input { args: args.clone() }).expect("our machinery does not fail");
        let found = match &run.outcome {
            Outcome::Value(value) => print(value, Style::TW),
            Outcome::Crash { class, reason, .. } => {
                format!("{}: {}", class.as_str(), print(reason, Style::TW))
            }
            Outcome::Deadlock => "deadlock".to_owned(),
            Outcome::Stopped(why) => stopped(why),
        };
        assert_eq!(found, expect, "{function} {args:?}");
        assert_eq!(unit.differences, Vec::<String>::new(), "{function} {args:?}");
    }
}

#[test]
fn what_is_heavy_and_concrete_runs_on_beam_alone() {
    let mut sides = Sides::new("rough", Witness::Ends);
    let (module, name) = (Atom::new("rough"), Atom::new("long"));
    let mut unit = BeamUnit::new(&mut sides.follower, &mut sides.runner, module, name);
    let report = explored(&mut unit, &Input { args: vec![Term::Int(0)] });
    let is_found = |outcome: &Outcome| matches!(outcome, Outcome::Crash { reason, .. } if reason.as_atom() == Some("found"));
    assert!(report.tests.iter().any(|it| is_found(&it.outcome)), "{:?}", report.tests);
    assert_eq!(unit.differences, Vec::<String>::new());
    let run = unit.run(&Input { args: vec![Term::Int(0)] }).expect("it runs");
    assert_eq!(run.losses, vec![], "the machine no longer goes through it");
}

fn program(module: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("concolic/{module}.erl"))
}

fn machine(module: &Atom, source: &Path) -> Machine {
    let limits = Budgets { reductions: 1_000_000, memory_bytes: 256 << 20, ..Budgets::default() };
    let settings = erlang::Settings { limits, ..erlang::Settings::default() };
    Machine::new(Box::new(otp(module, source)), settings)
}

fn otp(module: &Atom, source: &Path) -> Otp {
    let cache_dir = Some(env::temp_dir().join("gimlet-conformance-cache"));
    let settings = beam::Settings { cache_dir, ..beam::Settings::default() };
    let mut res = Otp::new(settings).expect("OTP is there");
    res.add_source(module.clone(), Source::Erl(source.to_owned()));
    res
}
