//! The machine: its state, and the loop that executes compiled clauses.
//!
//! Knows no files and no clock. The changes that a run makes to the loaded program are undone at its end.

mod attributes;
mod call;
mod cleanup;
mod collect;
mod fault;
mod limits;
mod meta;
mod run;
mod solve;
mod state;
pub(crate) mod throw;

pub(crate) use call::Next;
pub use fault::{Fault, Stop};
pub use limits::Limits;
pub(crate) use meta::is_control;
pub use solve::{Ending, Solutions};
pub use state::{Alternative, Capture, Choice, Frame, Global, Machine, Output, Sink, Written};
pub(crate) use state::{COMPLETED, ENTERED};
pub(crate) use state::{Control, Loaded, RunState};
