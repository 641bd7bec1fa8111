//! The happens-before relation of a run, and the messages that each receive could have taken.
//!
//! The order of steps is kept in vector clocks. A step comes after the previous step of its actor, the step that
//! started the actor, the step that sent the message it takes, and earlier steps that conflict with it. Sending does
//! not order messages to one mailbox. But a receive takes the first message that matches, so each message taken implies
//! something about the order of arrival (`Come`). A choice is possible if these implications and the clocks together
//! have no cycle: then there is a real schedule in which it happens.

use crate::schedules::cells::{Cell, Gates, Place};
use crate::schedules::doing::Doing;
use crate::schedules::signals::OnTheWay;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use trace::{
    Access, Actor, Choice, Label, Match, MessageId, Mode, Object, Offer, OfferKind, Patience,
    ReceiveId, Sent, Step, Take, Waiting,
};

/// How messages are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Delivery {
    /// A message is in the mailbox as soon as it was sent.
    #[default]
    Instant,
    /// Messages to one process arrive in an order consistent with happens-before.
    Causal,
    /// Only messages from one process to another arrive in the order of sending.
    Free,
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) doing: Arc<Doing>,
    /// The step as the stage reported it, without its accesses, which are in `doing`.
    pub(super) step: Step,
    /// The index of the step's actor in the clocks.
    pub(super) actor: usize,
    /// The step's index among the steps of its actor.
    pub(super) nth: u32,
    /// The previous step of the same actor.
    before: Option<usize>,
    clock: Vec<u32>,
    /// Whether the message that the step sent might have been lost.
    pub(super) may_lose: bool,
    /// Whether the step was dictated by a plan.
    pub(super) is_guided: bool,
    /// Choices that must stay as they are, because earlier messages did not match the receive only for these.
    pub(super) assumed: Vec<Choice>,
}

/// A receive that has ended, or whose process was ended by a signal.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) at: usize,
    pub(super) receive: ReceiveId,
    pub(super) who: Actor,
    actor: usize,
    offered: Option<Arc<OfferKind>>,
    /// What the receive did; `None` if its process was ended instead.
    pub(super) take: Option<Take>,
    pub(super) patience: Patience,
    /// All messages known to match: those that were in the mailbox, and those sent later that the receive did not
    /// cause.
    pub(super) wanted: Vec<MessageId>,
    /// Messages that would match with other inputs.
    pub(super) unwanted: Vec<(MessageId, Match)>,
    /// The previous step of the same actor.
    pub(super) before: Option<usize>,
}

impl Received {
    /// Returns what is known of the step if the receive does `take` instead.
    pub(super) fn doing(&self, take: Take) -> Arc<Doing> {
        Doing::of_offer(Label { actor: self.who, take }, self.offered.as_deref())
    }
}

/// A race: two dependent steps that could come in the other order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Race {
    pub(super) first: usize,
    pub(super) second: usize,
}

/// A process that was ended while it could have taken a step.
#[derive(Debug)]
pub(super) struct Cut {
    pub(super) at: usize,
    pub(super) offer: Offer,
}

#[derive(Debug, Default)]
pub(super) struct Trace {
    pub(super) delivery: Delivery,
    pub(super) cell: Arc<Cell>,
    pub(super) events: Vec<Event>,
    pub(super) races: Vec<Race>,
    pub(super) received: Vec<Received>,
    pub(super) cuts: Vec<Cut>,
    pub(super) actors: FxHashMap<Actor, usize>,
    pub(super) last: Vec<Option<usize>>,
    spawned_at: FxHashMap<Actor, usize>,
    killed_at: FxHashMap<Actor, usize>,
    touched: FxHashMap<Object, Touched>,
    globals: Vec<usize>,
    sent_at: FxHashMap<MessageId, usize>,
    sent_to: FxHashMap<MessageId, usize>,
    pub(super) comes: Vec<Come>,
    /// The signals, by their actors.
    pub(super) signals: BTreeMap<Actor, OnTheWay>,
}

/// The steps with an access to the whole of an object, and those with an access to a part; parts do not conflict with
/// each other.
#[derive(Debug, Default)]
struct Touched {
    whole: Vec<usize>,
    parts: Vec<usize>,
}

