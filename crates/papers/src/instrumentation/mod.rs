//! Concolic execution by program instrumentation [Palacios and Vidal 2015]: flat programs, a semantics that
//! emits events, and the transformation to a program that emits the same events on BEAM.
//!
//! Written for reading and comparison. The back end of `gimlet test --backend beam` is in
//! `beam::backend`.

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
