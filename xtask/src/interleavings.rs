//! Benchmark of schedule exploration: interleavings per second, on one core.
//!
//! Run it in release mode: `cargo run --release -p xtask -- interleavings`. Times are CPU times, so they do
//! not depend on the load of the computer. For a shared search, the longer CPU time of its two threads gives
//! the speedup on two free cores.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use beam::{Otp, Target};
use engine::{Chains, Crew, Ended, Gather, ScheduleReport, ScheduleSettings, Staging};
use erlang::Machine;
use erlang::machine::Staged;
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};
use term::{Atom, Domain, Term};
use trace::{Input, Stage};

/// The program, its parameter, and the number of inequivalent schedules.
const CASES: &[(&str, i64, usize)] =
    &[("readers", 8, 256), ("readers", 10, 1024), ("last_zero", 8, 704), ("last_zero", 10, 3328)];

/// The number of measurements of each case; the fastest one counts.
const N_TIMES: usize = 3;

/// Cases that are large enough for a shared search.
const LARGE: &[(&str, i64, usize)] = &[("readers", 17, 131_072), ("last_zero", 16, 311_296)];

pub(crate) fn table() -> Result<String, String> {
    let mut machine = machine()?;
    let mut res = String::new();
    for (function, n, expect) in CASES {
        // The first run also loads code, so it is not measured.
        explore(&mut machine, 0, function, *n, Some(1));
        let mut best = Duration::MAX;
        for _ in 0..N_TIMES {
            let start = processor_time();
            let report = explore(&mut machine, 0, function, *n, None);
            best = best.min(processor_time().saturating_sub(start));
            check(function, *n, *expect, &report)?;
        }
        let runs = f64::from(u32::try_from(*expect).unwrap_or(u32::MAX));
        let speed = runs / best.as_secs_f64();
        writeln!(res, "{function} {n}: {runs} interleavings, {speed:.0} a second").ok();
    }
    for (function, n, expect) in LARGE {
        let start = processor_time();
        let report = explore(&mut machine, 0, function, *n, None);
        let alone = processor_time().saturating_sub(start).as_secs_f64();
        check(function, *n, *expect, &report)?;
        let (clock, start, start_of_all) = (Instant::now(), processor_time(), time_of_all());
        let report = explore(&mut machine, 1, function, *n, None);
        let first = processor_time().saturating_sub(start).as_secs_f64();
        let all = time_of_all().saturating_sub(start_of_all).as_secs_f64();
        let clock = clock.elapsed().as_secs_f64();
        check(function, *n, *expect, &report)?;
        let (ratio, n_cells) = (alone / first.max(all - first), report.n_cells);
        writeln!(
            res,
            "{function} {n}: {alone:.2} s alone; with two jobs {first:.2} s of {all:.2} s, {clock:.2} s by the clock ({n_cells} cells): {ratio:.2}"
        )
        .ok();
    }
    Ok(res)
}

fn machine() -> Result<Machine, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/schedules/classic.erl");
    let target = Target::resolve(&source.to_string_lossy()).map_err(|it| it.to_string())?;
    let mut otp = Otp::new(beam::Settings::default()).map_err(|it| it.to_string())?;
    otp.add_target(&target).map_err(|it| it.to_string())?;
    Ok(Machine::new(Box::new(otp), erlang::Settings::default()))
}

fn check(function: &str, n: i64, expect: usize, report: &ScheduleReport) -> Result<(), String> {
    if report.n_runs == expect {
        return Ok(());
    }
    Err(format!("{function} {n}: {report:?} instead of {expect} runs"))
}

fn explore(
    machine: &mut Machine,
    n_helpers: usize,
    function: &str,
    n: i64,
    max_runs: Option<usize>,
) -> ScheduleReport {
    let staging = |perform: &mut dyn FnMut(&mut dyn Stage)| {
        let Ok(mut machine) = self::machine() else { return };
        perform(&mut Staged::new(&mut machine, Atom::new("classic"), Atom::new(function)));
    };
    let mut stage = Staged::new(machine, Atom::new("classic"), Atom::new(function));
    let oracles = Chains { domain: &Domain::default(), halt: None };
    let input = Input { args: vec![Term::Int(n)] };
    let settings = ScheduleSettings { max_runs, ..ScheduleSettings::default() };
    let crew = Crew::new(n_helpers, 64 << 20);
    let on: (&mut dyn Stage, &Staging<'_>) = (&mut stage, &staging);
    crew.explore(on, &oracles, &|| Nothing, &input, &settings, &mut |_| None).0
}

/// Runs are only counted, not kept.
struct Nothing;

impl Gather for Nothing {
    fn see(&mut self, _: &Ended<'_>) {}

    fn join(&mut self, _: Nothing) {}
}

/// Returns the CPU time of this thread.
fn processor_time() -> Duration {
    time_of(ClockId::ThreadCPUTime)
}

/// Returns the CPU time of all threads.
fn time_of_all() -> Duration {
    time_of(ClockId::ProcessCPUTime)
}

fn time_of(clock: ClockId) -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
    Duration::new(u64::try_from(tv_sec).unwrap_or(0), u32::try_from(tv_nsec).unwrap_or(0))
}
