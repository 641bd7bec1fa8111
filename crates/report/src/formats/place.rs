//! The place in the source at which a finding is shown.
//!
//! Line 0, which some runtimes use for "unknown", is removed here.

use crate::data::{Report, Unit};
use crate::finding::Finding;

/// A file, as the report names it, and a line, counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place<'r> {
    pub(super) file: &'r str,
    pub(super) line: Option<u32>,
}

impl<'r> Place<'r> {
    pub(super) fn new(file: &'r str, line: Option<u32>) -> Place<'r> {
        Place { file, line: line.filter(|it| *it != 0) }
    }
}

/// Returns the place of a finding. If it has none, returns the place where its unit begins: the reader is then led at
/// least to the function, and services that refuse findings without a file accept it.
pub(super) fn place<'r>(
    report: &'r Report,
    unit: &'r Unit,
    finding: &'r Finding,
) -> Option<Place<'r>> {
    match &finding.file {
        Some(file) => Some(Place::new(file, finding.line)),
        None => unit.file.as_ref().map(|it| Place::new(it, first_line(report, unit))),
    }
}

/// Returns the line of the unit's first clause.
fn first_line(report: &Report, unit: &Unit) -> Option<u32> {
    let mut modules = report.modules.iter();
    let module = modules.find(|it| it.module == unit.module && it.file == unit.file)?;
    let is_of_unit = |function: &str| {
        let rest = unit.unit.strip_suffix(function);
        rest.is_some_and(|it| it.is_empty() || it.ends_with(':'))
    };
    module.lines.iter().find(|it| is_of_unit(&it.function)).map(|it| it.line)
}
