//! Parts of all runs that have none in common, so that who explores one need not know of the others.
//!
//! A cell is what is left of a program when some questions are answered beforehand: which of two steps comes
//! first, which message a receive takes. Who would answer otherwise can't go on in it, and a step that comes
//! second waits for the first. A search does in a cell what it does elsewhere. Runs that only the cell keeps
//! from going on count for nothing; what they give reason to is tried as always.
//!
//! Every run belongs to one cell, whatever equivalent order of its steps is taken: where the order of
//! two steps makes no difference, it belongs to the cell that `has_rest`. That such a cell has a run for all
//! of them is not a matter of course, as orders that are free one by one may contradict each other. If
//! the steps that are first in the cell with the rest are all of one actor, they do not. Rules with another
//! actor come after these and divide what they have left: there the earlier ones are part of the program.

use crate::schedules::order::Trace;
use trace::{Actor, Label, MessageId, Take};

/// The n-th step of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub(super) actor: Actor,
    pub(super) nth: u32,
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// One step comes after another. The rest are runs where their order makes no difference, and those
    /// that have neither.
    Order { first: Place, second: Place, has_rest: bool },
    /// A receive takes this message.
    Takes { at: Place, message: MessageId },
    /// A receive takes none of these, or there is no receive.
    TakesOther { at: Place, than: Vec<MessageId> },
}

/// All runs that keep to some rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) rules: Vec<Rule>,
}

/// Which rules a step fulfils, and which it has waited for: the n-th bit is the n-th rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Gates {
    opened: u32,
    passed: u32,
}

impl Gates {
    pub(super) const ALL: Gates = Gates { opened: u32::MAX, passed: u32::MAX };

    /// Whether one of the two has waited for the other.
    pub(super) fn meet(self, other: Gates) -> bool {
        self.opened & other.passed | self.passed & other.opened != 0
    }

    /// As far as these rules go.
    pub(super) fn among(self, rules: Gates) -> Gates {
        Gates { opened: self.opened & rules.opened, passed: self.passed & rules.passed }
    }
}

impl Rule {
    /// Who is first where it has the rest.
    fn pivot(&self) -> Option<Actor> {
        match self {
            Rule::Order { first, has_rest: true, .. } => Some(first.actor),
            Rule::Order { second, has_rest: false, .. } => Some(second.actor),
            Rule::Takes { .. } | Rule::TakesOther { .. } => None,
        }
    }
}

impl Cell {
    pub(super) fn is_everything(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether a step can be the next one of a run.
    pub(super) fn permits(&self, trace: &Trace, label: Label) -> bool {
        if self.is_everything() {
            return true;
        }
        let place = Place { actor: label.actor, nth: trace.n_steps(label.actor) };
        self.permits_at(place, label.take, &|it| it.nth < trace.n_steps(it.actor))
    }

    /// Whether an actor can do this at a place, if these were before it.
    pub(super) fn permits_at(
        &self,
        place: Place,
        take: Take,
        is_done: &dyn Fn(Place) -> bool,
    ) -> bool {
        self.rules.iter().all(|it| match it {
            Rule::Order { first, second, .. } => *second != place || is_done(*first),
            Rule::Takes { at, message } => *at != place || take == Take::Message(*message),
            Rule::TakesOther { at, than } => {
                *at != place || !matches!(take, Take::Message(id) if than.contains(&id))
            }
        })
    }

    pub(super) fn gates(&self, place: Place) -> Gates {
        let mut res = Gates::default();
        for (n, rule) in self.rules.iter().enumerate() {
            if let Rule::Order { first, second, .. } = rule {
                res.opened |= u32::from(*first == place) << n;
                res.passed |= u32::from(*second == place) << n;
            }
        }
        res
    }

    /// What a step at this place waits for.
    pub(super) fn waits(&self, place: Place) -> impl Iterator<Item = Place> {
        self.rules.iter().filter_map(move |it| match it {
            Rule::Order { first, second, .. } => (*second == place).then_some(*first),
            Rule::Takes { .. } | Rule::TakesOther { .. } => None,
        })
    }

    /// Whether a run that has come to its end belongs here, and not to another cell too.
    pub(super) fn counts(&self, trace: &Trace) -> bool {
        self.rules.iter().all(|rule| match rule {
            Rule::Order { has_rest: true, .. } | Rule::TakesOther { .. } => true,
            Rule::Order { first, second, has_rest: false } => {
                let Some(first) = trace.event_at(*first) else { return false };
                let gates = self.gates_before(rule);
                trace.event_at(*second).is_none_or(|it| trace.leads_by(first, it, gates))
            }
            Rule::Takes { at, .. } => trace.event_at(*at).is_some(),
        })
    }

    /// The rules that come before all with the same pivot as this one.
    fn gates_before(&self, rule: &Rule) -> Gates {
        let n = self.rules.iter().position(|it| it.pivot() == rule.pivot()).unwrap_or(0);
        let bits = (1_u32 << n) - 1;
        Gates { opened: bits, passed: bits }
    }
}
