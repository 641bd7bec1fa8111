//! Prolog: files loaded into a machine, and goals run on it.

mod disk;
mod files;
mod load;
mod run;

pub(crate) use files::{Files, is_prolog, read};
pub(crate) use load::{no_file, notes};
pub(crate) use run::run;
