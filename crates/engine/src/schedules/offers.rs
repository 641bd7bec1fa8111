//! The steps that actors can take now, as labels.

use crate::schedules::order::Trace;
use crate::schedules::settings::ScheduleSettings;
use trace::{Actor, Choice, Label, Offer, OfferKind, Patience, Take};

/// Returns all steps that an actor can take, in the order of the mailbox.
pub(super) fn labels(offer: &Offer) -> Vec<Label> {
    let of = |take| Label { actor: offer.actor, take };
    match &*offer.kind {
        OfferKind::Next { is_idle: true, .. } => Vec::new(),
        OfferKind::Next { is_idle: false, .. } => vec![of(Take::Next)],
        OfferKind::Receive(waiting) => {
            let mut res: Vec<Label> =
                waiting.matching.iter().map(|it| of(Take::Message(*it))).collect();
            if waiting.patience == Patience::Soon {
                res.push(of(Take::Timeout));
            }
            res
        }
    }
}

/// Returns the step in which the message that an actor is about to send is lost. It is taken only when planned.
pub(super) fn loss(offer: &Offer) -> Option<Label> {
    let may_lose = matches!(*offer.kind, OfferKind::Next { may_lose: true, is_idle: false, .. });
    may_lose.then_some(Label { actor: offer.actor, take: Take::Lost })
}

pub(super) fn fits(offer: &Offer, label: Label) -> bool {
    offer.actor == label.actor
        && match (&*offer.kind, label.take) {
            (OfferKind::Next { is_idle: true, .. }, _) => false,
            (OfferKind::Next { may_lose, is_idle: false, .. }, take) => {
                take == Take::Next || *may_lose && take == Take::Lost
            }
            (OfferKind::Receive(_), Take::Next | Take::Lost) => false,
            (OfferKind::Receive(it), Take::Message(id)) => it.matching.contains(&id),
            (OfferKind::Receive(it), Take::Timeout) => it.patience == Patience::Soon,
        }
}

pub(super) fn is_open(offer: &Offer) -> bool {
    match &*offer.kind {
        OfferKind::Next { is_idle, .. } => !is_idle,
        OfferKind::Receive(it) => !it.matching.is_empty() || it.patience == Patience::Soon,
    }
}

/// Returns a default step: the actor's next operation, the first matching message, or the timeout. The actor `last` is
/// preferred.
pub(super) fn natural(offers: &[Offer], last: Option<Actor>) -> Option<Label> {
    let of = |offer: &Offer| labels(offer).first().copied();
    let again = offers.iter().find(|it| Some(it.actor) == last).and_then(of);
    again.or_else(|| offers.iter().find_map(of))
}

/// Returns the steps of receives that would match a message with other inputs.
pub(super) fn waiting(offers: &[Offer]) -> Vec<(Label, Vec<Choice>)> {
    let of = |offer: &Offer| -> Vec<(Label, Vec<Choice>)> {
        let OfferKind::Receive(waiting) = &*offer.kind else { return Vec::new() };
        let label = |id| Label { actor: offer.actor, take: Take::Message(id) };
        waiting.symbolic.iter().map(|it| (label(it.0), it.1.choices.clone())).collect()
    };
    offers.iter().flat_map(of).collect()
}

impl ScheduleSettings {
    /// Whether the step is offered and enabled.
    pub(super) fn can(&self, offers: &[Offer], trace: &Trace, label: Label) -> bool {
        let offer = offers.iter().find(|it| fits(it, label));
        offer.is_some_and(|it| match &*it.kind {
            OfferKind::Next { is_idle, .. } => !is_idle && trace.arrivals_before(label).is_some(),
            OfferKind::Receive(waiting) => {
                let is_there = trace.arrivals_before(label).is_some();
                is_there && (self.takes_first() || trace.allows(label.actor, waiting, label.take))
            }
        })
    }
}
