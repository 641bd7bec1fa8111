//! Core Erlang → bytecode → the concolic machine, with its builtins, processes and scheduler.

pub mod builtins;
pub mod code;
pub mod core;
mod host;
pub mod lift;
mod lower;
pub mod machine;

pub use host::{
    Advice, Command, Declared, Direction, Errno, Errors, Executable, Family, FileId, FileInfo,
    FileKind, Files, Host, HostAnswer, HostError, Input, Links, ModuleCode, OpenModes, Origin,
    ProgramEvent, ProgramId, Programs, Received, Running, Shutdown, SocketId, SocketOption,
    Sockets, Sync, System, Transport, Wish,
};
pub use machine::{Machine, MachineError, Outcome, Run, Settings};
