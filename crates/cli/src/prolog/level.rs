//! How much a finding matters, and why: the one place where that is decided for Prolog.

use crate::prolog::finding::Finding;
use ::report::{Kind, Level};

/// The level of a finding, and one line that says why it has it.
pub(crate) fn level(of: &Finding) -> (Level, String) {
    let level = match of.kind {
        Kind::Spec | Kind::Property | Kind::Deadlock => Level::Promise,
        Kind::Crash | Kind::Timeout if of.is_declared => Level::Promise,
        Kind::Crash | Kind::Timeout | Kind::Race => Level::Suspicious,
        Kind::Rejected => Level::Refusal,
    };
    (level, of.why.clone())
}
