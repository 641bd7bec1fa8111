//! Erlang and Elixir: modules loaded through OTP, run on our machine, confirmed on BEAM.

mod program;

mod plan;
mod project;
mod properties;
mod rewrite;
mod select;

mod core;
mod recipes;
mod script;
mod unit;
mod words;

mod regexes;

mod contract;
mod explore;
mod harness;
mod pool;

mod absent;
mod callers;
mod confirm;
mod evidence;
mod finding;
mod frames;
mod funs;
mod level;
mod lookups;
mod loose;
mod minimise;
mod reached;
mod recorded;
mod refusing;
mod schedules;
mod setup;
mod shrink;
mod stale;
mod systems;
mod texts;

mod corpus;
mod coverage;
mod located;
mod reach;
mod report;
mod tests;

mod ending;
mod instrument;
mod machine;
mod rules;
mod run;
mod symbolic;

mod code;
mod exception;
mod host;
mod trouble;

pub use exception::exception_text;

pub(crate) use corpus::read_corpus;
pub(crate) use ending::Ending;
pub(crate) use instrument::instrument;
pub(crate) use machine::{alarm, allowed};
pub(crate) use project::Project;
pub(crate) use run::run;
pub(crate) use symbolic::symbolic;
pub(crate) use unit::quoted;
