//! Benchmark of the machine next to BEAM, measured in one run and reported as ratios.
//!
//! Run it in release mode: `cargo run --release -p xtask -- bench`.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock and starts the tool")]

use beam::{Otp, Target};
use erlang::{Host, HostAnswer, Machine, Outcome, Settings};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use term::{Atom, Term};

/// The functions to run, and their arguments.
const CASES: &[(&str, i64)] = &[
    ("fib", 27),
    ("nrev", 60),
    ("qsort", 100_000),
    ("words", 100_000),
    ("parse", 20),
    ("strings", 20_000),
    ("ping_pong", 20_000),
];

/// The number of measurements; the fastest one counts.
const ROUNDS: usize = 5;

pub(crate) fn table(only: Option<&str>) -> Result<String, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/bench.erl");
    let target = Target::resolve(&source.to_string_lossy()).map_err(|it| it.to_string())?;
    let mut beam = otp(&target)?;
    compile_on_beam(&mut beam, &source)?;
    let mut machine = Machine::new(Box::new(otp(&target)?), Settings::default());
    let mut res = format!("{:<12}{:>12}{:>12}{:>8}\n", "program", "BEAM ms", "gimlet ms", "ratio");
    let mut logs = Vec::new();
    for (name, size) in CASES.iter().filter(|it| only.is_none_or(|only| only == it.0)) {
        let (expected, theirs) = on_beam(&mut beam, name, *size)?;
        let (found, ours) = on_machine(&mut machine, name, *size)?;
        if expected != found {
            return Err(format!("{name}: BEAM computes {expected:?}, we compute {found:?}"));
        }
        let ratio = ours / theirs;
        logs.push(ratio.ln());
        writeln!(res, "{name:<12}{theirs:>12.2}{ours:>12.2}{ratio:>8.2}").ok();
    }
    #[expect(clippy::cast_precision_loss, reason = "a handful of programs")]
    let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    writeln!(res, "{:<36}{mean:>8.2}", "geometric mean").ok();
    if only.is_none() {
        writeln!(res, "{:<24}{:>12.2}", "start, warm", start_millis()?).ok();
    }
    Ok(res)
}

/// Returns the time of `gimlet run lists 'lists:seq(1, 3)'` with a warm cache, in milliseconds.
fn start_millis() -> Result<f64, String> {
    let tool = std::env::current_exe().map_err(|it| it.to_string())?.with_file_name("gimlet");
    let mut best = f64::INFINITY;
    for _ in 0..=ROUNDS {
        let start = Instant::now();
        let run = Command::new(&tool).args(["run", "lists", "lists:seq(1, 3)"]).output();
        let millis = start.elapsed().as_secs_f64() * 1000.0;
        let run = run.map_err(|it| format!("{}: {it}; build it first", tool.display()))?;
        if run.stdout != b"[1,2,3]\n" {
            return Err(format!("gimlet answered {:?}", String::from_utf8_lossy(&run.stdout)));
        }
        best = best.min(millis);
    }
    Ok(best)
}

fn otp(target: &Target) -> Result<Otp, String> {
    let mut otp = Otp::new(beam::Settings::default()).map_err(|it| it.to_string())?;
    otp.add_target(target).map_err(|it| it.to_string())?;
    Ok(otp)
}

pub(crate) fn compile_on_beam(beam: &mut Otp, source: &Path) -> Result<(), String> {
    let file = Term::string(&source.with_extension("").to_string_lossy());
    let options = Term::proper_list(vec![Term::atom("binary")]);
    let compiled = apply(beam, "compile", "file", &[file.clone(), options])?;
    let Some([_, name, code]) = compiled.as_tuple() else {
        return Err(format!("compiling failed: {compiled:?}"));
    };
    apply(beam, "code", "load_binary", &[name.clone(), file, code.clone()]).map(|_| ())
}

fn on_beam(beam: &mut Otp, name: &str, size: i64) -> Result<(Term, f64), String> {
    let mut best: Option<(Term, f64)> = None;
    for _ in 0..ROUNDS {
        let args =
            [Term::atom("bench"), Term::atom(name), Term::proper_list(vec![Term::Int(size)])];
        let timed = apply(beam, "timer", "tc", &args)?;
        let Some([Term::Int(micros), value]) = timed.as_tuple() else {
            return Err(format!("timer:tc answered {timed:?}"));
        };
        #[expect(clippy::cast_precision_loss, reason = "microseconds of a short run")]
        let millis = *micros as f64 / 1000.0;
        if best.as_ref().is_none_or(|it| millis < it.1) {
            best = Some((value.clone(), millis));
        }
    }
    best.ok_or_else(|| "no rounds".to_owned())
}

fn on_machine(machine: &mut Machine, name: &str, size: i64) -> Result<(Term, f64), String> {
    let mut best: Option<(Term, f64)> = None;
    for _ in 0..=ROUNDS {
        let start = Instant::now();
        let run = machine
            .call(&Atom::new("bench"), &Atom::new(name), &[Term::Int(size)])
            .map_err(|it| it.to_string())?;
        let millis = start.elapsed().as_secs_f64() * 1000.0;
        let Outcome::Value(value) = run.outcome else {
            return Err(format!("{name}: {:?}", run.outcome));
        };
        if best.as_ref().is_none_or(|it| millis < it.1) {
            best = Some((value, millis));
        }
    }
    best.ok_or_else(|| "no rounds".to_owned())
}

fn apply(beam: &mut Otp, module: &str, function: &str, args: &[Term]) -> Result<Term, String> {
    match beam.apply(&Atom::new(module), &Atom::new(function), args) {
        Ok(HostAnswer::Value(value)) => Ok(value),
        Ok(HostAnswer::Raised { reason, .. }) => Err(format!("{module}:{function}: {reason:?}")),
        Err(error) => Err(error.to_string()),
    }
}
