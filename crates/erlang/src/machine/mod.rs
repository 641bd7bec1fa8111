//! The machine: what a program runs on and in.

mod calls;
mod construct;
mod interpret;
mod io;
mod limits;
mod load;
mod operations;
pub mod process;
mod raise;
mod run;
pub mod signals;
pub mod timers;
mod world;

pub use limits::{Allowed, Limits};
pub use run::{Machine, MachineError, Outcome, Run, Settings};
pub use world::{Ended, LoadedModule, PidNames, USER, World};
