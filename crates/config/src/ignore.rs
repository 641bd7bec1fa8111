//! Accepted findings.
//!
//! Knows only the four texts that describe a finding; the caller provides the current day.

use crate::glob::Glob;

/// A year, a month and a day.
pub type Day = (i32, u8, u8);

/// A description of findings that do not count. Absent fields match everything.
#[derive(Clone, Debug)]
pub struct Ignore {
    pub unit: Option<Glob>,
    /// The name of the kind in reports, such as `crash`.
    pub kind: Option<String>,
    pub fingerprint: Option<String>,
    pub reason: Option<Glob>,
    /// The user's reason for accepting the finding.
    pub because: String,
    /// The last day on which it is ignored.
    pub until: Option<Day>,
    /// The line in the file, counted from one.
    pub line: usize,
}

/// The properties of a finding that an `Ignore` compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IgnoreQuery<'a> {
    pub unit: &'a str,
    pub kind: &'a str,
    pub fingerprint: &'a str,
    pub reason: &'a str,
}

impl Ignore {
    /// Whether the finding is ignored today. Without the current day, no entry has expired.
    pub fn matches(&self, finding: &IgnoreQuery<'_>, today: Option<Day>) -> bool {
        let Ignore { unit, kind, fingerprint, reason, because: _, until: _, line: _ } = self;
        !self.is_expired(today)
            && unit.as_ref().is_none_or(|it| it.matches(finding.unit))
            && kind.as_ref().is_none_or(|it| it == finding.kind)
            && fingerprint.as_ref().is_none_or(|it| it.eq_ignore_ascii_case(finding.fingerprint))
            && reason.as_ref().is_none_or(|it| it.matches(finding.reason))
    }

    /// Whether its last day has passed.
    pub fn is_expired(&self, today: Option<Day>) -> bool {
        matches!((self.until, today), (Some(until), Some(today)) if until < today)
    }
}
