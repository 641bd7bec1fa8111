//! All that a run of `gimlet test` found, as plain data, and the forms in which it is shown.

mod chosen;
pub(crate) mod corpus;
pub(crate) mod eunit;
mod exunit;
pub(crate) mod files;
pub(crate) mod json;
mod table;
pub(crate) mod text;

use crate::test::contract::Contract;
use crate::test::coverage::{ModuleCoverage, UnitCoverage};
use crate::test::explore::Explored;
use crate::test::finding::{Finding, Kind};
use crate::test::unit::UnitName;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use term::Term;

#[derive(Clone, Debug)]
pub(crate) struct Report {
    pub(crate) units: Vec<UnitReport>,
    pub(crate) modules: Vec<ModuleCoverage>,
}

#[derive(Clone, Debug)]
pub(crate) struct UnitReport {
    pub(crate) unit: UnitName,
    pub(crate) contract: Contract,
    pub(crate) explored: Explored,
    pub(crate) coverage: UnitCoverage,
}

/// Whether refusals by a unit's own clauses count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    Usual,
    Strict,
}

impl Report {
    /// Whether something was found that counts.
    pub(crate) fn has_found(&self, strictness: Strictness) -> bool {
        let counts = |it: &Finding| match it.kind {
            Kind::Race => false,
            Kind::Rejected => strictness == Strictness::Strict,
            Kind::Crash | Kind::Deadlock | Kind::Spec | Kind::Property | Kind::Timeout => true,
        };
        self.units.iter().flat_map(|it| &it.explored.findings).any(counts)
    }
}

impl UnitReport {
    /// Whether all of its paths were tried.
    pub(crate) fn is_complete(&self) -> bool {
        self.explored.report.is_complete() && self.explored.trouble.is_none()
    }

    pub(crate) fn verdict(&self) -> &'static str {
        if self.explored.findings.iter().any(|it| it.kind != Kind::Race) {
            "findings"
        } else if self.is_complete() {
            "clean"
        } else {
            "bounded"
        }
    }
}

/// A short name for an input of a unit, the same in every run.
pub(crate) fn id_of(unit: &UnitName, args: &[Term]) -> String {
    let digest = Sha256::digest(unit.call(args).as_bytes());
    digest.iter().take(4).fold(String::new(), |mut text, it| {
        write!(text, "{it:02x}").ok();
        text
    })
}
