//! The machine: runs programs with their processes, and everything they use.

pub mod boot;
pub(crate) mod calls;
mod clauses;
mod compute;
mod construct;
mod dirty;
pub mod distribution;
mod farewell;
mod faults;
mod frames;
pub(crate) mod inspect;
mod interpret;
mod io;
mod limits;
mod load;
pub mod logs;
pub(crate) mod memory_file;
mod operations;
pub mod ports;
pub mod process;
pub(crate) mod queue;
mod raise;
mod record;
mod replay;
mod requests;
mod run;
pub(crate) mod schedule;
pub mod signals;
pub(crate) mod sockets;
pub mod timers;
pub(crate) mod tracing;
mod unit;
mod versions;
mod work;
mod world;

pub use clauses::SourceClause;
pub use limits::{Allowed, Limits};
pub use logs::Logging;
pub(crate) use record::Entered;
pub use record::{FromSpec, Promise, Recorder};
pub use replay::{Answer, FunctionName, Outside, Replay};
pub use run::{Machine, MachineError, Outcome, Run, Settings};
pub use schedule::{Schedule, Staged, Told};
pub use unit::Unit;
pub use versions::OldCode;
pub(crate) use world::LITERAL_COLLECTOR;
pub use world::{
    Ended, Epoch, LoadedModule, Object, PidNames, RunState, STANDARD_ERROR, USER, World,
};
