//! What a part of a search gives reason to at nodes that are not its own.
//!
//! Whoever has the node decides, when it is the part's turn, by what is planned there and settled by then,
//! as if the run had been his. The part keeps to itself only what has been seen already.

use crate::schedules::doing::Doing;
use crate::schedules::order::Trace;
use crate::schedules::plan::Plan;
use std::sync::Arc;

/// What a run gave reason to.
#[derive(Debug)]
pub(super) struct Told {
    /// How many of its steps are those of the run that told something before, in all runs between.
    pub(super) n_known: usize,
    pub(super) wishes: Vec<Wish>,
}

/// A plan for a node of somebody else.
#[derive(Debug)]
pub(super) struct Wish {
    pub(super) plan: Plan,
    pub(super) sequence: Vec<Arc<Doing>>,
}

/// What the steps of a run do, shared with nobody, so that threads do not get in each other's way.
#[derive(Debug, Default)]
pub(super) struct Owned {
    doings: Vec<Option<Arc<Doing>>>,
}

impl Owned {
    fn doing(&mut self, trace: &Trace, event: usize) -> Option<Arc<Doing>> {
        self.doings.resize(trace.len(), None);
        let (own, doing) = (self.doings.get_mut(event)?, trace.doing(event)?);
        Some(Arc::clone(own.get_or_insert_with(|| Arc::new(Doing::clone(doing)))))
    }
}

impl Wish {
    pub(super) fn new(plan: Plan, trace: &Trace, owned: &mut Owned) -> Wish {
        let mut sequence: Vec<Arc<Doing>> =
            plan.guided.iter().filter_map(|it| owned.doing(trace, *it)).collect();
        let last = Arc::new(Doing::clone(&plan.last));
        sequence.push(Arc::clone(&last));
        Wish { plan: Plan { last, ..plan }, sequence }
    }
}
