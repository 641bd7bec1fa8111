//! Prolog: loading files, running goals, and testing predicates.

mod program;

mod plan;
mod seeds;
mod shallow;
mod source;
mod tested;

mod bounded;
mod explore;
mod vary;
mod words;

mod expect;
mod finding;
mod level;
mod refused;
mod swipl;

mod reached;
mod symbolic;
mod trace;

mod again;
mod plunit;
mod report;

mod disk;
mod files;
mod load;
mod run;

pub(crate) use files::{Files, expanded, is_prolog, read};
pub(crate) use load::{no_file, notes};
pub(crate) use run::run;
pub(crate) use source::Source;
pub(crate) use symbolic::symbolic;
