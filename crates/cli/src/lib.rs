//! The command line tool: arguments, files, clock, threads, wiring, rendering.
//!
//! The only crate that prints. What it computes with comes from the crates below.
#![expect(clippy::disallowed_methods, reason = "the tool reads files and the clock for the rest")]

mod args;
mod start;

mod instrument;
mod machine;
mod prolog;
mod rules;
mod run;
mod test;

mod code;
mod confinement;
mod diagnostic;
mod elixir;
mod exception;
mod explain;
mod host;
mod report;
mod suggest;
mod trouble;

pub use exception::exception_text;
pub use start::start;
