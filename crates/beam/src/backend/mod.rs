//! The back end of `gimlet test --backend beam`: the unit runs on the real BEAM, and then the machine makes the same
//! run for the symbolic half.
//!
//! ```text
//! Input ─▶ Runner (BEAM, rewritten code) ─▶ end, log ─▶ Machine::replay ─▶ trace::Run
//! ```
//!
//! Given the input, everything that happens inside rewritten code is determined. So the log of a run contains only the
//! results of calls that leave it (`gimlet_log`, in the process dictionary of the unit's process), and the machine
//! takes them from there. The choices are those of the machine. They are compared with BEAM's by a hash of all
//! alternatives taken (`Witness::Path`; a read and a write of the process dictionary at each choice, two to three times
//! the time of plain code). Where the hashes differ, the run is repeated with every entered clause in the log
//! (`Witness::Clauses`), which shows the place. A difference is a bug of the tool; it becomes a loss with a name.
//!
//! `rewrite` works on the records of the compiler, so that names of funs and lines of traces stay those of the source;
//! `scope` decides where each called function runs. Modules under test keep their names; rewritten modules of OTP are
//! copies, made when the program first reaches them.
//!
//! Each run has limits on time, heap and the memory of the whole runtime, and its processes are killed when it ends. A
//! runtime that is lost is restarted and gets its modules back from the cache; a run that ends the runtime is repeated
//! once on a fresh one, as earlier runs may be the cause (a full table of atoms). Where BEAM has no result (too long,
//! too large, refused, waiting for ever), the machine's own result counts.
//!
//! A function under test that does long computations on concrete data moves to BEAM as a whole: between slices the
//! machine samples its stack (`Replay::sample`), and a function in which it spends many calls and that is `pure` runs
//! outside from then on; its result comes from the log, and its clauses remember on BEAM that they were entered. If it
//! ever gets a symbolic argument or a fun, it moves back for good, and the run is repeated. `--backend auto` uses the
//! machine alone (`BeamUnit::only_if_needed`) until such a function is found or the machine lacks something.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "records of Core Erlang and log entries are terms of a few kinds, all others are left alone"
)]

mod rewrite;
mod scope;

mod runner;
mod unit;

mod alike;
mod pure;

pub use alike::is_alike;
pub use runner::{End, Limits, Ran, Runner};
pub use scope::Witness;
pub use unit::BeamUnit;
