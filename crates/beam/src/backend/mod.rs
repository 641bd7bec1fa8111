//! The back end of `gimlet test --backend beam`: the unit runs on the real BEAM, and the machine makes
//! the same run again for the symbolic half.
//!
//! ```text
//! Input ─▶ Runner (BEAM, rewritten code) ─▶ end, log ─▶ Machine::replay ─▶ trace::Run
//! ```
//!
//! Given the input, all that happens inside rewritten code is determined, so the log holds only what
//! came from outside: results of what the machine does not compute. Beside it is a number that all
//! alternatives taken are mixed into (`Witness::Path`), to be compared with the machine's; asked to
//! (`Witness::Clauses`), the log holds every clause that was entered.

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
