//! What is asked of a unit's inputs and of its results, and where the search begins.

use crate::erlang::unit::UnitName;
use erlang::machine::FromSpec;
use erlang::spec::{Origin, Signature};
use std::sync::Arc;
use term::{Dice, Domain, Style, Term, print};
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
    pub(crate) fn new(unit: &UnitName, signature: Option<Signature>, seed: u64) -> Contract {
        let domain = signature.as_ref().map(|it| it.domain.clone()).unwrap_or_default();
        let from_spec = signature.as_ref().and_then(Signature::first_input);
        let args = from_spec.unwrap_or_else(|| vec![Term::Int(0); unit.arity]);
        let mut seeds = vec![Input { args }];
        seeds.extend(larger(&domain, seed));
        Contract { signature, domain, seeds, preconditions: vec![] }
    }

    /// What the search is told of the unit.
    pub(crate) fn spec(&self) -> FromSpec {
        let promise = self.signature.as_ref().map(Signature::promise).unwrap_or_default();
        FromSpec { domain: Arc::new(self.domain.clone()), promise: Arc::new(promise) }
    }

    /// Whether somebody promised to take this input.
    pub(crate) fn allows(&self, input: &Input) -> bool {
        self.signature.as_ref().is_some_and(|it| it.allows(&input.args))
    }

    /// Whether a spec that says more than `term()` of some argument allows this input.
    pub(crate) fn promises(&self, input: &Input) -> bool {
        self.signature.as_ref().is_some_and(Signature::says_something) && self.allows(input)
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

/// Sizes of inputs that begin where a search from the smallest one comes late or never: what sorts
/// or merges has code for long lists only.
const SIZES: [u64; 8] = [3, 6, 6, 12, 12, 24, 24, 48];

/// Members of the domain at random.
fn larger(domain: &Domain, seed: u64) -> Vec<Input> {
    let Some(args) = domain.args else { return vec![] };
    let mut dice = Dice(seed);
    let sample = |size: u64| {
        let args = domain.types.sample(args, size, &mut dice)?.as_tuple()?.to_vec();
        domain.has(&args).then_some(Input { args })
    };
    let mut res: Vec<Input> = SIZES.into_iter().filter_map(sample).collect();
    res.dedup();
    res
}
