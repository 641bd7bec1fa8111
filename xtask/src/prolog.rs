//! Goals of Prolog programs that earlier tools were measured on: how long it takes until every clause
//! that can be completed is, beside what they took.
//!
//! Run it in release mode: `cargo run --release -p xtask -- prolog`.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and its programs")]

use engine::{Alone, Settings, Stop, explore};
use prolog::concolic::{Arg, Belief, Goal, Inference, TypeMaker, Unit};
use prolog::{File, Limits, Machine, NoLibrary};
use solve::{Chain, Effort};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;
use term::{Domain, Type};
use trace::Input;

/// Program, predicate, which arguments are given, and what the faster of the earlier tools took, in
/// seconds; none if both gave up. Clauses that they completed come last.
const CASES: &[(&str, &str, &str, Option<f64>, usize)] = &[
    ("baselines/nat", "nat", "+", Some(0.09), 2),
    ("baselines/generator", "generate", "+--", Some(0.50), 6),
    ("baselines/generator", "generate", "+++", None, 0),
    ("baselines/activity", "advise", "+---", Some(0.19), 18),
    ("baselines/activity", "advise", "+++-", Some(5.39), 24),
    ("baselines/rotate_prune", "rotate_prune", "+-", Some(7.54), 7),
    ("ackermann", "ackermann", "+--", Some(0.09), 3),
    ("peano_fibonacci", "fib", "+-", Some(0.08), 5),
];

/// The best of so many.
const ROUNDS: usize = 5;

pub(crate) fn table() -> Result<String, String> {
    let mut res = format!(
        "{:<24}{:>6}{:>8}{:>10}{:>10}{:>12}{:>8}{:>8}\n",
        "program", "mode", "runs", "clauses", "ms", "earlier ms", "clauses", "ratio"
    );
    for (file, name, modes, earlier, clauses) in CASES {
        let mut best: Option<Round> = None;
        for _ in 0..ROUNDS {
            let round = round(file, name, modes)?;
            if best.as_ref().is_none_or(|it| round.ms < it.ms) {
                best = Some(round);
            }
        }
        let Some(Round { ms, n_runs, n_completed, n_clauses }) = best else { continue };
        let earlier_text = earlier.map_or("gave up".to_owned(), |it| format!("{:.0}", it * 1000.0));
        let ratio = earlier.map_or("-".to_owned(), |it| format!("{:.0}", it * 1000.0 / ms));
        let done = format!("{n_completed}/{n_clauses}");
        writeln!(
            res,
            "{file:<24}{modes:>6}{n_runs:>8}{done:>10}{ms:>10.2}{earlier_text:>12}{clauses:>8}{ratio:>8}"
        )
        .ok();
    }
    Ok(res)
}

struct Round {
    ms: f64,
    n_runs: usize,
    n_completed: usize,
    n_clauses: usize,
}

/// From the loaded program on: types, search, runs.
fn round(file: &str, name: &str, modes: &str) -> Result<Round, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join(format!("../tests/prolog/{file}.pl"));
    let text = std::fs::read_to_string(&path).map_err(|it| format!("{file}: {it}"))?;
    let mut machine = Machine::new(&mut NoLibrary);
    let report = machine.load_marked(&File { path: file.to_owned(), text }, &mut NoLibrary);
    let program = machine.program(&report);
    let arg = |it: char| if it == '+' { Arg::Input } else { Arg::Result };
    let args: Vec<Arg> = modes.chars().map(arg).collect();
    let pred = program.predicate(name, args.len()).ok_or_else(|| format!("{file}: no {name}"))?.id;
    let wanted: BTreeSet<u32> = program.reachable(pred).into_iter().collect();
    let begin = Instant::now();
    let inference = Inference::of(&machine);
    let mut maker = TypeMaker::new(&inference, Belief::Tight);
    let inputs = args.iter().enumerate().filter(|it| *it.1 == Arg::Input);
    let inputs: Vec<_> = inputs.map(|it| maker.of_arg(pred, it.0)).collect();
    let whole = maker.types.add(Type::Tuple(inputs.into()));
    let seed = maker.types.smallest(whole).and_then(|it| Some(it.as_tuple()?.to_vec()));
    let domain = Domain { types: maker.types, args: Some(whole) };
    let goal = Goal { module: "user".to_owned(), name: name.to_owned(), args };
    let limits = Limits { steps: 100_000, ..Limits::default() };
    let mut library = NoLibrary;
    let mut unit = Unit::new(&mut machine, &mut library, goal, limits, 6);
    let mut solver = Chain::new(Effort::default());
    let mut oracle = Alone { solver: &mut solver, domain: &domain };
    let mut watch = |report: &engine::Report| {
        let is_covered = |it: &u32| report.covered.has(trace::ClauseId(it * 2 + 1));
        wanted.iter().all(is_covered).then_some(Stop::Exhausted)
    };
    let seeds = [Input { args: seed.unwrap_or_default() }];
    let settings = Settings { max_runs: Some(2_000), ..Settings::default() };
    let report = explore(&mut unit, &mut oracle, &seeds, &settings, &mut watch);
    let ms = begin.elapsed().as_secs_f64() * 1000.0;
    let is_covered = |it: &&u32| report.covered.has(trace::ClauseId(**it * 2 + 1));
    let n_completed = wanted.iter().filter(is_covered).count();
    Ok(Round { ms, n_runs: report.n_runs, n_completed, n_clauses: wanted.len() })
}
