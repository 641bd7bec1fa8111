//! The dependence relation of steps: what each step does as far as its order with other steps can matter.

use crate::schedules::cells::Gates;
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;
use trace::{Access, Actor, Label, MessageId, Mode, OfferKind, Step, Take};

/// The label of a placeholder step; no actor has it.
pub(super) const NOTHING: Label = Label { actor: Actor(u32::MAX), take: Take::Next };

/// What a step does. It is shared by the trace, the sleep sets and the plans, of several searches if there are.
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
    /// Moves the accesses out of a step that was taken, and copies the rest.
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

    /// Returns what is known of a step that was offered and not taken.
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

    /// Returns a placeholder for the step of a run that ends; it depends on every step.
    pub(super) fn nothing() -> Arc<Doing> {
        let (accesses, kills) = (Vec::new(), Vec::new());
        let (mail, may_lose, is_idle) = (None, false, false);
        let kind = OfferKind::Next { accesses, is_global: true, kills, mail, may_lose, is_idle };
        Doing::of_offer(NOTHING, Some(&kind))
    }

    /// Whether two adjacent steps are dependent, so that their order can matter. Two messages to one mailbox are
    /// independent unless the stage orders mail: which of them comes first is decided where they are received.
    pub(super) fn depends_on(&self, other: &Doing) -> bool {
        self.depends_by(other, Gates::ALL)
    }

    /// Whether the steps are dependent if only some rules of the cell make steps wait.
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

    /// Whether both steps have the same accesses and effects, apart from the rules of the cell.
    pub(super) fn does_the_same(&self, other: &Doing) -> bool {
        let of = |it: &Doing| Doing { gates: Gates::default(), ..it.clone() };
        of(self) == of(other)
    }

    /// Returns the step as it is if messages to one mailbox are independent.
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

/// Returns the index of the step in a sequence if it is an initial: no step before it depends on it.
pub(super) fn initial<D: Deref<Target = Doing>>(label: Label, of: &[D]) -> Option<usize> {
    let place = of.iter().position(|it| it.label == label)?;
    let (before, it) = (of.get(..place)?, of.get(place)?);
    before.iter().all(|other| !other.depends_on(it)).then_some(place)
}

fn is_independent<D: Deref<Target = Doing>>(doing: &Doing, of: &[D]) -> bool {
    of.iter().all(|it| !it.depends_on(doing))
}

/// Whether the step is a weak initial of a sequence: the sequence, or an extension of it, is equivalent to one that
/// begins with the step.
pub(super) fn is_weak_initial<D: Deref<Target = Doing>>(doing: &Doing, of: &[D]) -> bool {
    initial(doing.label, of).is_some() || will_come(doing, of)
}

/// Whether the step is independent of the sequence, and so will be enabled after it. The loss of a message need not
/// happen later.
pub(super) fn will_come<D: Deref<Target = Doing>>(doing: &Doing, of: &[D]) -> bool {
    doing.label.take != Take::Lost && is_independent(doing, of)
}
