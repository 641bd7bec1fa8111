//! Concolic execution by program instrumentation [Palacios and Vidal 2015]: flat programs, a semantics that emits
//! events, and the transformation after which a plain program emits the same events on BEAM.
//!
//! A flat program is a Core Erlang program of a certain form, so one tree, one printer and one emitter serve all of it.
//! What the paper leaves out follows its spirit: an operation that is neither application nor case binds its text, or,
//! where only the run can know it, its value (`call`, `catch`, what a handler caught). Theorem 1 is the test
//! `tests/tests/instrumentation.rs`.
//!
//! This module serves comparison with the paper. What `gimlet test --backend beam` runs is in `backend`.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "most transformations here touch few kinds of expressions and leave the others alone"
)]

mod flat;
mod flatten;

mod show;
mod transform;

mod emit;
mod evaluate;
mod event;
mod matching;

pub use emit::emit;
pub use evaluate::{Evaluated, Evaluator, Native, Outside, Trouble};
pub use event::{Event, alternatives};
pub use flat::{bound, is_flat, ret};
pub use flatten::flatten;
pub use show::show;
pub use transform::instrument;
