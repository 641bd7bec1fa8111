//! What a run gives reason to try: races the other way round, receives that take something else.

use crate::schedules::cells::{Cell, Gates, Place};
use crate::schedules::doing::Doing;
use crate::schedules::offers::fits;
use crate::schedules::order::{Event, Received, Trace};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use trace::{
    Actor, Choice, ExecutorError, Input, Label, Match, MessageId, OfferKind, Patience, Stage, Take,
};

#[derive(Debug)]
pub(super) struct Plan {
    /// The node before this step.
    pub(super) at: usize,
    /// The steps that are dictated again.
    pub(super) guided: Vec<usize>,
    /// What comes after them.
    pub(super) last: Arc<Doing>,
    /// Whether the last step might touch more than is known of it.
    pub(super) is_open: bool,
    /// Whether the last step might not be possible there: it begins a round that might change nothing, or its
    /// process may be suspended.
    pub(super) may_be_impossible: bool,
    /// The last step of the run that the plan's last step needs; `None` if it may need more.
    pub(super) needs: Option<usize>,
    /// Whether the last step is another choice of the receive before whose step it is planned.
    pub(super) is_choice: bool,
    /// The match that the last step needs and does not have with this input.
    pub(super) unmatched: Option<Vec<Choice>>,
}

/// A step that need not be planned again in place of another one: executing `instead` at `at` reaches only
/// traces that are explored already or planned, for every execution that shares the prefix up to `because`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    pub(super) at: usize,
    pub(super) instead: Label,
    pub(super) because: usize,
}

/// The settled steps of the path that is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Settlements {
    because: FxHashMap<(usize, Label), usize>,
}

impl Settlements {
    pub(super) fn add(&mut self, it: Settled) {
        self.because.insert((it.at, it.instead), it.because);
    }

    pub(super) fn hold(&self, at: usize, instead: Label) -> bool {
        self.because.contains_key(&(at, instead))
    }

    /// Forgets all but those that the first steps are reasons for.
    pub(super) fn truncate(&mut self, n: usize) {
        self.because.retain(|_, it| *it < n);
    }
}

impl Plan {
    pub(super) fn only_last(mut self) -> Plan {
        self.guided.clear();
        self
    }

    /// What its last step does there is known. If that is something else than in the run, then so is what
    /// can come before it.
    pub(super) fn is_tried(&mut self, doing: Arc<Doing>) {
        self.needs = self.needs.filter(|_| doing.does_the_same(&self.last));
        self.last = doing;
    }

    /// The same in a cell, unless the last step is not possible there.
    pub(super) fn within(mut self, cell: &Cell, trace: &Trace) -> Option<Plan> {
        if cell.is_everything() {
            return Some(self);
        }
        let label = self.last.label;
        let is_its =
            |it: &usize| trace.events.get(*it).is_some_and(|it| it.step.label.actor == label.actor);
        let nth = (0..self.at).chain(self.guided.iter().copied()).filter(is_its).count();
        let place = Place { actor: label.actor, nth: u32::try_from(nth).ok()? };
        let is_done = |it: Place| {
            trace.event_at(it).is_some_and(|it| it < self.at || self.guided.contains(&it))
        };
        if !cell.permits_at(place, label.take, &is_done) {
            return None;
        }
        let gates = cell.gates(place);
        if self.last.gates != gates {
            self.last = Arc::new(Doing { gates, ..Doing::clone(&self.last) });
        }
        Some(self)
    }

    pub(super) fn sequence<'a>(
        &'a self,
        trace: &'a Trace,
    ) -> impl Iterator<Item = &'a Arc<Doing>> + Clone {
        self.guided.iter().filter_map(|it| trace.doing(*it)).chain([&self.last])
    }

    /// Not to be made again if the node tries the step at some place of the sequence, with which it
    /// can begin.
    pub(super) fn settled(&self, place: usize) -> Option<Settled> {
        let needs = self.needs?;
        let because = self.guided.get(place).copied().unwrap_or(needs).max(needs);
        Some(Settled { at: self.at, instead: self.last.label, because })
    }
}

/// All plans but those that are settled: what can come before a step differs from run to run, even
/// if the step and what it races with do not. Matches that need other inputs were asked for by
/// earlier runs if nothing after the first `fresh` steps is a reason.
pub(super) fn plans(trace: &Trace, settled: &Settlements, fresh: usize) -> Vec<Plan> {
    let mut res = races(trace, Known::Settled(settled));
    for received in &trace.received {
        other_takes(trace, settled, fresh, received, &mut res);
    }
    res
}

