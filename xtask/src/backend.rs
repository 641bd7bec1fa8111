//! Benchmark of the BEAM back end: the overhead of rewritten code over plain code, inputs per second, and the
//! size of a computation from which on BEAM explores a unit faster than the machine.
//!
//! Run it in release mode: `cargo run --release -p xtask -- backend`.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use beam::backend::{BeamUnit, Limits, Ran, Runner, Witness};
use beam::{Otp, Target};
use engine::{Alone, Report, Settings, Stop, explore};
use erlang::machine::{Allowed, Unit};
use erlang::{Host, HostAnswer, Machine};
use solve::{Chain, Effort};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use term::{Atom, Domain, Term, read_args};
use trace::{Executor, Input, Outcome};

/// Programs on lists and integers, and the size of their input.
const CODE: &[(&str, i64)] = &[("fib", 27), ("nrev", 60), ("qsort", 100_000)];
/// Units whose names have the decimal exponent of their calls before they inspect the input: `long3` makes
/// 10^3 calls.
const LONG: &[&str] = &["long3", "long4", "long5", "long6", "long7"];
const ROUNDS: usize = 5;
const TIME: Duration = Duration::from_secs(2);

pub(crate) fn table() -> Result<String, String> {
    let mut res = String::new();
    overhead(&mut res)?;
    inputs_per_second(&mut res)?;
    crossover(&mut res)?;
    Ok(res)
}

/// The kinds of witnesses; `--backend beam` uses the first one.
const WITNESSES: [(&str, Witness); 3] =
    [("path", Witness::Path), ("end only", Witness::Ends), ("clauses", Witness::Clauses)];

fn overhead(res: &mut String) -> Result<(), String> {
    let mut plain = plain_beam()?;
    let runner_of = |(_, witness)| runner("bench/bench.erl", witness);
    let mut runners: Vec<Runner> =
        WITNESSES.into_iter().map(runner_of).collect::<Result<_, _>>()?;
    write!(res, "{:<10}{:>10}", "program", "plain ms").ok();
    for (name, _) in WITNESSES {
        write!(res, "{name:>12}{:>8}", "").ok();
    }
    writeln!(res).ok();
    for (name, size) in CODE {
        let function = Atom::new(name);
        let args = [Term::Int(*size)];
        let base = best(|| match plain.apply(&Atom::new("bench"), &function, &args) {
            Ok(HostAnswer::Value(_)) => Ok(()),
            other => Err(format!("{other:?}")),
        })?;
        write!(res, "{name:<10}{base:>10.2}").ok();
        for runner in &mut runners {
            let time = best(|| match runner.run(&Atom::new("bench"), &function, &args) {
                Ok(Ran::Ended(end)) if matches!(end.outcome, Outcome::Value(_)) => Ok(()),
                other => Err(format!("{other:?}")),
            })?;
            write!(res, "{time:>12.2}{:>7.2}x", time / base).ok();
        }
        writeln!(res).ok();
    }
    Ok(())
}

fn inputs_per_second(res: &mut String) -> Result<(), String> {
    let mut machine = machine("../examples/example.erl")?;
    let mut runner = runner("../examples/example.erl", Witness::Path)?;
    let input = Input { args: read_args("[[17, 43, a]]").map_err(|it| format!("{it:?}"))? };
    let (module, function) = (Atom::new("example"), Atom::new("foo"));
    let mut unit = BeamUnit::new(&mut machine, &mut runner, module, function);
    unit.run(&input).map_err(|it| it.to_string())?;
    let start = Instant::now();
    let mut n_runs = 0_u32;
    while start.elapsed() < TIME {
        unit.run(&input).map_err(|it| it.to_string())?;
        n_runs += 1;
    }
    let rate = f64::from(n_runs) / start.elapsed().as_secs_f64();
    writeln!(res, "\nexample:foo/1 through one warm BEAM: {rate:.0} inputs per second").ok();
    Ok(())
}

fn crossover(res: &mut String) -> Result<(), String> {
    let heading = "seconds for ten runs, the start of BEAM included";
    writeln!(res, "\n{:<10}{:>10}{:>10}{:>10}   {heading}", "unit", "machine", "BEAM", "auto").ok();
    let module = Atom::new("bench");
    for name in LONG {
        let function = Atom::new(name);
        let mut here = machine("bench/bench.erl")?;
        let ours = explored(&mut Unit::new(&mut here, module.clone(), function.clone()));
        let on_beam = |is_always: bool| -> Result<f64, String> {
            let mut follower = machine("bench/bench.erl")?;
            let mut runner = runner("bench/bench.erl", Witness::Path)?;
            let (module, function) = (module.clone(), function.clone());
            let unit = BeamUnit::new(&mut follower, &mut runner, module, function);
            let mut unit = if is_always { unit } else { unit.only_if_needed() };
            Ok(explored(&mut unit))
        };
        let (theirs, either) = (on_beam(true)?, on_beam(false)?);
        writeln!(res, "{name:<10}{ours:>10.2}{theirs:>10.2}{either:>10.2}").ok();
    }
    Ok(())
}

fn explored(unit: &mut dyn Executor) -> f64 {
    let seed = Input { args: vec![Term::Nil] };
    let start = Instant::now();
    let mut solver = Chain::new(Effort::default());
    let settings = Settings { max_runs: Some(10), ..Settings::default() };
    let mut watch = |_: &Report| -> Option<Stop> { None };
    let mut oracle = Alone { solver: &mut solver, domain: &Domain::default() };
    explore(unit, &mut oracle, &[seed], &settings, &mut watch);
    start.elapsed().as_secs_f64()
}

fn best(mut run: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    let mut res = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run()?;
        res = res.min(start.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(res)
}

fn otp(source: &str) -> Result<(Otp, Atom), String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let target = Target::resolve(&source.to_string_lossy()).map_err(|it| it.to_string())?;
    let mut otp = Otp::new(beam::Settings::default()).map_err(|it| it.to_string())?;
    otp.add_target(&target).map_err(|it| it.to_string())?;
    let name = target.modules.first().map(|it| it.name.clone());
    Ok((otp, name.ok_or_else(|| "no module".to_owned())?))
}

fn machine(source: &str) -> Result<Machine, String> {
    Ok(Machine::new(Box::new(otp(source)?.0), erlang::Settings::default()))
}

fn runner(source: &str, witness: Witness) -> Result<Runner, String> {
    let (mut otp, name) = otp(source)?;
    let code = Arc::new(otp.load(&name).map_err(|it| it.to_string())?);
    let limits = Limits { time: Duration::from_secs(30), heap_bytes: 4 << 30 };
    let mut res = Runner::new(otp, Allowed::default(), witness, limits);
    res.add(&code).map_err(|it| it.to_string())?;
    Ok(res)
}

fn plain_beam() -> Result<Otp, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/bench.erl");
    let mut otp = Otp::new(beam::Settings::default()).map_err(|it| it.to_string())?;
    super::bench::compile_on_beam(&mut otp, &source)?;
    Ok(otp)
}
