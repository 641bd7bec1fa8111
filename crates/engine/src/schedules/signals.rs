//! Signals that take time to arrive, such as exit signals: when one may arrive, and what must come after it.
//!
//! Signals and messages from one process to another arrive in the order of sending. So a message cannot be taken before
//! the signals have arrived that its sender sent to the same process before, and these arrive in order. With causal
//! delivery, the same holds for what other processes sent earlier in happens-before.

use crate::schedules::order::{Delivery, Trace};
use trace::{Actor, Label, MessageId, Signal, Step, Take};

/// A signal that was sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnTheWay {
    sent_at: usize,
    to: Actor,
    arrived_at: Option<usize>,
}

impl Trace {
    /// Records the signals that a step sent, and the one whose arrival it is.
    pub(super) fn note_signals(&mut self, step: &Step, at: usize) {
        if let Some(it) = self.signals.get_mut(&step.label.actor) {
            it.arrived_at = Some(at);
        }
        for Signal { actor, to } in step.signals.iter().copied() {
            let it = OnTheWay { sent_at: at, to, arrived_at: None };
            self.signals.insert(actor, it);
        }
    }

    /// Drops what came after the first `n` steps.
    pub(super) fn truncate_signals(&mut self, n: usize) {
        self.signals.retain(|_, it| it.sent_at < n);
        for it in self.signals.values_mut() {
            it.arrived_at = it.arrived_at.filter(|it| *it < n);
        }
    }

    /// Returns the step that sent the signal which arrives at `event`; `None` if the step is no arrival.
    pub(super) fn sent_as_signal(&self, event: usize) -> Option<usize> {
        let actor = self.events.get(event)?.step.label.actor;
        self.signals.get(&actor).map(|it| it.sent_at)
    }

    /// Whether what the second step sends to a process arrives after what the first one sends to it.
    fn is_sent_in_order(&self, first: usize, second: usize) -> bool {
        let from = |it: usize| self.events.get(it).map(|it| it.step.label.actor);
        match self.delivery {
            Delivery::Instant | Delivery::Causal => {
                first != second && self.is_before(first, second)
            }
            Delivery::Free => first < second && from(first) == from(second),
        }
    }

    /// Whether a message sent in step `sent` can arrive only after the signal that arrives in step `arrival`.
    pub(super) fn comes_after(&self, arrival: usize, sent: usize) -> bool {
        let signal = self.sent_as_signal(arrival);
        let sent = self.sent_as_signal(sent).unwrap_or(sent);
        signal.is_some_and(|it| self.is_sent_in_order(it, sent))
    }

    /// Returns the signals that arrive before anything sent to `to` in step `sent`.
    fn earlier_signals(&self, to: Actor, sent: usize) -> impl Iterator<Item = &OnTheWay> {
        let sent = self.sent_as_signal(sent).unwrap_or(sent);
        let is_earlier =
            move |it: &&OnTheWay| it.to == to && self.is_sent_in_order(it.sent_at, sent);
        self.signals.values().filter(is_earlier)
    }

    /// Returns the steps in which those signals arrived that must arrive before the step `label`; `None` if one of them
    /// has not arrived.
    pub(super) fn arrivals_before(&self, label: Label) -> Option<Vec<usize>> {
        if self.signals.is_empty() {
            return Some(Vec::new());
        }
        let (to, sent) = match (self.signals.get(&label.actor), label.take) {
            (Some(it), _) => (it.to, it.sent_at),
            (None, Take::Message(id)) => match self.sender(id) {
                Some(sent) => (label.actor, sent),
                None => return Some(Vec::new()),
            },
            (None, Take::Next | Take::Timeout | Take::Lost) => return Some(Vec::new()),
        };
        self.earlier_signals(to, sent).map(|it| it.arrived_at).collect()
    }

    /// Whether all signals that must arrive before a message have arrived in steps that satisfy `is_there`.
    pub(super) fn has_arrived(
        &self,
        who: Actor,
        message: MessageId,
        is_there: &dyn Fn(usize) -> bool,
    ) -> bool {
        let label = Label { actor: who, take: Take::Message(message) };
        self.arrivals_before(label).is_some_and(|it| it.into_iter().all(is_there))
    }
}
