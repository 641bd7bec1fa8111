//! What is asked of a unit's inputs and of its results, and where the search begins.

use crate::test::project::Module;
use crate::test::unit::UnitName;
use term::{Domain, Term};
use trace::Input;

#[derive(Clone, Debug, Default)]
pub(crate) struct Contract {
    pub(crate) domain: Domain,
    /// The first inputs.
    pub(crate) seeds: Vec<Input>,
    /// Each must return true for an input that counts.
    pub(crate) preconditions: Vec<UnitName>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Specs {
    Heeded,
    Ignored,
}

impl Contract {
    pub(crate) fn of(_module: &Module, unit: &UnitName, _specs: Specs) -> Contract {
        let args = vec![Term::Int(0); unit.arity];
        let seeds = vec![Input { args }];
        Contract { domain: Domain::default(), seeds, preconditions: vec![] }
    }

    /// Whether somebody promised to take this input.
    pub(crate) fn allows(&self, input: &Input) -> bool {
        self.domain.args.is_some() && self.domain.has(&input.args)
    }

    /// Whether the input may be tried at all.
    pub(crate) fn has(&self, input: &Input) -> bool {
        self.domain.has(&input.args)
    }

    /// Why a result is not what the spec promises.
    pub(crate) fn complaint(&self, _value: &Term) -> Option<String> {
        None
    }
}
