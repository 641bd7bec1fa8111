//! Executes a run as a normalised computation of [Vidal 2015]: each process runs as long as it can, then one message
//! is delivered, and so on.
//!
//! Records events; does not know their text.

use crate::erlang::rules::mail::{DeliverySettings, MessageInTransit, SystemMailbox};
use erlang::machine::{Staged, Told};
use std::collections::{BTreeMap, VecDeque};
use term::Term;
use trace::{
    Actor, ExecutorError, Input, Label, MessageId, Offer, OfferKind, Patience, Performed, Stage,
    Step, Take,
};

/// An event, in the order in which events are shown.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// A visible step of a process. The report of instrumented code about it follows, if there is one.
    Does(VisibleStep),
    Told(Told),
    /// A message arrives, or is lost.
    Arrives(MessageId),
    Lost(MessageId),
}

#[derive(Clone, Debug)]
pub(super) struct VisibleStep {
    pub(super) actor: Actor,
    pub(super) sent: Vec<SentMessage>,
    pub(super) spawned: Vec<Child>,
    pub(super) take: Take,
    /// A description of the step.
    pub(super) what: String,
}

#[derive(Clone, Debug)]
pub(super) struct SentMessage {
    pub(super) id: MessageId,
    pub(super) to: Actor,
    pub(super) message: Term,
}

#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) actor: Actor,
    pub(super) pid: Term,
}

pub(super) struct Played {
    pub(super) events: Vec<Event>,
    pub(super) performed: Performed,
    pub(super) unit: Child,
    /// Whether the run was cut off at the maximum number of steps.
    pub(super) is_cut: bool,
}

pub(super) fn play(
    stage: &mut Staged<'_>,
    input: &Input,
    post: DeliverySettings,
    max_steps: usize,
) -> Result<Played, ExecutorError> {
    // Timeouts elapse only when no process can do anything else.
    stage.long_timeout = 1;
    stage.is_narrated = true;
    stage.begin(input)?;
    let unit = stage.unit();
    let mut player = Player {
        mail: SystemMailbox::new(post),
        actors: vec![unit],
        queues: BTreeMap::new(),
        events: Vec::new(),
        current: unit,
    };
    player.queue_reports(stage);
    let unit = Child { actor: unit, pid: stage.pid(unit).unwrap_or(Term::Nil) };
    let mut is_cut = false;
    loop {
        if player.events.len() > max_steps {
            is_cut = true;
            break;
        }
        let offers = stage.offers()?;
        if let Some((actor, label)) = player.next(&offers) {
            player.current = actor;
            player.show_events(actor);
            if let Some(label) = label {
                player.step(stage, &offers, label)?;
            }
        } else if let Some((id, is_lost)) = player.mail.deliver() {
            if is_lost {
                stage.lose(id);
            }
            player.events.push(if is_lost { Event::Lost(id) } else { Event::Arrives(id) });
        } else if let Some(timer) = offers.iter().find(|it| !player.actors.contains(&it.actor)) {
            let actor = timer.actor;
            player.step(stage, &offers, Label { actor, take: Take::Next })?;
            player.show_events(actor);
        } else {
            break;
        }
    }
    let events = player.events;
    Ok(Played { events, performed: stage.end()?, unit, is_cut })
}

struct Player {
    mail: SystemMailbox,
    /// In the order of their start.
    actors: Vec<Actor>,
    /// Events of each actor that are not shown yet, because another actor is running.
    queues: BTreeMap<Actor, VecDeque<Event>>,
    events: Vec<Event>,
    current: Actor,
}

impl Player {
    /// The actor that runs next and its step; the current one if it can.
    fn next(&self, offers: &[Offer]) -> Option<(Actor, Option<Label>)> {
        let of = |actor: Actor| {
            let label = offers.iter().find(|it| it.actor == actor).and_then(|it| self.label(it));
            let is_heard = self.queues.get(&actor).is_some_and(|it| !it.is_empty());
            (label.is_some() || is_heard).then_some((actor, label))
        };
        of(self.current).or_else(|| self.actors.iter().find_map(|it| of(*it)))
    }

    /// The step that an actor can take with the messages that have arrived.
    fn label(&self, offer: &Offer) -> Option<Label> {
        let take = match &*offer.kind {
            OfferKind::Next { is_idle, .. } => (!is_idle).then_some(Take::Next),
            OfferKind::Receive(waiting) => {
                let come = self.mail.come(offer.actor).iter();
                let first = come.copied().find(|it| waiting.matching.contains(it));
                let gives_up = waiting.patience == Patience::Soon;
                first.map(Take::Message).or(gives_up.then_some(Take::Timeout))
            }
        };
        take.map(|take| Label { actor: offer.actor, take })
    }

    fn step(
        &mut self,
        stage: &mut Staged<'_>,
        offers: &[Offer],
        label: Label,
    ) -> Result<(), ExecutorError> {
        let loses = |it: &Offer| matches!(*it.kind, OfferKind::Next { may_lose: true, .. });
        let may_lose = offers.iter().any(|it| it.actor == label.actor && loses(it));
        let Step { sent, spawned, text, .. } = stage.step(label)?;
        if let Take::Message(id) = label.take {
            self.mail.take(label.actor, id);
        }
        let letter = |it: &trace::Sent| {
            let message = stage.message(it.message).unwrap_or(Term::Nil);
            SentMessage { id: it.message, to: it.to, message }
        };
        let sent: Vec<SentMessage> = sent.iter().map(letter).collect();
        let child = |it: Actor| Some(Child { actor: it, pid: stage.pid(it)? });
        // Timers are actors, but no processes.
        let is_process = |it: &Actor| !stage.is_timer(*it);
        let spawned: Vec<Child> =
            spawned.into_iter().filter(is_process).filter_map(child).collect();
        self.actors.extend(spawned.iter().map(|it| it.actor));
        spawned.iter().for_each(|it| self.mail.start(label.actor, it.actor));
        let mut arrivals = Vec::new();
        for it in &sent {
            let (from, to, id) = (label.actor, it.to, it.id);
            arrivals.extend(self.mail.send(MessageInTransit { id, from, to, may_lose }));
        }
        let deed = VisibleStep {
            actor: label.actor,
            sent,
            spawned,
            take: label.take,
            what: text.map(|it| it.what).unwrap_or_default(),
        };
        let queue = self.queues.entry(label.actor).or_default();
        queue.push_back(Event::Does(deed));
        self.queue_reports(stage);
        if !arrivals.is_empty() {
            // Messages that arrive at once do so before any other event.
            let queue = self.queues.entry(label.actor).or_default();
            let place = queue.len().min(2);
            for (n, id) in arrivals.into_iter().enumerate() {
                queue.insert(place + n, Event::Arrives(id));
            }
        }
        Ok(())
    }

    fn queue_reports(&mut self, stage: &mut Staged<'_>) {
        for told in stage.told() {
            self.queues.entry(told.actor).or_default().push_back(Event::Told(told));
        }
    }

    /// Shows the queued events of an actor.
    fn show_events(&mut self, actor: Actor) {
        self.events.extend(self.queues.get_mut(&actor).into_iter().flat_map(std::mem::take));
    }
}
