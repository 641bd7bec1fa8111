//! The machine: what a program runs on and in.

pub mod boot;
pub(crate) mod calls;
mod clauses;
mod construct;
pub mod distribution;
pub(crate) mod inspect;
mod interpret;
mod io;
mod limits;
mod load;
pub(crate) mod memory_file;
mod operations;
pub mod ports;
pub mod process;
mod raise;
mod record;
mod replay;
mod requests;
mod run;
pub(crate) mod schedule;
pub mod signals;
pub mod timers;
pub(crate) mod tracing;
mod unit;
mod versions;
mod world;

pub use clauses::SourceClause;
pub use limits::{Allowed, Limits};
pub(crate) use record::Entered;
pub use record::{FromSpec, Recorder};
pub use replay::{Answer, FunctionName, Outside, Replay};
pub use run::{Machine, MachineError, Outcome, Run, Settings};
pub use schedule::{Schedule, Staged, Told};
pub use unit::Unit;
pub use versions::OldCode;
pub use world::{Ended, Epoch, LoadedModule, Object, PidNames, STANDARD_ERROR, USER, World};
