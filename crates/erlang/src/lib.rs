//! Core Erlang → bytecode → the concolic machine, with its builtins, processes and scheduler.

pub mod builtins;
pub mod code;
pub mod core;
pub mod data;
mod host;
pub mod lift;
mod lower;
pub mod machine;
pub mod spec;

pub use host::{
    Advice, Declared, Errno, FileId, FileInfo, FileKind, Files, Host, HostAnswer, HostError, Links,
    ModuleCode, OpenModes, Origin, Sync, System,
};
pub use machine::{Machine, MachineError, Outcome, Run, Settings};
