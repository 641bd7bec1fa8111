//! Cells: disjoint parts of all executions, which can be explored independently of each other.
//!
//! A cell fixes the answers to some questions: which of two steps comes first, or which message a receive takes. Within
//! the cell, an actor whose step would contradict an answer is blocked, and a step that comes second waits for the
//! first. A search explores a cell like any other program. Runs that are blocked only by the cell do not count, but
//! their races are reversed as usual.
//!
//! Every execution belongs to exactly one cell, whichever equivalent order of its steps is executed. An execution in
//! which the order of the two steps makes no difference belongs to the cell that `has_rest`. Such a cell has a run for
//! every such execution only if the free orders do not contradict each other. They do not if the first steps of all its
//! rules with the rest belong to one actor: in a cycle of such orders, the second step that leads to the earliest of
//! these first steps would also precede its own first step, which is later, so its order was not free. Rules with
//! another actor come after these and divide what they leave: there, the earlier rules are part of the program.

use crate::schedules::order::Trace;
use trace::{Actor, Label, MessageId, Take};

/// The n-th step of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub(super) actor: Actor,
    pub(super) nth: u32,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// One step comes after another. The cell with the rest also has the executions in which their order makes no
    /// difference, and those that have neither step.
    Order { first: Place, second: Place, has_rest: bool },
    /// A receive takes this message.
    Takes { at: Place, message: MessageId },
    /// A receive takes none of these messages, or is not reached.
    TakesOther { at: Place, than: Vec<MessageId> },
}

/// All executions that obey some rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) rules: Vec<Rule>,
}

/// The rules of order in which a step takes part, as bit sets: bit n of `opened` if it is the first step of rule n, bit
/// n of `passed` if it is the second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Gates {
    opened: u32,
    passed: u32,
}

impl Gates {
    pub(super) const ALL: Gates = Gates { opened: u32::MAX, passed: u32::MAX };

    /// Whether one of the two steps has waited for the other.
    pub(super) fn meet(self, other: Gates) -> bool {
        self.opened & other.passed | self.passed & other.opened != 0
    }

    /// Restricts the bit sets to some of the rules.
    pub(super) fn among(self, rules: Gates) -> Gates {
        Gates { opened: self.opened & rules.opened, passed: self.passed & rules.passed }
    }
}

impl Rule {
    /// Returns the actor whose step comes first in the alternative that has the rest.
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

    /// Whether a step can be the next one of a run in this cell.
    pub(super) fn permits(&self, trace: &Trace, label: Label) -> bool {
        if self.is_everything() {
            return true;
        }
        let place = Place { actor: label.actor, nth: trace.n_steps(label.actor) };
        self.permits_at(place, label.take, &|it| it.nth < trace.n_steps(it.actor))
    }

    /// Whether an actor can take a step at a place, given which places are done.
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

    /// Returns the places that a step at this place waits for.
    pub(super) fn waits(&self, place: Place) -> impl Iterator<Item = Place> {
        self.rules.iter().filter_map(move |it| match it {
            Rule::Order { first, second, .. } => (*second == place).then_some(*first),
            Rule::Takes { .. } | Rule::TakesOther { .. } => None,
        })
    }

    /// Whether a run that has ended belongs to this cell and to no other.
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

    /// Returns the rules before the first one with the same pivot as this one.
    fn gates_before(&self, rule: &Rule) -> Gates {
        let n = self.rules.iter().position(|it| it.pivot() == rule.pivot()).unwrap_or(0);
        let bits = (1_u32 << n) - 1;
        Gates { opened: bits, passed: bits }
    }
}
