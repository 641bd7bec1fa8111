//! Places on the path of a search, with what is planned there.

use crate::schedules::bounded::Standing;
use crate::schedules::data::Turns;
use crate::schedules::doing::{Doing, initial, is_weak_initial};
use crate::schedules::settings::Dpor;
use crate::schedules::wakeup::{Asleep, Branch};
use std::sync::Arc;
use term::Exprs;
use trace::{Input, Label};

/// A place on the path, before a step.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) sleep: Vec<Arc<Asleep>>,
    /// The first branch is the one on the path.
    pub(super) tree: Vec<Branch>,
    /// What the step on the path chose by its data, and what was not tried.
    pub(super) turns: Turns,
    /// With the input of the run that was here last.
    pub(super) standing: Standing,
}

impl Node {
    pub(super) fn new(sleep: Vec<Arc<Asleep>>, tree: Vec<Branch>, standing: Standing) -> Node {
        Node { sleep, tree, turns: Turns::default(), standing }
    }

    /// Whether a step was tried or will be.
    pub(super) fn tries(&self, label: Label) -> bool {
        self.tree.iter().any(|it| it.doing.label == label)
            || self.sleep.iter().any(|it| it.doing.label == label)
    }

    /// Whether a sequence need not be tried, whatever else is planned.
    pub(super) fn is_seen(
        &self,
        sequence: &[&Doing],
        exprs: &Exprs,
        input: &Input,
        dpor: Dpor,
    ) -> bool {
        if dpor != Dpor::Source {
            return self.covers(sequence, exprs, input);
        }
        // One step is kept, so that only steps which the sequence has count as seen.
        let is_initial = |label| initial(label, sequence).is_some();
        self.tree.iter().any(|it| is_initial(it.doing.label))
            || self.sleep.iter().any(|it| is_initial(it.doing.label))
    }

    /// Whether all that a sequence leads to has been seen.
    pub(super) fn covers(&self, sequence: &[&Doing], exprs: &Exprs, input: &Input) -> bool {
        let covers = |it: &Arc<Asleep>| {
            is_weak_initial(&it.doing, sequence) && it.conditions.hold(exprs, input)
        };
        self.sleep.iter().any(covers)
    }
}
