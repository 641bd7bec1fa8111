//! The formats of reports: one file and one row of the table for each.

mod cobertura;
mod github;
mod html;
mod json;
mod junit;
mod lcov;
mod markdown;
mod sarif;
mod text;

mod lines;
mod place;
mod printable;

use crate::data::Report;
use crate::paint::Colours;
use std::io;

/// A format of reports.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name in `--format` and `--report KIND=FILE`.
    pub name: &'static str,
    /// The purpose, for `--help`.
    pub about: &'static str,
    pub write: fn(&Report, &View, &mut dyn io::Write) -> io::Result<()>,
}

/// Options for the presentation. Formats for programs ignore them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    pub colours: Colours,
    pub detail: Detail,
}

/// How much of a large report is shown to people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Refusals are folded and long tables are cut; the text says where the rest is.
    #[default]
    Folded,
    /// Refusals are shown like other findings.
    Refusals,
    Everything,
}

pub const FORMATS: &[Format] = &[
    text::FORMAT,
    json::FORMAT,
    html::FORMAT,
    sarif::FORMAT,
    junit::FORMAT,
    lcov::FORMAT,
    cobertura::FORMAT,
    github::FORMAT,
    markdown::FORMAT,
];

pub fn format_named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|it| it.name == name)
}

impl Format {
    /// Returns the whole report as text in this format.
    pub fn text(&self, report: &Report, view: &View) -> String {
        let mut out = Vec::new();
        // Writing to memory does not fail.
        (self.write)(report, view, &mut out).ok();
        String::from_utf8_lossy(&out).into_owned()
    }
}
