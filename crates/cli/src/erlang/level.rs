//! How much a finding matters, and why: the one place where that is decided for Erlang and Elixir.

use crate::erlang::contract::Contract;
use crate::erlang::finding::Finding;
use crate::erlang::unit::UnitName;
use ::report::{Kind, Level};

/// The level of a finding, and one line that says why it has it.
pub(crate) fn level(contract: &Contract, unit: &UnitName, finding: &Finding) -> (Level, String) {
    let is_promised = contract.promises(&finding.input);
    match finding.kind {
        Kind::Spec => (Level::Promise, finding.complaint.clone().unwrap_or_default()),
        Kind::Property => (Level::Promise, "a property must return true".to_owned()),
        Kind::Deadlock => (Level::Promise, "nobody can go on".to_owned()),
        Kind::Race => (Level::Suspicious, finding.complaint.clone().unwrap_or_default()),
        Kind::Crash | Kind::Timeout if is_promised => {
            (Level::Promise, "the spec allows this input".to_owned())
        }
        Kind::Crash => (Level::Suspicious, "nobody catches this exception".to_owned()),
        Kind::Timeout => (Level::Suspicious, "it may run forever".to_owned()),
        Kind::Rejected if contract.signature.is_some() => {
            (Level::Refusal, "the spec does not allow this input".to_owned())
        }
        Kind::Rejected => {
            let title = unit.title();
            let why = format!("no clause of {title} takes it, and no spec says that one should");
            (Level::Refusal, why)
        }
    }
}
