//! Which steps to try where, if a process may be left only so often although it could go on.
//!
//! Equivalent schedules do not cost the same. So nothing sleeps here, as the run that stands for others might be
//! beyond the bound and they are not, and a race is turned in two places (Coons, Musuvathi and McKinley, Bounded
//! Partial-Order Reduction, OOPSLA 2013): before its first step, where an actor is left that could go on, and
//! where the steps of that actor in a row began.
//!
//! Why that is enough: who went last is tried first wherever it can go on. Let a schedule within the bound
//! leave a node by a step that is not tried there, and let P be the first of those tried that it comes to.
//! All that P does in a row from there can be put first at no cost, unless something before it in the schedule
//! depends on it. Then that can also be done after P has come to where it can't go on, at no cost; this run was
//! made, and with its race somebody who comes before P is tried at the node. One thing costs more when steps are
//! put first: if they send messages, who came to its receive before them and was left there for nothing finds
//! them there. So that it came before is tried, too.

use crate::schedules::doing::Doing;
use crate::schedules::offers::is_open;
use crate::schedules::order::{Delivery, Received, Trace};
use std::sync::Arc;
use trace::{Actor, Label, Offer, OfferKind, Patience, Take};

/// What it costs to go on from a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    /// How often somebody was left on the way here although it could go on.
    pub(super) n_preemptions: usize,
    /// Who went last, if it can go on.
    pub(super) running: Option<Actor>,
}

impl Standing {
    pub(super) fn new(n_preemptions: usize, last: Option<Actor>, offers: &[Offer]) -> Standing {
        let goes_on = |it: &Actor| offers.iter().any(|of| of.actor == *it && is_open(of));
        Standing { n_preemptions, running: last.filter(goes_on) }
    }

    /// How many preemptions there are if this actor is next.
    pub(super) fn with(self, next: Actor) -> usize {
        self.n_preemptions + usize::from(self.running.is_some_and(|it| it != next))
    }

    pub(super) fn allows(self, next: Actor, max: Option<usize>) -> bool {
        max.is_none_or(|it| self.with(next) <= it)
    }
}

/// A way to what a run gives reason to try.
#[derive(Debug)]
pub(super) struct Detour {
    /// The node before this step.
    pub(super) at: usize,
    /// The first step of everybody who takes part, in an order in which they can be taken. If one of them
    /// is tried at the node, nothing else need be.
    pub(super) firsts: Vec<Arc<Doing>>,
}

/// All that were not known when only the first steps were.
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

/// Messages that were sent after a receive, which may take them where it need not take the first.
fn later_messages(trace: &Trace, fresh: usize, received: &Received, res: &mut Vec<Detour>) {
    let unwanted = received.unwanted.iter().map(|it| it.0);
    for sent in received.wanted.iter().copied().chain(unwanted).filter_map(|it| trace.sender(it)) {
        if received.at.max(fresh) <= sent && !trace.is_before(received.at, sent) {
            add(trace, received.at, &|at| to_step(trace, at, sent), res);
        }
    }
}

/// Whoever was ended while it waited might have gone on before.
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

/// A receive might have been there before the first message that it wants, to give up or to wait.
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

/// The ways to something that may come before a step: from there, and from where the steps of its actor in a
/// row began.
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

/// A step of the run, and all before it that it depends on, without some step and what that caused.
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

/// A step that was not taken, if its actor is there already.
fn to_offer(trace: &Trace, at: usize, doing: &Arc<Doing>) -> Option<Vec<Arc<Doing>>> {
    let is_there = trace.age(doing.label.actor).is_none_or(|it| it.0 < at);
    is_there.then(|| vec![Arc::clone(doing)])
}
