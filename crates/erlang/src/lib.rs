//! Core Erlang → bytecode → the concolic machine, with its builtins, processes and scheduler.

pub mod builtins;
pub mod data;
mod host;
pub mod machine;

pub use host::{Host, HostAnswer, HostError, ModuleCode};