/// An implication about the order of arrival: the first step (of sending) came before the second, as the receive at
/// step `by` implies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Come {
    pub(super) first: usize,
    pub(super) second: usize,
    by: usize,
}

impl Trace {
    pub(super) fn new(delivery: Delivery) -> Trace {
        Trace { delivery, ..Trace::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// Drops all but the first `n` steps.
    pub(super) fn truncate(&mut self, n: usize) {
        let is_kept = |it: &usize| *it < n;
        self.truncate_signals(n);
        for received in &mut self.received {
            let sent_at = &self.sent_at;
            let is_known = |id: &MessageId| sent_at.get(id).is_some_and(is_kept);
            received.wanted.retain(is_known);
            received.unwanted.retain(|it| is_known(&it.0));
        }
        self.received.retain(|it| it.at < n);
        self.races.retain(|it| it.second < n);
        self.cuts.retain(|it| it.at < n);
        self.globals.retain(is_kept);
        // An implication is known when its receive has ended and both messages were sent.
        self.comes.retain(|it| it.by.max(it.second) < n);
        while self.events.len() > n
            && let Some(event) = self.events.pop()
        {
            let Step { sent, spawned, killed, .. } = &event.step;
            if let Some(last) = self.last.get_mut(event.actor) {
                *last = event.before;
            }
            for access in &event.doing.accesses {
                if let Some(touched) = self.touched.get_mut(&access.object) {
                    touched.whole.retain(is_kept);
                    touched.parts.retain(is_kept);
                }
            }
            for it in sent {
                self.sent_at.remove(&it.message);
                self.sent_to.remove(&it.message);
            }
            let at = self.events.len();
            for (actors, of) in [(spawned, &mut self.spawned_at), (killed, &mut self.killed_at)] {
                for it in actors {
                    if of.get(it) == Some(&at) {
                        of.remove(it);
                    }
                }
            }
        }
    }

    /// Returns a sort key by age: the step that started the actor, and its index among those started there. `None` for
    /// the first actor.
    pub(super) fn age(&self, actor: Actor) -> Option<(usize, usize)> {
        let at = *self.spawned_at.get(&actor)?;
        let spawned = self.events.get(at).map(|it| &it.step.spawned);
        let place = spawned.and_then(|it| it.iter().position(|it| *it == actor));
        Some((at, place.unwrap_or(0)))
    }

    /// Whether the second step of a race might do something else without the first step before it.
    pub(super) fn is_open(&self, race: &Race) -> bool {
        let (Some(first), Some(second)) =
            (self.events.get(race.first), self.events.get(race.second))
        else {
            return true;
        };
        let touches_part = |it: &Access| {
            let parts = second.doing.accesses.iter().filter(|it| !it.mode.is_whole());
            parts.into_iter().any(|of| of.object == it.object)
        };
        let may_destroy = |it: &Access| it.mode == Mode::Write && touches_part(it);
        // It is not known what a global step enabled; it may have resumed a suspended process, for example.
        first.step.is_global
            || second.step.might_differ
            || first.doing.accesses.iter().any(may_destroy)
    }

    /// Whether every step depends on this one, because what it did is not known in detail.
    pub(super) fn is_global(&self, event: usize) -> bool {
        self.events.get(event).is_some_and(|it| it.step.is_global)
    }

    /// Returns the step of the same actor `n` of its steps earlier, or its first one.
    pub(super) fn latest_before(&self, event: usize, n: usize) -> usize {
        let before = |it: &usize| self.events.get(*it).and_then(|it| it.before);
        std::iter::successors(Some(event), before).take(n + 1).last().unwrap_or(event)
    }

    /// Whether one of these steps, taken by other actors, changes something that is read.
    pub(super) fn changes(
        &self,
        reads: &[Access],
        reader: Actor,
        mut steps: impl Iterator<Item = usize>,
    ) -> bool {
        steps.any(|it| {
            let Some(event) = self.events.get(it) else { return false };
            let conflicts = |it: &Access| event.doing.accesses.iter().any(|of| it.conflicts(*of));
            event.step.label.actor != reader
                && (event.step.is_global || event.step.is_last || reads.iter().any(conflicts))
        })
    }

    /// Returns how many of the first `n` steps lost a message.
    pub(super) fn n_lost(&self, n: usize) -> usize {
        self.events.iter().take(n).filter(|it| it.step.label.take == Take::Lost).count()
    }

    pub(super) fn doing(&self, event: usize) -> Option<&Arc<Doing>> {
        self.events.get(event).map(|it| &it.doing)
    }

    /// Returns the latest step of an actor.
    pub(super) fn last_step(&self, actor: Actor) -> Option<usize> {
        self.actors.get(&actor).and_then(|it| self.last.get(*it)).copied().flatten()
    }

    /// Returns how many steps an actor has taken.
    pub(super) fn n_steps(&self, actor: Actor) -> u32 {
        self.last_step(actor).and_then(|it| self.events.get(it)).map_or(0, |it| it.nth + 1)
    }

    pub(super) fn event_at(&self, place: Place) -> Option<usize> {
        let actor = *self.actors.get(&place.actor)?;
        self.events.iter().position(|it| it.actor == actor && it.nth == place.nth)
    }

    pub(super) fn place_of(&self, event: usize) -> Option<Place> {
        let event = self.events.get(event)?;
        Some(Place { actor: event.step.label.actor, nth: event.nth })
    }

    fn actor(&mut self, actor: Actor) -> usize {
        let next = self.actors.len();
        let found = *self.actors.entry(actor).or_insert(next);
        if found == next {
            self.last.push(None);
        }
        found
    }

    /// Adds a step that was taken when these were the offers. Returns the messages it sent, each with a receive (by
    /// index) that the caller must match it against; see [`Trace::answer`].
    pub(super) fn add(
        &mut self,
        mut step: Step,
        offers: &[Offer],
        is_guided: bool,
    ) -> Vec<(usize, MessageId)> {
        let at = self.events.len();
        let actor = self.actor(step.label.actor);
        let before = self.last.get(actor).copied().flatten();
        let nth = before.and_then(|it| self.events.get(it)).map_or(0, |it| it.nth + 1);
        let mut clock = before.map(|it| self.clock(it).to_vec()).unwrap_or_default();
        let mut causes: Vec<usize> = Vec::new();
        causes.extend(self.spawned_at.get(&step.label.actor));
        causes.extend(self.killed_at.get(&step.label.actor));
        if let Take::Message(id) = step.label.take {
            causes.extend(self.sent_at.get(&id));
        }
        causes.extend(self.arrivals_before(step.label).into_iter().flatten());
        if step.is_last {
            causes.extend(self.last.iter().flatten());
        }
        let place = Place { actor: step.label.actor, nth };
        causes.extend(self.cell.waits(place).filter_map(|it| self.event_at(it)));
        causes.iter().for_each(|it| self.join(&mut clock, *it));
        self.find_races(&step, at, actor, &mut clock);
        set(&mut clock, actor, nth + 1);
        let assumed = self.assumed(&step, before, offers);
        self.note_receive(&step, at, actor, before, offers);
        self.note_cuts(&step, at, offers);
        self.note_signals(&step, at);
        for it in &step.spawned {
            self.spawned_at.entry(*it).or_insert(at);
        }
        for it in &step.killed {
            self.killed_at.entry(*it).or_insert(at);
        }
        let doing = Doing::of_step(&mut step, self.cell.gates(place));
        for access in &doing.accesses {
            let touched = self.touched.entry(access.object).or_default();
            let steps = match access.mode.is_whole() {
                true => &mut touched.whole,
                false => &mut touched.parts,
            };
            if steps.last() != Some(&at) {
                steps.push(at);
            }
        }
        if step.is_global {
            self.globals.push(at);
        }
        if let Some(last) = self.last.get_mut(actor) {
            *last = Some(at);
        }
        let of = |it: &&Offer| it.actor == step.label.actor && step.label.take == Take::Next;
        let kind = offers.iter().find(of).map(|it| &*it.kind);
        let may_lose = matches!(kind, Some(OfferKind::Next { may_lose: true, .. }));
        self.events.push(Event {
            doing,
            step,
            actor,
            nth,
            before,
            clock,
            may_lose,
            is_guided,
            assumed,
        });
        self.note_sent(at)
    }

    /// Returns the earlier steps that a step cannot exist without.
    pub(super) fn needs(&self, event: usize) -> impl Iterator<Item = usize> {
        let it = self.events.get(event);
        let sender = it.and_then(|it| match it.step.label.take {
            Take::Message(id) => self.sender(id),
            Take::Next | Take::Timeout | Take::Lost => None,
        });
        let of = |them: &FxHashMap<Actor, usize>| them.get(&it?.step.label.actor).copied();
        let all = [it.and_then(|it| it.before), sender, of(&self.spawned_at), of(&self.killed_at)];
        all.into_iter().flatten().filter(move |it| *it < event)
    }

    fn clock(&self, event: usize) -> &[u32] {
        self.events.get(event).map_or(&[], |it| &it.clock)
    }

    fn join(&self, clock: &mut Vec<u32>, event: usize) {
        for (actor, n) in self.clock(event).iter().enumerate() {
            if clock.get(actor).copied().unwrap_or(0) < *n {
                set(clock, actor, *n);
            }
        }
    }

    fn is_in(&self, event: usize, clock: &[u32]) -> bool {
        let Some(it) = self.events.get(event) else { return false };
        clock.get(it.actor).copied().unwrap_or(0) > it.nth
    }

    /// Whether the first step happened before the second, or is the same step.
    pub(super) fn is_before(&self, first: usize, second: usize) -> bool {
        self.is_in(first, self.clock(second))
    }

    /// Joins the clocks of the steps that the new step depends on, the latest first. A step that is not in the clock by
    /// then is in a race with the new step.
    fn find_races(&mut self, step: &Step, at: usize, actor: usize, clock: &mut Vec<u32>) {
        let mut rivals: Vec<usize> = Vec::new();
        if step.is_global {
            rivals.extend(0..at);
        } else {
            rivals.extend(&self.globals);
            for access in &step.accesses {
                let conflicts = |it: &&usize| {
                    let theirs = self.events.get(**it).map(|it| &it.doing.accesses);
                    theirs.is_some_and(|it| it.iter().any(|it| it.conflicts(*access)))
                };
                let Some(Touched { whole, parts }) = self.touched.get(&access.object) else {
                    continue;
                };
                rivals.extend(whole.iter().filter(conflicts));
                if access.mode.is_whole() {
                    rivals.extend(parts.iter().filter(conflicts));
                }
            }
        }
        for killed in &step.killed {
            let last = self.actors.get(killed).and_then(|it| self.last.get(*it)).copied();
            rivals.extend(last.flatten());
        }
        rivals.sort_unstable();
        rivals.dedup();
        for rival in rivals.into_iter().rev() {
            if self.is_in(rival, clock) {
                continue;
            }
            let is_own =
                self.events.get(rival).is_some_and(|it| it.actor == actor || it.step.is_last);
            if !is_own && !step.is_last {
                self.races.push(Race { first: rival, second: at });
            }
            self.join(clock, rival);
        }
    }

    fn note_receive(
        &mut self,
        step: &Step,
        at: usize,
        actor: usize,
        before: Option<usize>,
        offers: &[Offer],
    ) {
        let Some(receive) = step.receive else { return };
        let waiting = waiting_of(step.label.actor, offers);
        let offer = offers.iter().find(|it| it.actor == step.label.actor);
        let offered = offer.map(|it| Arc::clone(&it.kind));
        let wanted = waiting.map(|it| it.matching.clone()).unwrap_or_default();
        let patience = waiting.map_or(Patience::Never, |it| it.patience);
        let patience = if step.is_last { Patience::Never } else { patience };
        for id in &wanted {
            let (Some(sent), false) =
                (self.sent_at.get(id).copied(), step.label.take == Take::Message(*id))
            else {
                continue;
            };
            let first = match step.label.take {
                Take::Message(taken) => self.sent_at.get(&taken).copied(),
                Take::Timeout | Take::Next | Take::Lost => Some(at),
            };
            let first = first.filter(|it| *it != sent);
            self.comes.extend(first.map(|first| Come { first, second: sent, by: at }));
        }
        let take = Some(step.label.take);
        let unwanted = waiting.map(unwanted).unwrap_or_default();
        let who = step.label.actor;
        self.received.push(Received {
            at,
            receive,
            who,
            actor,
            offered,
            take,
            patience,
            wanted,
            unwanted,
            before,
        });
    }

    fn note_cuts(&mut self, step: &Step, at: usize, offers: &[Offer]) {
        for killed in &step.killed {
            let Some(offer) = offers.iter().find(|it| it.actor == *killed) else { continue };
            let actor = self.actor(*killed);
            if let OfferKind::Receive(waiting) = &*offer.kind {
                let before = self.last.get(actor).copied().flatten();
                self.received.push(Received {
                    at,
                    receive: waiting.receive,
                    who: *killed,
                    actor,
                    offered: Some(Arc::clone(&offer.kind)),
                    take: None,
                    patience: waiting.patience,
                    wanted: waiting.matching.clone(),
                    unwanted: unwanted(waiting),
                    before,
                });
            } else {
                self.cuts.push(Cut { at, offer: offer.clone() });
            }
        }
    }

    /// Records the messages sent in a step; returns them with the receives that had ended before and did not cause
    /// them.
    fn note_sent(&mut self, at: usize) -> Vec<(usize, MessageId)> {
        let mut asks = Vec::new();
        let sent = self.events.get(at).map(|it| it.step.sent.clone()).unwrap_or_default();
        for it in sent {
            let to = self.actor(it.to);
            self.sent_at.insert(it.message, at);
            self.sent_to.insert(it.message, to);
            for (n, received) in self.received.iter().enumerate() {
                if received.actor == to && received.at != at && !self.is_before(received.at, at) {
                    asks.push((n, it.message));
                }
            }
        }
        asks
    }

    /// Records whether a receive that had ended would have taken a message that was sent later.
    pub(super) fn answer(&mut self, received: usize, message: MessageId, found: Match) {
        if found.holds {
            self.wants(received, message);
        } else if !found.choices.is_empty()
            && let Some(it) = self.received.get_mut(received)
        {
            it.unwanted.push((message, found));
        }
    }

    /// Returns the choices by which messages that came before the one taken did not match.
    fn assumed(&self, step: &Step, before: Option<usize>, offers: &[Offer]) -> Vec<Choice> {
        let Some(waiting) = waiting_of(step.label.actor, offers) else { return Vec::new() };
        let limit = match step.label.take {
            Take::Message(id) => self.sender(id),
            Take::Timeout | Take::Next | Take::Lost => before,
        };
        let is_passed = |it: &&(MessageId, Match)| {
            let sent = self.sender(it.0);
            !it.1.holds
                && matches!((sent, limit), (Some(sent), Some(limit)) if self.is_before(sent, limit))
        };
        let passed = waiting.symbolic.iter().filter(is_passed);
        passed.flat_map(|it| it.1.choices.iter().cloned()).collect()
    }

    fn wants(&mut self, received: usize, message: MessageId) {
        let Some(&sent) = self.sent_at.get(&message) else { return };
        let Some(it) = self.received.get_mut(received) else { return };
        it.wanted.push(message);
        let (at, take) = (it.at, it.take);
        let first = match take {
            Some(Take::Message(taken)) => self.sent_at.get(&taken).copied(),
            Some(Take::Timeout | Take::Next | Take::Lost) => Some(at),
            None => None,
        };
        let first = first.filter(|it| *it != sent);
        self.comes.extend(first.map(|first| Come { first, second: sent, by: at }));
    }

    /// Returns the step that sent a message.
    pub(super) fn sender(&self, message: MessageId) -> Option<usize> {
        self.sent_at.get(&message).copied()
    }

    /// Whether a receive that waits now can do `take`.
    pub(super) fn allows(&self, actor: Actor, waiting: &Waiting, take: Take) -> bool {
        if let Take::Message(id) = take
            && !self.has_arrived(actor, id, &|_| true)
        {
            return false;
        }
        let actor_id = self.actors.get(&actor).copied();
        let before = actor_id.and_then(|it| self.last.get(it)).copied().flatten();
        let started = self.spawned_at.get(&actor).copied();
        self.is_possible(
            &waiting.matching,
            take,
            before.or(started),
            &|_| true,
            usize::MAX,
            actor_id,
        )
    }

    /// Whether a receive that has ended could have done `take` instead, after only those steps that it did not cause.
    pub(super) fn allowed(&self, received: &Received, take: Take) -> bool {
        let is_there = |it: usize| !self.is_before(received.at, it);
        if let Take::Message(id) = take
            && !self.has_arrived(received.who, id, &is_there)
        {
            return false;
        }
        let wanted: Vec<MessageId> = received
            .wanted
            .iter()
            .copied()
            .filter(|it| self.sender(*it).is_some_and(is_there))
            .collect();
        let actor = Some(received.actor);
        self.is_possible(&wanted, take, received.before, &is_there, received.at, actor)
    }

    fn is_possible(
        &self,
        wanted: &[MessageId],
        take: Take,
        before: Option<usize>,
        is_there: &dyn Fn(usize) -> bool,
        except: usize,
        actor: Option<usize>,
    ) -> bool {
        let target = match take {
            Take::Message(id) => self.sender(id),
            Take::Timeout | Take::Next | Take::Lost => before,
        };
        let is_timeout = !matches!(take, Take::Message(_));
        // Every later step depends on a global step, timeouts included.
        let globals = self.globals.iter().copied().filter(|it| is_timeout && *it < except);
        let targets: Vec<usize> = target.into_iter().chain(globals).collect();
        let reaching: Vec<Vec<usize>> = match self.delivery {
            Delivery::Instant => {
                targets.iter().map(|it| self.reaching(*it, is_there, except)).collect()
            }
            Delivery::Causal | Delivery::Free => Vec::new(),
        };
        wanted.iter().filter(|it| take != Take::Message(**it)).all(|id| {
            let Some(sent) = self.sender(*id) else { return true };
            // Messages sent in one step arrive in the order of sending.
            if let (Take::Message(taken), true) = (take, Some(sent) == target) {
                return taken.n < id.n;
            }
            match self.delivery {
                Delivery::Instant => {
                    let is_after = |it: usize| !is_timeout && self.comes_after(sent, it);
                    let is_led = |it: &usize| self.is_before(sent, *it);
                    !targets.iter().any(|it| is_after(*it))
                        && !reaching.iter().flatten().any(is_led)
                }
                Delivery::Causal | Delivery::Free => target.is_none_or(|target| {
                    !self.must_come(*id, sent, target, is_timeout, is_there, except, actor)
                }),
            }
        })
    }

    /// Returns steps such that each step that precedes `step` by the clocks and by the order of messages precedes one
    /// of them by the clocks alone.
    fn reaching(&self, step: usize, is_there: &dyn Fn(usize) -> bool, except: usize) -> Vec<usize> {
        let is_in =
            |it: &&Come| it.by != except && [it.first, it.second, it.by].into_iter().all(is_there);
        let mut left: Vec<&Come> = self.comes.iter().filter(is_in).collect();
        let mut res = vec![step];
        let mut n_seen = 0;
        while let Some(it) = res.get(n_seen).copied() {
            n_seen += 1;
            left.retain(|come| {
                let leads = self.is_before(come.second, it);
                if leads && !res.contains(&come.first) {
                    res.push(come.first);
                }
                !leads
            });
        }
        res
    }

    /// Whether the first step precedes the second if only some rules of the cell make steps wait.
    pub(super) fn leads_by(&self, first: usize, second: usize, rules: Gates) -> bool {
        let mut open = vec![second];
        let mut is_met = vec![false; self.events.len()];
        while let Some(it) = open.pop() {
            if it == first {
                return true;
            }
            if is_met.get_mut(it).is_none_or(|it| std::mem::replace(it, true)) {
                continue;
            }
            open.extend(self.causes(it, rules));
            open.extend(self.comes.iter().filter(|come| come.second == it).map(|come| come.first));
        }
        false
    }

    /// Returns the earlier steps that a step depends on, directly or by these rules of the cell.
    fn causes(&self, event: usize, rules: Gates) -> impl Iterator<Item = usize> {
        let before = self.events.iter().take(event).enumerate();
        let of = move |it: &Event| {
            let doing = self.doing(event);
            doing.is_some_and(|doing| doing.depends_by(&it.doing, rules))
        };
        before.filter(move |it| of(it.1)).map(|it| it.0)
    }

    /// Whether a message must have arrived before the message taken, or before the timeout, where delivery takes time:
    /// only the implied order within one mailbox counts.
    #[expect(clippy::too_many_arguments, reason = "the arguments of one question")]
    fn must_come(
        &self,
        message: MessageId,
        sent: usize,
        target: usize,
        is_timeout: bool,
        is_there: &dyn Fn(usize) -> bool,
        except: usize,
        actor: Option<usize>,
    ) -> bool {
        let step = self.events.get(sent).map(|it| &it.step);
        let is_message = |it: &&Sent| it.message == message;
        let is_signal = self.sent_as_signal(sent).is_some();
        if step.and_then(|it| it.sent.iter().find(is_message)).is_some_and(|it| it.is_prompt) {
            // A message that a process sends to itself is there at once; a message that a signal leaves is there when
            // the signal arrives.
            let is_here = if is_signal { self.is_before(sent, target) } else { is_timeout };
            if is_here || !is_signal {
                return is_here || self.is_before(sent, target);
            }
        }
        let sent_before = |first: usize, second: usize| match self.delivery {
            Delivery::Causal => self.is_before(first, second),
            Delivery::Instant | Delivery::Free => {
                let from = |it: usize| self.events.get(it).map(|it| it.step.label.actor);
                first == second || (from(first) == from(second) && first < second)
            }
        };
        // Whether one step precedes another, as the arrival of a message in this mailbox or as its receipt.
        let precedes = |first: usize, second: usize| {
            let arrives = self.sent_as_signal(first).is_some() && self.is_before(first, second);
            let origin = |it: usize| self.sent_as_signal(it).unwrap_or(it);
            arrives || sent_before(origin(first), origin(second))
        };
        // Returns the steps that sent the messages which this actor had taken by then.
        let taken = |is_by_then: &dyn Fn(usize) -> bool| -> Vec<usize> {
            let of_actor = self.received.iter().filter(|it| Some(it.actor) == actor);
            let there = of_actor.filter(|it| it.at != except && is_there(it.at));
            let sender = |it: &Received| match it.take {
                Some(Take::Message(id)) => self.sender(id),
                Some(Take::Timeout | Take::Next | Take::Lost) | None => None,
            };
            there.filter(|it| is_by_then(it.at)).filter_map(sender).collect()
        };
        // Messages taken before are known to have arrived; messages sent before these may have, too.
        let mut open = if is_timeout { taken(&|it| it <= target) } else { vec![target] };
        let mut closed: Vec<usize> = Vec::new();
        let mut used = vec![false; self.comes.len()];
        while let Some(it) = open.pop() {
            if precedes(sent, it) {
                return true;
            }
            // Messages taken before this one was sent arrived before it, too.
            if self.delivery == Delivery::Free && !closed.contains(&it) {
                closed.push(it);
                open.extend(taken(&|received| self.is_before(received, it)));
            }
            for (come, used) in self.comes.iter().zip(&mut used) {
                let is_in = [come.first, come.second, come.by].into_iter().all(is_there);
                let is_here =
                    self.received.iter().any(|it| it.at == come.by && Some(it.actor) == actor);
                if !*used && is_here && come.by != except && is_in && precedes(come.second, it) {
                    *used = true;
                    open.push(come.first);
                }
            }
        }
        debug_assert!(self.sent_to.contains_key(&message), "a message that was sent");
        false
    }
}

pub(super) fn set(clock: &mut Vec<u32>, actor: usize, n: u32) {
    if clock.len() <= actor {
        clock.resize(actor + 1, 0);
    }
    if let Some(slot) = clock.get_mut(actor) {
        *slot = n;
    }
}

fn waiting_of(actor: Actor, offers: &[Offer]) -> Option<&Waiting> {
    let offer = offers.iter().find(|it| it.actor == actor)?;
    match &*offer.kind {
        OfferKind::Receive(waiting) => Some(waiting),
        OfferKind::Next { .. } => None,
    }
}

fn unwanted(waiting: &Waiting) -> Vec<(MessageId, Match)> {
    waiting.symbolic.iter().filter(|it| !it.1.holds).cloned().collect()
}
