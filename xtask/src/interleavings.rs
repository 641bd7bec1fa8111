//! How many interleavings are tried in a second, on one core.
//!
//! Run it in release mode: `cargo run --release -p xtask -- interleavings`. Seconds are those that the
//! search had a core for, so that others on the machine do not count.

use beam::{Otp, Target};
use engine::{Alone, ScheduleReport, ScheduleSettings, explore_schedules};
use erlang::Machine;
use erlang::machine::Staged;
use rustix::time::{ClockId, Timespec, clock_gettime};
use solve::{Chain, Effort};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use term::{Atom, Domain, Term};
use trace::Input;

/// Program, how many of what it has, and the number of schedules that differ.
const CASES: &[(&str, i64, usize)] =
    &[("readers", 8, 256), ("readers", 10, 1024), ("last_zero", 8, 704), ("last_zero", 10, 3328)];

/// Each case is measured so often, and the best counts.
const N_TIMES: usize = 3;

pub(crate) fn table() -> Result<String, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/schedules/classic.erl");
    let target = Target::resolve(&source.to_string_lossy()).map_err(|it| it.to_string())?;
    let mut otp = Otp::new(beam::Settings::default()).map_err(|it| it.to_string())?;
    otp.add_target(&target).map_err(|it| it.to_string())?;
    let mut machine = Machine::new(Box::new(otp), erlang::Settings::default());
    let mut res = String::new();
    for (function, n, expect) in CASES {
        // The first run loads what it needs.
        explore(&mut machine, function, *n, Some(1));
        let mut best = Duration::MAX;
        for _ in 0..N_TIMES {
            let start = processor_time();
            let report = explore(&mut machine, function, *n, None);
            best = best.min(processor_time().saturating_sub(start));
            if report.n_runs != *expect {
                return Err(format!("{function} {n}: {report:?} instead of {expect} runs"));
            }
        }
        let runs = f64::from(u32::try_from(*expect).unwrap_or(u32::MAX));
        let speed = runs / best.as_secs_f64();
        writeln!(res, "{function} {n}: {runs} interleavings, {speed:.0} a second").ok();
    }
    Ok(res)
}

fn explore(
    machine: &mut Machine,
    function: &str,
    n: i64,
    max_runs: Option<usize>,
) -> ScheduleReport {
    let mut stage = Staged::new(machine, Atom::new("classic"), Atom::new(function));
    let mut solver = Chain::new(Effort::default());
    let mut oracle = Alone { solver: &mut solver, domain: &Domain::default() };
    let input = Input { args: vec![Term::Int(n)] };
    let settings = ScheduleSettings { max_runs, ..ScheduleSettings::default() };
    explore_schedules(&mut stage, &mut oracle, &input, &settings, &mut |_| (), &mut |_| None)
}

/// How long this thread has had a core.
fn processor_time() -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(tv_sec).unwrap_or(0), u32::try_from(tv_nsec).unwrap_or(0))
}
