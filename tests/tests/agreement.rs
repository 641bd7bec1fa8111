//! The machine and the BEAM back end explore the same units in the same way: the same paths, ends and
//! coverage. A run that harms the runtime affects no other run.

use beam::backend::{BeamUnit, Limits, Ran, Runner, Witness, is_alike};
use beam::{Otp, Source};
use engine::{Alone, Report, Settings, Stop, explore};
use erlang::machine::{Allowed, Limits as Budgets, Unit};
use erlang::{Host, Machine};
use solve::{Chain, Effort};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, thread};
use term::{Atom, Domain, Style, Term, print, read_args};
use trace::{Executor, Input, Outcome, Run};

/// The number of runs of each exploration, which is enough to reach several new paths of each unit.
const MAX_RUNS: usize = 40;

#[test]
fn both_explore_alike() {
    // These functions run in concurrent processes, so their clauses are entered in varying order.
    const BESIDE: &[&str] = &["check", "init", "handle_call", "handle_cast"];
    compare_all("hunts", BESIDE, LIBRARIES, (80, 1_000));
}

#[test]
fn both_find_deeper_failures_alike() {
    compare_all("deeper", &[], &[], (40, 500));
}

/// Functions of OTP, and their first arguments.
const LIBRARIES: &[(&str, &str, &str)] = &[
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
    ("calendar", "local_time_to_universal_time", "{{1970, 1, 1}, {0, 0, 0}}, true"),
    ("calendar", "system_time_to_local_time", "1, second"),
    ("maps", "next", "[3 | #{a => 1}]"),
    ("queue", "in", "a, {[], []}"),
    ("string", "trim", "\"a b\""),
];

/// Compares the explorations of all functions of a program except `left_out`, and of the functions `others`,
/// and checks the minimum numbers of units and runs.
fn compare_all(
    program: &'static str,
    left_out: &'static [&str],
    others: &'static [(&str, &str, &str)],
    (least_units, least_runs): (usize, usize),
) {
    let worker = thread::Builder::new().stack_size(1 << 29).spawn(move || {
        let mut sides = Sides::new(program, Witness::Clauses);
        let exports = sides.machine.exports(&Atom::new(program)).expect("it loads");
        for (function, arity) in exports {
            let name = function.as_str();
            if name != "module_info" && !left_out.contains(&name) {
                sides.compare(program, name, &vec![Term::Int(0); arity as usize]);
            }
        }
        for (module, function, args) in others {
            let args = read_args(&format!("[{args}]")).or_else(|_| read_args(args));
            sides.compare(module, function, &args.expect("arguments"));
        }
        sides.report()
    });
    let (n_units, n_runs, different) = worker.expect("a thread").join().expect("no panic");
    assert!(least_units < n_units && least_runs < n_runs, "{n_units} units in {n_runs} runs");
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}

struct Sides {
    machine: Machine,
    /// The machine that follows the runs on BEAM.
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
            // The two solvers may choose different inputs. For equal inputs, both sides must take the same
            // path.
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

/// Returns a description of the first difference between the explorations.
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

/// The ends of each function of `rough` for some inputs.
#[test]
fn harmful_runs_affect_no_other_run() {
    let mut rough = Rough::new();
    let halted = stopped("the program halted with status 0");
    let refused = |what: &str| stopped(&format!("{what} was refused: it touches files"));
    let of_os =
        |what: &str| stopped(&format!("{what} was refused: it touches the operating system"));
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
        ("effects", "[1]", of_os("os:cmd/1")),
        ("effects", "[2]", of_os("erlang:open_port/2")),
        ("effects", "[3]", stopped("gen_tcp:connect/3 was refused: it touches the network")),
        ("effects", "[4]", refused("file:write_file/2")),
        ("effects", "[5]", "ok".to_owned()),
        ("effects", "[6]", "ok".to_owned()),
        ("effects", "[7]", "ok".to_owned()),
        ("effects", "[8]", "ok".to_owned()),
        ("effects", "[9]", "ok".to_owned()),
        ("effects", "[10]", "ok".to_owned()),
        ("effects", "[11]", "ok".to_owned()),
        ("effects", "[12]", stopped("gen_udp:open/1 was refused: it touches the network")),
        ("effects", "[13]", "{ok,clean}".to_owned()),
        ("dictionary", "[x]", "{[{a,x}],{[a],[],[a]},[{a,x}],[]}".to_owned()),
        ("meets", "[1]", "1".to_owned()),
        ("meets", "[3]", "error: wednesday".to_owned()),
        ("hands_on", "[1]", refused("file:delete/1")),
        ("hands_on", "[2]", refused("file:delete/1")),
        ("hands_on", "[3]", refused("file:delete/1")),
        ("hands_on", "[4]", "ok".to_owned()),
        ("hands_on", "[5]", "ok".to_owned()),
        ("hands_on", "[6]", "function_clause".to_owned()),
        ("hands_on", "[7]", "seven".to_owned()),
        ("timers", "[[]]", "ok".to_owned()),
        ("timers", "[[1]]", "error: found".to_owned()),
    ];
    for (function, args, expect) in cases {
        rough.check(function, args, &expect);
    }
    // All runs used the same runtime.
    assert_eq!(rough.sides.runner.n_starts(), 1);
}