/// The same where messages are taken in the order in which they were sent. What a receive takes
/// follows from races of who sent it; but it may have given up before any of them came.
pub(super) fn ordered_plans(trace: &Trace, fresh: usize) -> Vec<Plan> {
    let mut res = races(trace, Known::Before(fresh));
    for received in trace.received.iter().filter(|it| it.patience == Patience::Soon) {
        let first = received.wanted.iter().filter_map(|it| trace.sender(*it)).min();
        let is_taken = matches!(received.take, Some(Take::Message(_)));
        if let Some(first) = first.filter(|it| is_taken && *it < received.at)
            && fresh <= received.at
            && trace.allowed(received, Take::Timeout)
        {
            res.push(plan(trace, first, received.at, received.doing(Take::Timeout)));
        }
    }
    // Ended while it waited: it might have gone on before.
    for received in trace.received.iter().filter(|it| it.take.is_none()) {
        let messages = received.wanted.iter().map(|it| Take::Message(*it));
        let gives_up = (received.patience == Patience::Soon).then_some(Take::Timeout);
        for take in messages.chain(gives_up).filter(|it| trace.allowed(received, *it)) {
            let until = next_of(trace, received.who, received.at);
            res.push(plan(trace, received.at, until, received.doing(take)));
        }
    }
    res
}

/// Messages that might have been lost, if no more than so many of a run may be. As for a process that was
/// ended, with every run there is more that can come before it.
pub(super) fn losses(trace: &Trace, max: usize) -> Vec<Plan> {
    let is_lost =
        |it: &usize| trace.events.get(*it).is_some_and(|it| it.step.label.take == Take::Lost);
    let plan = |(at, event): (usize, &Event)| {
        let label = Label { take: Take::Lost, ..event.step.label };
        let accesses = event.doing.accesses.clone();
        let doing = Doing { accesses, ..Doing::clone(&Doing::of_offer(label, None)) };
        plan(trace, at, trace.len(), Arc::new(doing))
    };
    let is_within = |it: &Plan| {
        (0..it.at).filter(is_lost).count() + it.guided.iter().copied().filter(is_lost).count() < max
    };
    let may_lose = trace.events.iter().enumerate().filter(|it| it.1.may_lose);
    may_lose.map(plan).filter(is_within).collect()
}

/// Messages that were there when a receive was, and that it would have taken with other inputs.
pub(super) fn unmatched_plans(trace: &Trace, fresh: usize) -> Vec<Plan> {
    let of = |received: &Received| -> Vec<Plan> {
        let is_there =
            |it: &&(MessageId, Match)| trace.sender(it.0).is_some_and(|it| it < received.at);
        let plan = |it: &(MessageId, Match)| {
            let doing = received.doing(Take::Message(it.0));
            let unmatched = Some(it.1.choices.clone());
            Plan { unmatched, ..plan(trace, received.at, received.at, doing) }
        };
        received.unwanted.iter().filter(is_there).map(plan).collect()
    };
    trace.received.iter().filter(|it| fresh <= it.at).flat_map(of).collect()
}

/// What the last step of a plan does where it is planned.
pub(super) fn try_out(
    stage: &mut dyn Stage,
    trace: &Trace,
    plan: &Plan,
    input: &Input,
) -> Result<Option<Arc<Doing>>, ExecutorError> {
    stage.begin(input)?;
    let before = (0..plan.at).chain(plan.guided.iter().copied());
    for event in before.filter_map(|it| trace.events.get(it)) {
        stage.again(event.step.label, event.step.is_last)?;
    }
    let label = plan.last.label;
    let is_possible = stage.offers()?.iter().any(|it| fits(it, label));
    let step = is_possible.then(|| stage.step(label)).transpose()?;
    stage.end()?;
    Ok(step.map(|mut it| Doing::of_step(&mut it, Gates::default())))
}

/// Which races need not be turned again, and which of the steps that a race does not depend on are made
/// before it is.
#[derive(Clone, Copy)]
enum Known<'s> {
    /// All such steps: no two plans then lead to the same.
    Settled(&'s Settlements),
    /// Those between the two, as only the first step of a plan counts. Races of the first steps are known.
    Before(usize),
}

