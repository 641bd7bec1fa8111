//! The choices on the way to a finding, in words.

use crate::erlang::rules::argument_name;
use ::report::Reached;
use erlang::Machine;
use term::{Var, constraint_text};
use trace::{Executor, Input, SiteId};

/// The last choices of a path are told; those before them are as a rule about the same data.
const MAX_CHOICES: usize = 12;
/// Parts of one choice that are told.
const MAX_PARTS: usize = 3;

/// A choice of a run, and what it asks of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToldChoice {
    site: SiteId,
    what: String,
}

/// Runs an input once more, and tells the choices that it makes in the modules under test.
pub(crate) fn choices_of(executor: &mut dyn Executor, input: &Input) -> Vec<ToldChoice> {
    let Ok(run) = executor.run(input) else { return Vec::new() };
    let names = |var: Var| argument_name(var.0 as usize);
    let own: Vec<_> =
        run.choices.iter().filter(|it| executor.is_inside(it.site)).cloned().collect();
    let first = own.len().saturating_sub(MAX_CHOICES);
    let mut res: Vec<ToldChoice> = Vec::new();
    for choice in own.get(first..).unwrap_or_default() {
        let exprs = executor.exprs();
        let constraints = choice.constraints(exprs, choice.taken);
        let parts = constraints.iter().take(MAX_PARTS).map(|it| constraint_text(exprs, it, &names));
        let mut what = parts.collect::<Vec<_>>().join(" and ");
        if MAX_PARTS < constraints.len() {
            what.push_str(" and more");
        }
        let told = ToldChoice { site: choice.site, what };
        if res.last() != Some(&told) {
            res.push(told);
        }
    }
    res
}

impl ToldChoice {
    pub(crate) fn told(&self, machine: &Machine) -> Reached {
        let place = machine.source_place(self.site);
        let (file, line) = place.map_or((None, None), |it| (Some(it.0), Some(it.1)));
        Reached { file, line, what: self.what.clone() }
    }
}
