//! The backtracking points of a search with a bound on preemptions.
//!
//! Equivalent schedules have different numbers of preemptions. So there are no sleep sets here, since the run that
//! represents a class might be beyond the bound while others are within it, and a race adds two backtracking points
//! [Coons et al. 2013]: one before its first step, where switching away from an enabled actor costs a preemption, and
//! one where the block of consecutive steps of that actor began.
//!
//! This is sufficient for the following reason. The actor that took the last step is tried first wherever it is
//! enabled. Let a schedule within the bound leave a node by a step that is not tried there, and let P be the first
//! tried actor that takes a step later in the schedule. The block of steps that P takes there can be moved to the node
//! at no cost, unless something before it in the schedule depends on it. In that case the conflicting step can also be
//! moved behind the point where P blocks, at no cost; this run was made, and its race adds an actor that precedes P to
//! those tried at the node. Moving steps forward costs more in one case: if they send messages, an actor that reached
//! its receive before them, and could be left there at no cost, finds the messages there. So the order in which the
//! actor comes first is tried, too.

use crate::schedules::doing::Doing;
use crate::schedules::offers::is_open;
use crate::schedules::order::{Delivery, Received, Trace};
use std::sync::Arc;
use trace::{Actor, Label, Offer, OfferKind, Patience, Take};

/// The preemptions on the way to a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    /// How many preemptions the path to the node has.
    pub(super) n_preemptions: usize,
    /// The actor that took the last step, if it is enabled.
    pub(super) running: Option<Actor>,
}

impl Standing {
    pub(super) fn new(n_preemptions: usize, last: Option<Actor>, offers: &[Offer]) -> Standing {
        let goes_on = |it: &Actor| offers.iter().any(|of| of.actor == *it && is_open(of));
        Standing { n_preemptions, running: last.filter(goes_on) }
    }

    /// Returns the number of preemptions if this actor takes the next step.
    pub(super) fn with(self, next: Actor) -> usize {
        self.n_preemptions + usize::from(self.running.is_some_and(|it| it != next))
    }

    pub(super) fn allows(self, next: Actor, max: Option<usize>) -> bool {
        max.is_none_or(|it| self.with(next) <= it)
    }
}

/// A backtracking point.
#[derive(Debug)]
pub(super) struct Detour {
    /// The node before this step of the trace.
    pub(super) at: usize,
    /// The first step of each actor on the way to the conflicting step, in a possible order. If the node tries one of
    /// them, nothing needs to be added.
    pub(super) firsts: Vec<Arc<Doing>>,
}

/// Returns the backtracking points that a run calls for and that were not known when it had only its first `fresh`
/// steps.
pub(super) fn detours(trace: &Trace, fresh: usize) -> Vec<Detour> {
    let mut res = Vec::new();
    for race in trace.races.iter().filter(|it| fresh <= it.second) {
        add(trace, race.first, &|at| to_step(trace, at, race.second), &mut res);
    }
    for cut in trace.cuts.iter().filter(|it| fresh <= it.at) {
        if let OfferKind::Next { .. } = *cut.offer.kind {
            let label = Label { actor: cut.offer.actor, take: Take::Next };
            let doing = Doing::of_offer(label, Some(&cut.offer.kind));
            add(trace, cut.at, &|at| to_offer(trace, at, &doing), &mut res);
        }
    }
    for received in &trace.received {
        match received.take {
            Some(_) if trace.delivery == Delivery::Instant => (),
            Some(_) => later_messages(trace, fresh, received, &mut res),
            None => before_end(trace, fresh, received, &mut res),
        }
        if fresh <= received.at {
            before_messages(trace, received, &mut res);
        }
    }
    res
}

/// Adds points for messages that were sent after a receive. With delayed delivery the receive may take such a message
/// instead of the first.
fn later_messages(trace: &Trace, fresh: usize, received: &Received, res: &mut Vec<Detour>) {
    let unwanted = received.unwanted.iter().map(|it| it.0);
    for sent in received.wanted.iter().copied().chain(unwanted).filter_map(|it| trace.sender(it)) {
        if received.at.max(fresh) <= sent && !trace.is_before(received.at, sent) {
            add(trace, received.at, &|at| to_step(trace, at, sent), res);
        }
    }
}

/// Adds points for a process that was ended while it waited in a receive, and that might have continued before.
fn before_end(trace: &Trace, fresh: usize, received: &Received, res: &mut Vec<Detour>) {
    let senders = || received.wanted.iter().filter_map(|it| Some((*it, trace.sender(*it)?)));
    if fresh <= received.at {
        let way = |at: usize| {
            let first = senders().find(|it| it.1 < at).map(|it| Take::Message(it.0));
            let gives_up = (received.patience == Patience::Soon).then_some(Take::Timeout);
            to_offer(trace, at, &received.doing(first.or(gives_up)?))
        };
        add(trace, received.at, &way, res);
    }
    for (_, sent) in senders().filter(|it| received.at.max(fresh) < it.1) {
        add(trace, received.at, &|at| to_step(trace, at, sent), res);
    }
}

/// Adds points at which a receive is reached before the first message it wants is sent, so that it times out or blocks.
fn before_messages(trace: &Trace, received: &Received, res: &mut Vec<Detour>) {
    let senders = received.wanted.iter().filter_map(|it| trace.sender(*it));
    let Some(sent) = senders.min().filter(|it| *it < received.at) else { return };
    let came = received.before;
    let is_known = came.is_some_and(|it| trace.is_before(sent, it));
    if let Some(came) = came.filter(|it| sent < *it && !is_known) {
        add(trace, sent, &|at| to_step(trace, at, came), res);
    } else if received.patience == Patience::Soon && !is_known {
        let doing = received.doing(Take::Timeout);
        add(trace, sent, &|at| to_offer(trace, at, &doing), res);
    }
}

/// Adds the ways to something that may come before step `first`: from the node of that step, and from the node where
/// the block of steps of its actor began.
fn add(
    trace: &Trace,
    first: usize,
    way: &dyn Fn(usize) -> Option<Vec<Arc<Doing>>>,
    res: &mut Vec<Detour>,
) {
    let actor = |it: usize| trace.doing(it).map(|it| it.label.actor);
    let is_other = |it: &usize| actor(*it) != actor(first);
    let began = (0..first).rev().find(is_other).map_or(0, |it| it + 1);
    for at in [first, began].into_iter().take(if began == first { 1 } else { 2 }) {
        res.extend(way(at).map(|firsts| Detour { at, firsts }));
    }
}

/// Returns the steps on the way to a step of the run that do not depend on the step at `at`; `None` if the step needs
/// one of those that do.
fn to_step(trace: &Trace, at: usize, step: usize) -> Option<Vec<Arc<Doing>>> {
    if trace.needs(step).any(|it| trace.is_before(at, it)) {
        return None;
    }
    let is_on_the_way = |it: &usize| trace.is_before(*it, step) && !trace.is_before(at, *it);
    let way = (at + 1..step).filter(is_on_the_way).chain([step]);
    let mut res: Vec<Arc<Doing>> = Vec::new();
    for doing in way.filter_map(|it| trace.doing(it)) {
        if res.iter().all(|it| it.label.actor != doing.label.actor) {
            res.push(Arc::clone(doing));
        }
    }
    Some(res)
}

/// Returns the way to a step that was not taken, if its actor was started before `at`.
fn to_offer(trace: &Trace, at: usize, doing: &Arc<Doing>) -> Option<Vec<Arc<Doing>>> {
    let is_there = trace.age(doing.label.actor).is_none_or(|it| it.0 < at);
    is_there.then(|| vec![Arc::clone(doing)])
}
