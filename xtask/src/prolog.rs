//! Benchmark goals of Prolog programs from the evaluation of earlier tools: measures the time until every
//! clause that can be completed is completed, next to the published times of these tools.
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

/// The published result of an earlier tool: the time in seconds, and the number of completed clauses; `None`
/// if it gave up.
type Earlier = Option<(f64, usize)>;

/// A goal from the evaluation of earlier tools.
struct Case {
    program: &'static str,
    predicate: &'static str,
    modes: &'static str,
    /// The depth bound that the earlier tools used.
    bound: usize,
    smt: Earlier,
    contest: Earlier,
}

const fn case(
    program: &'static str,
    predicate: &'static str,
    modes: &'static str,
    bound: usize,
    smt: Earlier,
    contest: Earlier,
) -> Case {
    Case { program, predicate, modes, bound, smt, contest }
}

const CASES: &[Case] = &[
    case("baselines/nat", "nat", "+", 5, Some((0.12, 1)), Some((0.09, 2))),
    case("baselines/nat", "nat", "+", 50, Some((1.41, 1)), None),
    case("baselines/generator", "generate", "+--", 1, Some((1.06, 6)), Some((0.50, 6))),
    case("baselines/generator", "generate", "+--", 2, Some((11.4, 7)), None),
    case("baselines/generator", "generate", "+++", 1, None, None),
    case("baselines/activity", "advise", "+---", 2, Some((4.09, 18)), Some((0.19, 18))),
    case("baselines/activity", "advise", "+++-", 2, Some((5.39, 24)), None),
    case("baselines/rotate_prune", "rotate_prune", "+-", 2, None, Some((7.54, 7))),
    case("ackermann", "ackermann", "+--", 2, Some((0.14, 1)), Some((0.09, 3))),
    case("peano_fibonacci", "fib", "+-", 2, Some((0.10, 1)), Some((0.08, 5))),
];

/// The number of measurements; the fastest one counts.
const ROUNDS: usize = 5;

pub(crate) fn table() -> Result<String, String> {
    let mut res = format!(
        "{:<24}{:>6}{:>6}{:>8}{:>10}{:>10}{:>14}{:>16}{:>8}\n",
        "program", "mode", "bound", "runs", "clauses", "ms", "smt ms", "contest ms", "ratio"
    );
    for Case { program, predicate, modes, bound, smt, contest } in CASES {
        let mut best: Option<Round> = None;
        for _ in 0..ROUNDS {
            let round = round(program, predicate, modes)?;
            if best.as_ref().is_none_or(|it| round.ms < it.ms) {
                best = Some(round);
            }
        }
        let Some(Round { ms, n_runs, n_completed, n_clauses }) = best else { continue };
        let text = |it: &Earlier| match it {
            Some((seconds, clauses)) => format!("{:.0} ({clauses})", seconds * 1000.0),
            None => "gave up".to_owned(),
        };
        // The ratio is relative to the fastest of the tools that completed most clauses.
        let most = smt.iter().chain(contest).map(|it| it.1).max();
        let rivals = smt.iter().chain(contest).filter(|it| Some(it.1) == most);
        let rival = rivals.map(|it| it.0).min_by(f64::total_cmp);
        let ratio = rival.map_or("-".to_owned(), |it| format!("{:.0}", it * 1000.0 / ms));
        let done = format!("{n_completed}/{n_clauses}");
        let (smt, contest) = (text(smt), text(contest));
        writeln!(
            res,
            "{program:<24}{modes:>6}{bound:>6}{n_runs:>8}{done:>10}{ms:>10.2}{smt:>14}{contest:>16}{ratio:>8}"
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

/// Measures everything from the loaded program on: type inference, search, and runs.
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
    let goal = Goal {
        module: "user".to_owned(),
        name: name.to_owned(),
        args,
        before: Vec::new(),
        types: Vec::new(),
        conditions: Vec::new(),
    };
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
