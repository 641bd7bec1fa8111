//! Prolog: files loaded into a machine, and goals run on it.

mod files;
mod load;
mod run;

pub(crate) use files::is_prolog;
pub(crate) use run::run;
