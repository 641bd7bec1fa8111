//! How many interleavings are tried in a second, on one core.
//!
//! Run it in release mode: `cargo run --release -p xtask -- interleavings`.
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use beam::{Otp, Target};
use engine::{Alone, ScheduleSettings, explore_schedules};
use erlang::Machine;
use erlang::machine::Staged;
use solve::{Chain, Effort};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;
use term::{Atom, Domain, Term};
use trace::Input;

/// Program, how many of what it has, and the number of schedules that differ.
const CASES: &[(&str, i64, usize)] =
    &[("readers", 8, 256), ("readers", 10, 1024), ("last_zero", 8, 704), ("last_zero", 10, 3328)];

pub(crate) fn table() -> Result<String, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/schedules/classic.erl");
    let target = Target::resolve(&source.to_string_lossy()).map_err(|it| it.to_string())?;
    let mut otp = Otp::new(beam::Settings::default()).map_err(|it| it.to_string())?;
    otp.add_target(&target).map_err(|it| it.to_string())?;
    let mut machine = Machine::new(Box::new(otp), erlang::Settings::default());
    let mut res = String::new();
    for (function, n, expect) in CASES {
        let mut stage = Staged::new(&mut machine, Atom::new("classic"), Atom::new(function));
        let mut solver = Chain::new(Effort::default());
        let mut oracle = Alone { solver: &mut solver, domain: &Domain::default() };
        let input = Input { args: vec![Term::Int(*n)] };
        let settings = ScheduleSettings::default();
        let start = Instant::now();
        let report =
            explore_schedules(&mut stage, &mut oracle, &input, &settings, &mut |_| (), &mut |_| {
                None
            });
        let took = start.elapsed().as_secs_f64();
        if report.n_runs != *expect {
            return Err(format!("{function} {n}: {report:?} instead of {expect} runs"));
        }
        let runs = f64::from(u32::try_from(report.n_runs).unwrap_or(u32::MAX));
        writeln!(res, "{function} {n}: {runs} interleavings, {:.0} a second", runs / took).ok();
    }
    Ok(res)
}
