//! Describes the choices that lead to a finding in words.

mod words;

use crate::erlang::reached::words::Words;
use crate::erlang::unit::UnitName;
use ::report::Reached;
use erlang::Machine;
use trace::{Executor, Input, SiteId};

/// How many of the last choices of a path are told; earlier ones are mostly about the same data.
const MAX_CHOICES: usize = 12;

/// A choice of a run, and its condition on the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToldChoice {
    site: SiteId,
    what: String,
}

/// Runs an input once more and describes its choices in the modules under test. `names` are those of the unit's
/// arguments.
pub(crate) fn choices_of(
    executor: &mut dyn Executor,
    unit: &UnitName,
    names: &[String],
    input: &Input,
) -> Vec<ToldChoice> {
    let Ok(run) = executor.run(input) else { return Vec::new() };
    let own: Vec<_> =
        run.choices.iter().filter(|it| executor.is_inside(it.site)).cloned().collect();
    let first = own.len().saturating_sub(MAX_CHOICES);
    let model = input.to_model();
    let mut res: Vec<ToldChoice> = Vec::new();
    for choice in own.get(first..).unwrap_or_default() {
        let exprs = executor.exprs();
        let constraints = choice.constraints(exprs, choice.taken);
        let words = Words { exprs, names, model: &model, show: &|it| unit.shown_term(it) };
        let told = ToldChoice { site: choice.site, what: words.told(&constraints) };
        if res.last() != Some(&told) {
            res.push(told);
        }
    }
    res
}

impl ToldChoice {
    pub(crate) fn told(&self, machine: &Machine) -> Reached {
        let place = machine.source_place(self.site).filter(|it| !it.0.is_empty());
        let (file, line) = place.map_or((None, None), |it| (Some(it.0), Some(it.1)));
        Reached { file, line, what: self.what.clone() }
    }
}
