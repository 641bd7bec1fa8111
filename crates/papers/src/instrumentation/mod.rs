//! Concolic execution by program instrumentation, as the paper of Palacios and Vidal describes it:
//! flat programs, a semantics that emits events, and the transformation after which the plain
//! program emits the same ones on BEAM.
//!
//! Made to be read and compared. What `gimlet test --backend beam` runs is in `backend`.

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
