//! What is asked of a unit's inputs and of its results, and where the search begins.

use crate::test::unit::UnitName;
use erlang::spec::{Origin, Signature};
use term::{Domain, Style, Term, print};
use trace::Input;

#[derive(Clone, Debug, Default)]
pub(crate) struct Contract {
    /// What the spec says, if there is one and it counts.
    pub(crate) signature: Option<Signature>,
    pub(crate) domain: Domain,
    /// The first inputs.
    pub(crate) seeds: Vec<Input>,
    /// Each must return true for an input that counts.
    pub(crate) preconditions: Vec<UnitName>,
}

impl Contract {
    pub(crate) fn new(unit: &UnitName, signature: Option<Signature>) -> Contract {
        let domain = signature.as_ref().map(|it| it.domain.clone()).unwrap_or_default();
        let from_spec = signature.as_ref().and_then(Signature::first_input);
        let args = from_spec.unwrap_or_else(|| vec![Term::Int(0); unit.arity]);
        Contract { signature, domain, seeds: vec![Input { args }], preconditions: vec![] }
    }

    /// Whether somebody promised to take this input.
    pub(crate) fn allows(&self, input: &Input) -> bool {
        self.signature.as_ref().is_some_and(|it| it.allows(&input.args))
    }

    /// Whether the input may be tried at all.
    pub(crate) fn has(&self, input: &Input) -> bool {
        self.domain.has(&input.args)
    }

    /// Why a result is not what the spec promises.
    pub(crate) fn complaint(&self, input: &Input, value: &Term) -> Option<String> {
        let signature = self.signature.as_ref()?;
        let promised = signature.breach(&input.args, value)?.promised;
        let by = match &signature.origin {
            Origin::Spec => "the spec".to_owned(),
            Origin::Callback(behaviour) => format!("the behaviour {}", behaviour.as_str()),
        };
        Some(format!("{by} promises {promised}, not {}", print(value, Style::TW)))
    }
}