/// A runtime that a run has broken is replaced by a new one, and later runs are not affected.
#[test]
fn a_broken_runtime_is_replaced() {
    let mut rough = Rough::new();
    for n in 1..=5 {
        rough.check("breaks", &format!("[{n}]"), "ok");
        rough.check("leaves", "[{a, 4}]", "error: found");
        rough.check("meets", "[3]", "error: wednesday");
    }
}

#[test]
fn exhausting_the_memory_affects_no_other_run() {
    let mut rough = Rough::new();
    let memory = stopped("the memory budget is used up");
    for (n, expect) in [
        (1, memory.clone()),
        (2, memory.clone()),
        (3, memory.clone()),
        (4, stopped("the budget of processes is used up")),
        (5, stopped("the budget of reductions is used up")),
        (6, memory),
    ] {
        rough.check("floods", &format!("[{n}]"), &expect);
        rough.check("leaves", "[{a, 4}]", "error: found");
    }
    // The table of atoms is never garbage-collected, so it is full after some runs; that must not be
    // attributed to the last one.
    for n in 0..8 {
        rough.check("few_atoms", &format!("[{n}]"), "ok");
    }
}

/// Rewritten and compiled modules are cached and only loaded the next time.
#[test]
fn rewritten_modules_are_kept() {
    let dir = env::temp_dir().join(format!("gimlet-rewritten-{}", std::process::id()));
    let name = Atom::new("rough");
    let compiled = |witness: Witness| {
        let settings = beam::Settings { cache_dir: Some(dir.clone()), ..beam::Settings::default() };
        let mut host = Otp::new(settings).expect("OTP is there");
        host.add_source(name.clone(), Source::Erl(program("rough")));
        let code = Arc::new(host.load(&name).expect("it is loaded"));
        let mut runner = Runner::new(host, Allowed::default(), witness, Limits::default());
        runner.add(&code).expect("it is rewritten");
        let ran = runner.run(&name, &Atom::new("meets"), &[Term::Int(1)]).expect("it runs");
        assert!(matches!(ran, Ran::Ended(_)), "{ran:?}");
        runner.n_compiled
    };
    let first = compiled(Witness::Path);
    assert!(2 <= first, "rough and calendar, but {first}");
    assert_eq!(compiled(Witness::Path), 0);
    assert!(0 < compiled(Witness::Ends), "another way of rewriting is another module");
    fs::remove_dir_all(&dir).expect("our own directory can be removed");
}

/// The number of a path depends only on the choices.
#[test]
fn paths_are_told_apart() {
    let mut sides = Sides::new("rough", Witness::Path);
    let mut path = |function: &str, args: &str| {
        let args = read_args(args).expect("arguments");
        match sides.runner.run(&Atom::new("rough"), &Atom::new(function), &args) {
            Ok(Ran::Ended(end)) => end.path.expect("it is witnessed"),
            other => panic!("{function}: {other:?}"),
        }
    };
    let ways = ["[[3, x, 2, y]]", "[[3, x, y, 2]]", "[[x, 3, 2, y]]", "[[3, x, 2]]", "[[x]]"];
    let numbers: Vec<i64> = ways.iter().map(|it| path("ways", it)).collect();
    for (n, number) in numbers.iter().enumerate() {
        assert!(!numbers.iter().skip(n + 1).any(|it| it == number), "{n} of {numbers:?}");
    }
    assert_eq!(path("ways", "[[3, x, 2, y]]"), path("ways", "[[7, z, 9, w]]"));
}

