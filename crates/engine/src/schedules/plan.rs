//! Plans: the executions that a run calls for, which reverse a race or let a receive take something else.

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
    /// The node before this step of the trace.
    pub(super) at: usize,
    /// The later steps of the trace that are taken again.
    pub(super) guided: Vec<usize>,
    /// The step after the guided ones.
    pub(super) last: Arc<Doing>,
    /// Whether the last step might have other accesses than are known, so that it must be tried out.
    pub(super) is_open: bool,
    /// Whether the last step might be disabled there: it begins a round of a busy-waiting loop that might change
    /// nothing, or its process may be suspended.
    pub(super) may_be_impossible: bool,
    /// The last step of the run that the plan's last step needs; `None` if it may need more.
    pub(super) needs: Option<usize>,
    /// Whether the last step is another choice of the receive at step `at`.
    pub(super) is_choice: bool,
    /// The choices of the match that the last step needs and that fails with this input.
    pub(super) unmatched: Option<Vec<Choice>>,
}

/// A settled plan: executing `instead` at `at` reaches only classes that are explored or planned, in every execution
/// that shares the prefix up to and including `because`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    pub(super) at: usize,
    pub(super) instead: Label,
    pub(super) because: usize,
}

/// The settled plans of the current path.
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

    /// Keeps only those whose reasons are within the first `n` steps.
    pub(super) fn truncate(&mut self, n: usize) {
        self.because.retain(|_, it| *it < n);
    }
}

impl Plan {
    pub(super) fn only_last(mut self) -> Plan {
        self.guided.clear();
        self
    }

    /// Sets what the last step does, after it was tried out. If it differs from the step of the run, the plan is never
    /// settled.
    pub(super) fn is_tried(&mut self, doing: Arc<Doing>) {
        self.needs = self.needs.filter(|_| doing.does_the_same(&self.last));
        self.last = doing;
    }

    /// Returns the plan for a cell; `None` if the cell does not permit its last step.
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

    /// Returns the settled plan if the node tries the step at `place` of the sequence, which is an initial of it.
    pub(super) fn settled(&self, place: usize) -> Option<Settled> {
        let needs = self.needs?;
        let because = self.guided.get(place).copied().unwrap_or(needs).max(needs);
        Some(Settled { at: self.at, instead: self.last.label, because })
    }
}

/// Returns all plans that are not settled. Even when a race and the steps before it are known, new runs have other
/// steps that can come before it. Matches that need other inputs were asked for by earlier runs unless they involve
/// steps from `fresh` on.
pub(super) fn plans(trace: &Trace, settled: &Settlements, fresh: usize) -> Vec<Plan> {
    let mut res = races(trace, Known::Settled(settled));
    for received in &trace.received {
        other_takes(trace, settled, fresh, received, &mut res);
    }
    res
}

/// Returns the plans of a search in which messages are received in the order of sending. What a receive takes then
/// follows from races between the senders; but it may also time out before any message was sent.
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
    // A process that was ended while it waited might have continued before.
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

/// Returns plans in which messages are lost, at most `max` in a run. These are never settled: in each run, other steps
/// can come before the loss.
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

/// Returns plans for receives to take messages that were in the mailbox and match with other inputs only.
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

/// Executes a plan and returns what its last step does; `None` if the step is disabled there.
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

/// Which races need not be reversed again, and up to where independent steps are guided before the reversed race.
#[derive(Clone, Copy)]
enum Known<'s> {
    /// Settled races need not be reversed. All independent steps of the trace are guided, so that no two plans lead to
    /// equivalent executions.
    Settled(&'s Settlements),
    /// Races among the first steps need not be reversed. Only independent steps between the two steps of the race are
    /// guided, as only the first step of a plan is used.
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
        // The message that the second step takes must exist without the first step.
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
                // Another class may begin with the plan, so it is never settled.
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

/// Returns the next step of an actor after another step; the length of the trace if there is none.
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
    // The actor was idle in a busy-waiting loop; after other steps it might make another round first.
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

/// Returns the plan that takes the steps from `at` to `until` which the step `at` did not cause, and then `last`.
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
