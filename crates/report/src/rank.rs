//! The ranking of findings: which are shown first, which are folded, and which make the run fail.

use crate::data::{Report, Unit};
use crate::finding::{Finding, Kind, Level, Status};

/// The findings of a report, ranked.
#[derive(Debug, Default)]
pub struct Ranked<'r> {
    /// Findings that are shown one by one, the most important first.
    pub shown: Vec<(&'r Unit, &'r Finding)>,
    /// Refusals, with one entry for each unit.
    pub folded: Vec<(&'r Unit, Vec<&'r Finding>)>,
    /// Findings of the baseline.
    pub known: Vec<(&'r Unit, &'r Finding)>,
    /// Findings that the configuration asks to ignore.
    pub ignored: Vec<(&'r Unit, &'r Finding)>,
}

/// Sorts findings by level, then by kind, then by the order of the units.
pub fn ranked(report: &Report) -> Ranked<'_> {
    let mut res = Ranked::default();
    for (unit, finding) in report.findings().filter(|it| it.1.same_as.is_none()) {
        match (finding.status, finding.level) {
            (Status::Known, _) => res.known.push((unit, finding)),
            (Status::Ignored, _) => res.ignored.push((unit, finding)),
            (Status::New, Level::Refusal) => match res.folded.last_mut() {
                Some((last, all)) if std::ptr::eq(*last, unit) => all.push(finding),
                _ => res.folded.push((unit, vec![finding])),
            },
            (Status::New, Level::Promise | Level::Suspicious) => res.shown.push((unit, finding)),
        }
    }
    res.shown.sort_by_key(|it| (it.1.level, it.1.kind));
    res
}

/// Which findings make the exit code 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailOn {
    Promise,
    #[default]
    Suspicious,
    /// As `Suspicious`, and also results that depend on the schedule.
    Race,
    /// All findings, refusals included.
    Any,
}

impl FailOn {
    pub fn counts(self, finding: &Finding) -> bool {
        if finding.status != Status::New {
            return false;
        }
        match (self, finding.kind, finding.level) {
            (FailOn::Any, _, _) => true,
            (FailOn::Race, Kind::Race, _) => true,
            (FailOn::Promise | FailOn::Suspicious, Kind::Race, _) => false,
            (FailOn::Promise, _, level) => level == Level::Promise,
            (FailOn::Suspicious | FailOn::Race, _, level) => level != Level::Refusal,
        }
    }
}

impl Report {
    /// Whether some finding makes the run fail.
    pub fn fails(&self, on: FailOn) -> bool {
        self.findings().any(|it| on.counts(it.1))
    }
}
