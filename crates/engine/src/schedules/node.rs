//! Places on the path of a search, with what is planned there.

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
    /// On the way here.
    pub(super) n_preemptions: usize,
    pub(super) size: Size,
}

/// How many runs the branches of a node take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Runs of the whole search before the branch on the path.
    pub(super) n_before: usize,
    /// Of the largest branch so far.
    pub(super) largest: usize,
    /// Sequences that a branch must have to be given away: others of the node had few runs each.
    pub(super) min_given: usize,
}

impl Node {
    pub(super) fn new(
        sleep: Vec<Arc<Asleep>>,
        tree: Vec<Branch>,
        n_preemptions: usize,
        n_before: usize,
    ) -> Node {
        let size = Size { n_before, largest: 0, min_given: 1 };
        Node { sleep, tree, turns: Turns::default(), n_preemptions, size }
    }

    /// The step on the path.
    pub(super) fn label(&self) -> Option<Label> {
        self.tree.first().map(|it| it.doing.label)
    }

    /// The same with nothing shared with others.
    pub(super) fn own(&self, input: &Arc<Input>) -> Node {
        let sleep = self.sleep.iter().map(|it| it.own()).collect();
        let tree = self.tree.iter().map(|it| it.own(input)).collect();
        Node::new(sleep, tree, self.n_preemptions, 0)
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
