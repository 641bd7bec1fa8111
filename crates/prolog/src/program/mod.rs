//! Programs: loads files as modules with predicates, and resolves names across modules.
//!
//! Reads no files itself: the owner of the machine supplies a [`Library`].

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

/// The provider of source texts.
pub trait Library {
    /// Returns a file of SWI-Prolog's library by its name there: `lists`, `dcg/basics`, `INDEX`.
    fn library(&mut self, name: &str) -> Option<File>;

    /// Returns a file that another one refers to: relative to it, with or without its extension.
    fn file(&mut self, name: &str, from: &str) -> Option<File>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub text: String,
}

/// A [`Library`] without any files.
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
