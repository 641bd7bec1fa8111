//! The command line tool: arguments, files, clock, threads, wiring.
//!
//! The only crate that prints. The crates below it do the computing; `flow` is the part of a test run that all
//! languages share, and each language has a folder.
#![expect(clippy::disallowed_methods, reason = "the tool reads files and the clock for the rest")]

mod args;
mod asked;
mod configure;
mod start;
mod tree;

mod flow;
mod languages;
mod record;

mod child;
mod lsp;
mod manual;
mod watch;

mod elixir;
mod erlang;
mod prolog;

mod confinement;
mod diagnostic;
mod explain;

pub mod readers;

pub use erlang::exception_text;
pub use start::start;
