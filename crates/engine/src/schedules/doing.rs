//! What a step does, as far as its order with other steps can matter.

use crate::schedules::cells::Gates;
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;
use trace::{Access, Actor, Label, MessageId, Mode, OfferKind, Step, Take};

/// No actor has it.
pub(super) const NOTHING: Label = Label { actor: Actor(u32::MAX), take: Take::Next };

/// Shared by the trace, the sleeping steps and the plans, of several searches if there are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Doing {
    pub(super) label: Label,
    pub(super) accesses: Vec<Access>,
    pub(super) is_global: bool,
    pub(super) sent: Vec<MessageId>,
    pub(super) spawned: Vec<Actor>,
    pub(super) killed: Vec<Actor>,
    pub(super) gates: Gates,
}

impl Doing {
    /// Takes what it needs alone out of the step.
    pub(super) fn of_step(step: &mut Step, gates: Gates) -> Arc<Doing> {
        Arc::new(Doing {
            label: step.label,
            accesses: std::mem::take(&mut step.accesses),
            is_global: step.is_global || step.is_last,
            sent: step.sent.iter().map(|it| it.message).collect(),
            spawned: step.spawned.clone(),
            killed: step.killed.clone(),
            gates,
        })
    }

    /// What is known of a step that was offered and not taken.
    pub(super) fn of_offer(label: Label, kind: Option<&OfferKind>) -> Arc<Doing> {
        let (accesses, is_global, killed) = match kind {
            Some(OfferKind::Next { accesses, is_global, kills, mail, .. }) => {
                let mail = mail.filter(|_| label.take != Take::Lost);
                let accesses = accesses.iter().copied().chain(mail).collect();
                (accesses, *is_global, kills.clone())
            }
            Some(OfferKind::Receive(waiting)) => {
                (waiting.touched(label.take).to_vec(), false, Vec::new())
            }
            None => (Vec::new(), false, Vec::new()),
        };
        let (sent, spawned, gates) = (Vec::new(), Vec::new(), Gates::default());
        Arc::new(Doing { label, accesses, is_global, sent, spawned, killed, gates })
    }

    /// The step of a run that ends, which comes before or after nothing else.
    pub(super) fn nothing() -> Arc<Doing> {
        let (accesses, kills) = (Vec::new(), Vec::new());
        let (mail, may_lose, is_idle) = (None, false, false);
        let kind = OfferKind::Next { accesses, is_global: true, kills, mail, may_lose, is_idle };
        Doing::of_offer(NOTHING, Some(&kind))
    }

    /// Whether the order of two steps that follow each other can matter. Two messages to one
    /// mailbox do not depend on each other: which of them is taken is decided where it is taken.
    pub(super) fn depends_on(&self, other: &Doing) -> bool {
        self.depends_by(other, Gates::ALL)
    }

    /// The same if steps wait only because of some rules.
    pub(super) fn depends_by(&self, other: &Doing, rules: Gates) -> bool {
        let (a, b) = (self.label.actor, other.label.actor);
        a == b
            || self.gates.among(rules).meet(other.gates.among(rules))
            || self.is_global
            || other.is_global
            || self.touches(b)
            || other.touches(a)
            || self.sends(other.label.take)
            || other.sends(self.label.take)
            || self.accesses.iter().any(|it| other.accesses.iter().any(|of| it.conflicts(*of)))
    }

    /// Whether both touch and cause the same, whoever waits for them.
    pub(super) fn does_the_same(&self, other: &Doing) -> bool {
        let of = |it: &Doing| Doing { gates: Gates::default(), ..it.clone() };
        of(self) == of(other)
    }

    /// The same if messages to one mailbox do not depend on each other.
    pub(super) fn without_mail_order(&self) -> Cow<'_, Doing> {
        if self.accesses.iter().all(|it| it.mode != Mode::Mail) {
            return Cow::Borrowed(self);
        }
        let mut res = self.clone();
        for access in res.accesses.iter_mut().filter(|it| it.mode == Mode::Mail) {
            access.mode = Mode::WritePart;
        }
        Cow::Owned(res)
    }

    fn touches(&self, actor: Actor) -> bool {
        self.killed.contains(&actor) || self.spawned.contains(&actor)
    }

    fn sends(&self, take: Take) -> bool {
        matches!(take, Take::Message(id) if self.sent.contains(&id))
    }
}

/// Where a step could be the first of a sequence: its place in it, if nothing before depends on it.
pub(super) fn initial<D: Deref<Target = Doing>>(label: Label, of: &[D]) -> Option<usize> {
    let place = of.iter().position(|it| it.label == label)?;
    let (before, it) = (of.get(..place)?, of.get(place)?);
    before.iter().all(|other| !other.depends_on(it)).then_some(place)
}

fn is_independent<D: Deref<Target = Doing>>(doing: &Doing, of: &[D]) -> bool {
    of.iter().all(|it| !it.depends_on(doing))
}

/// Whether the sequence, or one that it begins, can begin with this step.
pub(super) fn is_weak_initial<D: Deref<Target = Doing>>(doing: &Doing, of: &[D]) -> bool {
    initial(doing.label, of).is_some() || will_come(doing, of)
}

/// Whether the step comes after the sequence if it does not come before. A message need not be lost.
pub(super) fn will_come<D: Deref<Target = Doing>>(doing: &Doing, of: &[D]) -> bool {
    doing.label.take != Take::Lost && is_independent(doing, of)
}
