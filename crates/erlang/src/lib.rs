//! Core Erlang → bytecode → the concolic machine, with its builtins, processes and scheduler.

mod host;

pub use host::{Host, HostAnswer, HostError, ModuleCode};
