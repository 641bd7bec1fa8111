//! Programs: files become modules with predicates; names are found across modules.
//!
//! Reads no files itself: whoever owns the machine supplies a [`Library`].

mod boot;
mod dcg;
mod directives;
mod guard;
mod load;
mod modules;
mod rules;
mod style;
mod tabled;
mod units;

pub use boot::Known;
pub(crate) use load::{LOAD_STEPS, NAMED_FILE, Place};
pub use load::{LoadReport, Note};
pub use modules::{Module, Modules};

/// Where source text comes from.
pub trait Library {
    /// A file of the library, by its name there: `lists`, `dcg/basics`, `INDEX`.
    fn library(&mut self, name: &str) -> Option<File>;

    /// A file named by another one: relative to it, with or without its extension.
    fn file(&mut self, name: &str, from: &str) -> Option<File>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub text: String,
}

/// Nothing outside the program itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLibrary;

impl Library for NoLibrary {
    fn library(&mut self, _: &str) -> Option<File> {
        None
    }

    fn file(&mut self, _: &str, _: &str) -> Option<File> {
        None
    }
}
