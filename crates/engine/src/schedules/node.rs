//! The nodes on the path of a search, with what is planned at each.

use crate::schedules::bounded::Standing;
use crate::schedules::data::Turns;
use crate::schedules::doing::{Doing, initial, is_weak_initial};
use crate::schedules::settings::Dpor;
use crate::schedules::wakeup::{Asleep, Branch};
use std::sync::Arc;
use term::Exprs;
use trace::{Input, Label};

/// A node on the path, before a step.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) sleep: Vec<Arc<Asleep>>,
    /// The wakeup tree of the node; its first branch is the one on the path.
    pub(super) tree: Vec<Branch>,
    /// The flips of the choices of the step on the path.
    pub(super) turns: Turns,
    /// The preemptions on the way here, with the input of the last run.
    pub(super) standing: Standing,
}

impl Node {
    pub(super) fn new(sleep: Vec<Arc<Asleep>>, tree: Vec<Branch>, standing: Standing) -> Node {
        Node { sleep, tree, turns: Turns::default(), standing }
    }

    /// Whether a step was tried here or is planned.
    pub(super) fn tries(&self, label: Label) -> bool {
        self.tree.iter().any(|it| it.doing.label == label)
            || self.sleep.iter().any(|it| it.doing.label == label)
    }

    /// Whether a sequence is redundant, whatever else is planned.
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
        // Source sets keep only one step of a plan, so only steps that occur in the sequence count.
        let is_initial = |label| initial(label, sequence).is_some();
        self.tree.iter().any(|it| is_initial(it.doing.label))
            || self.sleep.iter().any(|it| is_initial(it.doing.label))
    }

    /// Whether all executions that the sequence leads to were explored.
    pub(super) fn covers(&self, sequence: &[&Doing], exprs: &Exprs, input: &Input) -> bool {
        let covers = |it: &Arc<Asleep>| {
            is_weak_initial(&it.doing, sequence) && it.conditions.hold(exprs, input)
        };
        self.sleep.iter().any(covers)
    }
}
