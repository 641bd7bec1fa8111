//! Findings that somebody has looked at and accepted.
//!
//! Does not know what a finding is, only the four texts that describe it, nor which day it is.

use crate::glob::Glob;

/// A year, a month and a day, as the calendar counts them.
pub type Day = (i32, u8, u8);

/// A finding, or a group of them, that does not count. What is not given matches everything.
#[derive(Clone, Debug)]
pub struct Ignore {
    pub unit: Option<Glob>,
    /// As reports name it: `crash`.
    pub kind: Option<String>,
    pub fingerprint: Option<String>,
    pub reason: Option<Glob>,
    /// Why the finding is accepted, in the words of whoever did.
    pub because: String,
    /// The last day on which it is ignored.
    pub until: Option<Day>,
    /// The line of the file, counted from one.
    pub line: usize,
}

/// A finding, as far as an `Ignore` looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IgnoreQuery<'a> {
    pub unit: &'a str,
    pub kind: &'a str,
    pub fingerprint: &'a str,
    pub reason: &'a str,
}

impl Ignore {
    /// Whether the finding is ignored today. Without a day, no ignore has expired.
    pub fn matches(&self, finding: &IgnoreQuery<'_>, today: Option<Day>) -> bool {
        let Ignore { unit, kind, fingerprint, reason, because: _, until: _, line: _ } = self;
        !self.is_expired(today)
            && unit.as_ref().is_none_or(|it| it.matches(finding.unit))
            && kind.as_ref().is_none_or(|it| it == finding.kind)
            && fingerprint.as_ref().is_none_or(|it| it.eq_ignore_ascii_case(finding.fingerprint))
            && reason.as_ref().is_none_or(|it| it.matches(finding.reason))
    }

    /// Whether its last day is over.
    pub fn is_expired(&self, today: Option<Day>) -> bool {
        matches!((self.until, today), (Some(until), Some(today)) if until < today)
    }
}