struct Rough {
    sides: Sides,
}

impl Rough {
    fn new() -> Rough {
        Rough { sides: Sides::new("rough", Witness::Path) }
    }

    /// Checks how a run ends on both sides.
    fn check(&mut self, function: &str, args: &str, expect: &str) {
        let args = read_args(args).expect("arguments");
        let (module, name) = (Atom::new("rough"), Atom::new(function));
        let Sides { follower, runner, .. } = &mut self.sides;
        let mut unit = BeamUnit::new(follower, runner, module, name);
        let run = unit.run(&Input { args: args.clone() }).expect("our machinery does not fail");
        let found = match &run.outcome {
            Outcome::Value(value) => print(value, Style::TW),
            Outcome::Crash { class, reason, .. } => {
                format!("{}: {}", class.as_str(), print(reason, Style::TW))
            }
            Outcome::Deadlock => "deadlock".to_owned(),
            Outcome::Stopped(why) => stopped(&why.to_string()),
        };
        assert_eq!(found, expect, "{function} {args:?}");
        // The exceptions are functions that the machine can follow alone; in all other cases BEAM must have
        // reached the end itself.
        let is_alone = ["breaks", "effects", "few_atoms", "kills"].contains(&function);
        assert!(
            is_alone || unit.cut.is_some() == expect.starts_with("stopped"),
            "{function} {args:?}: {:?}",
            unit.cut
        );
        assert_eq!(unit.differences, Vec::<String>::new(), "{function} {args:?}");
    }
}

fn stopped(what: &str) -> String {
    format!("stopped: {what}")
}

/// With `only_if_needed`, a unit runs on BEAM only if the machine lacks something or BEAM is faster.
#[test]
fn beam_is_used_if_needed() {
    let mut sides = Sides::new("rough", Witness::Path);
    let cases = [
        ("talks", "[[1, 2]]", false),
        ("loops", "[1]", false),
        ("long", "[0]", true),
        // A unit that was found to run faster on BEAM starts there the next time.
        ("long", "[0]", true),
        ("profiles", "[1]", true),
        ("profiles", "[0]", false),
    ];
    for (function, args, expect) in cases {
        let input = Input { args: read_args(args).expect("arguments") };
        let (module, name) = (Atom::new("rough"), Atom::new(function));
        let unit = BeamUnit::new(&mut sides.follower, &mut sides.runner, module, name);
        let mut unit = unit.only_if_needed();
        unit.run(&input).expect("it runs");
        assert_eq!(unit.is_on_beam(), expect, "{function} {args}");
    }
}

#[test]
fn heavy_concrete_computations_run_on_beam_only() {
    let mut sides = Sides::new("rough", Witness::Path);
    sides.runner.limit(Limits { time: Duration::from_secs(10), ..Limits::default() });
    let (module, name) = (Atom::new("rough"), Atom::new("long"));
    let mut unit = BeamUnit::new(&mut sides.follower, &mut sides.runner, module, name);
    let report = explored(&mut unit, &Input { args: vec![Term::Int(0)] });
    let is_found = |outcome: &Outcome| matches!(outcome, Outcome::Crash { reason, .. } if reason.as_atom() == Some("found"));
    assert!(report.tests.iter().any(|it| is_found(&it.outcome)), "{:?}", report.tests);
    assert_eq!(unit.differences, Vec::<String>::new());
    let run = unit.run(&Input { args: vec![Term::Int(0)] }).expect("it runs");
    assert_eq!(run.losses, vec![], "the machine no longer goes through it");
    // Clauses that were only entered on BEAM count as covered, too.
    drop(unit);
    let clauses = sides.follower.clauses(&Atom::new("rough"));
    let of_work: Vec<_> = clauses.iter().filter(|it| it.function.as_str() == "work").collect();
    assert_eq!(of_work.len(), 2);
    assert!(of_work.iter().all(|it| report.covered.has(it.id)));
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
