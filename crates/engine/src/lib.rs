//! The loop: run, record, pick a choice to flip, solve, run again. Knows no language.

mod explore;
mod frontier;

pub use explore::{Limits, Report, Stop, explore};
pub use frontier::{Flip, Frontier};