fn races(trace: &Trace, known: Known<'_>) -> Vec<Plan> {
    let until = |it: usize| match known {
        Known::Settled(_) => trace.len(),
        Known::Before(_) => it,
    };
    let mut res = Vec::new();
    for race in &trace.races {
        let Some(second) = trace.events.get(race.second) else { continue };
        let is_known = match known {
            Known::Settled(it) => it.hold(race.first, second.step.label),
            Known::Before(n) => race.second < n,
        };
        if is_known {
            continue;
        }
        // What it takes must be there without the first.
        let is_caused = match second.step.label.take {
            Take::Message(id) => trace.sender(id).is_some_and(|it| trace.is_before(race.first, it)),
            Take::Next | Take::Timeout | Take::Lost => false,
        };
        if !is_caused {
            let doing = Arc::clone(&second.doing);
            let plan = plan(trace, race.first, until(race.second), doing);
            let needs = Some(race.second);
            if second.step.might_wait {
                res.push(Plan { is_open: true, may_be_impossible: true, ..plan });
                continue;
            }
            let Some(spin) = &second.step.spin else {
                let is_open = trace.is_open(race);
                let may_be_impossible = trace.is_global(race.first);
                res.push(Plan { needs, is_open, may_be_impossible, ..plan });
                continue;
            };
            let round = trace.latest_before(race.second, spin.n_steps);
            let before = (round..race.first).chain(plan.guided.iter().copied());
            if trace.changes(&spin.reads, second.step.label.actor, before) {
                // Another class may begin with it: nothing is known to be settled.
                res.push(Plan { is_open: true, may_be_impossible: true, ..plan });
            }
        }
    }
    for cut in &trace.cuts {
        if let OfferKind::Next { is_idle, .. } = *cut.offer.kind {
            let label = Label { actor: cut.offer.actor, take: Take::Next };
            let doing = Doing::of_offer(label, Some(&cut.offer.kind));
            let until = until(next_of(trace, label.actor, cut.at));
            let plan = plan(trace, cut.at, until, doing);
            res.push(Plan { is_open: true, may_be_impossible: is_idle, ..plan });
        }
    }
    res
}

/// The next step of an actor after another step.
fn next_of(trace: &Trace, actor: Actor, after: usize) -> usize {
    let is_its = |it: &usize| trace.events.get(*it).is_some_and(|it| it.step.label.actor == actor);
    (after + 1..trace.len()).find(is_its).unwrap_or(trace.len())
}

fn other_takes(
    trace: &Trace,
    settled: &Settlements,
    fresh: usize,
    received: &Received,
    res: &mut Vec<Plan>,
) {
    let is_cut = received.take.is_none();
    let other = |take, sent: usize| {
        let plan = plan(trace, received.at, trace.len(), received.doing(take));
        Plan { needs: (!is_cut).then_some(sent.max(received.at)), is_choice: true, ..plan }
    };
    let is_news = |take| {
        let label = Label { actor: received.who, take };
        received.take != Some(take)
            && !settled.hold(received.at, label)
            && trace.allowed(received, take)
    };
    let sent = |id| trace.sender(id).filter(|it| !trace.is_before(received.at, *it));
    for id in &received.wanted {
        let take = Take::Message(*id);
        if let Some(sent) = sent(*id)
            && is_news(take)
        {
            res.push(other(take, sent));
        }
    }
    if received.patience == Patience::Soon && is_news(Take::Timeout) {
        res.push(other(Take::Timeout, received.at));
    }
    // It was idle there; after other steps it might go round once more before that.
    if received.patience == Patience::Idle && trace.allowed(received, Take::Timeout) {
        let plan = other(Take::Timeout, received.at);
        if trace.changes(&plan.last.accesses, received.who, plan.guided.iter().copied()) {
            res.push(Plan { is_open: true, may_be_impossible: true, needs: None, ..plan });
        }
    }
    for (id, Match { choices, .. }) in &received.unwanted {
        if let Some(sent) = sent(*id)
            && (is_cut || fresh <= sent.max(received.at))
        {
            let unmatched = Some(choices.clone());
            let plan = other(Take::Message(*id), sent);
            res.push(Plan { unmatched, needs: None, ..plan });
        }
    }
}

/// All up to some step that a step did not cause, then another one in its place.
fn plan(trace: &Trace, at: usize, until: usize, last: Arc<Doing>) -> Plan {
    let guided: Vec<usize> = (at + 1..until).filter(|it| !trace.is_before(at, *it)).collect();
    Plan {
        at,
        guided,
        last,
        is_open: false,
        may_be_impossible: false,
        needs: None,
        is_choice: false,
        unmatched: None,
    }
}
