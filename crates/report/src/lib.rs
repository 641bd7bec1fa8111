//! The result of a run of `gimlet test` as plain data, and the formats in which it is written.
//!
//! Knows no language: what depends on one (how a term is printed, what a unit is called) arrives as text. Reads no
//! files and no clock: sources are part of the data.
//!
//! A format is a file in `formats/` and a row of the table there; it gets a [`Report`] and a writer. `rank` defines the
//! order of findings and which of them make the run fail, `summary` the counts and the headline; all formats share
//! both. The HTML page consists of templates (`askama`) that only place what the view models in `formats/html`
//! computed.

mod causes;
mod data;
mod finding;
mod paths;
mod rank;
mod summary;

mod bounded;
mod chart;
mod page;
mod paint;
mod snippet;

mod formats;

pub use bounded::{MOST_TESTS, is_cut, kept};
pub use chart::{Chart, Fate, Mail, Row, svg};
pub use data::{
    Bindings, Build, Chosen, CoveredLine, FunctionShare, Language, Loss, Matched, Module, Report,
    SCHEMA, Share, Solver, Source, Stop, Test, Tool, Uncovered, UncoveredBranch, Unit,
    UnitCoverage, Unreceived, Verdict, Why, Written, WrittenKind, schema_text,
};
pub use finding::{
    Finding, Kind, Level, Reached, Schedule, Status, cause_id, fingerprint, input_id,
};
pub use formats::{Detail, FORMATS, Format, View, format_named};
pub use page::{TreeKind, TreeNode, tree_page};
pub use paint::{Colours, Paint};
pub use rank::{FailOn, Ranked, ranked};
pub use snippet::Snippet;
pub use summary::Summary;
