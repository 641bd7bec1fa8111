//! Benchmark of the search: inputs tried and paths found per second, on small units and one core.
//!
//! Run it in release mode: `cargo run --release -p xtask -- search`.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use beam::{Otp, Target};
use engine::{Alone, Report, Settings, Stop, explore};
use erlang::Machine;
use erlang::machine::Unit;
use solve::{Chain, Effort};
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};
use term::{Atom, Domain, read_args};
use trace::{Executor, Input};

/// The function of the example, its first arguments, and the depth.
const CASES: &[(&str, &str, usize)] = &[("foo", "[[17]]", 25), ("foo", "[[17]]", 60)];

/// The duration of each measurement.
const TIME: Duration = Duration::from_secs(2);

pub(crate) fn table() -> Result<String, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/example.erl");
    let target = Target::resolve(&source.to_string_lossy()).map_err(|it| it.to_string())?;
    let mut otp = Otp::new(beam::Settings::default()).map_err(|it| it.to_string())?;
    otp.add_target(&target).map_err(|it| it.to_string())?;
    let mut machine = Machine::new(Box::new(otp), erlang::Settings::default());
    let mut res = String::new();
    for (function, args, depth) in CASES {
        let input = Input { args: read_args(args).map_err(|it| format!("{it:?}"))? };
        let (module, function) = (Atom::new("example"), Atom::new(function));
        let mut unit = Unit::new(&mut machine, module.clone(), function.clone());
        unit.run(&input).map_err(|it| it.to_string())?;
        let start = Instant::now();
        let mut n_runs = 0;
        while start.elapsed() < TIME {
            unit.run(&input).map_err(|it| it.to_string())?;
            n_runs += 1;
        }
        let runs = per_second(n_runs, start.elapsed());
        let settings = Settings { depth: *depth, ..Settings::default() };
        let mut solver = Chain::new(Effort::default());
        let start = Instant::now();
        let mut watch = |_: &Report| (start.elapsed() > TIME).then_some(Stop::Time);
        let mut oracle = Alone { solver: &mut solver, domain: &Domain::default() };
        let report = explore(&mut unit, &mut oracle, &[input], &settings, &mut watch);
        let took = start.elapsed();
        writeln!(
            res,
            "{}/{depth}: {runs:.0} runs/s; {} paths in {:.2} s: {:.0} paths/s, {:.0} queries/s, stop {}, {:?}",
            function.as_str(),
            report.tests.len(),
            took.as_secs_f64(),
            per_second(report.tests.len(), took),
            per_second(solver.statistics.queries, took),
            report.stop.name(),
            solver.statistics,
        )
        .ok();
    }
    Ok(res)
}

#[expect(clippy::cast_precision_loss, reason = "counts of a few seconds")]
fn per_second(n: usize, time: Duration) -> f64 {
    n as f64 / time.as_secs_f64()
}
