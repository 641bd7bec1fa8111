//! Wakeup trees: the sequences of steps that are yet to be explored from a node, with common prefixes stored once
//! [Abdulla et al. 2014, section 6 of the longer article].

use crate::schedules::doing::{Doing, initial, will_come};
use std::sync::Arc;
use term::{Constraint, Exprs, all_hold};
use trace::{Input, Label};

/// The constraints on the input under which something holds; `None`: for all inputs.
pub(super) type Condition = Option<Arc<[Constraint]>>;

/// A disjunction of conditions.
#[derive(Clone, Debug)]
pub(super) enum Conditions {
    Always,
    AnyOf(Vec<Arc<[Constraint]>>),
}

impl Conditions {
    pub(super) fn of(condition: &Condition) -> Conditions {
        match condition {
            Some(it) => Conditions::AnyOf(vec![Arc::clone(it)]),
            None => Conditions::Always,
        }
    }

    fn add(&mut self, condition: &Condition) {
        match (&mut *self, condition) {
            (Conditions::AnyOf(all), Some(it)) if !all.contains(it) => all.push(Arc::clone(it)),
            (Conditions::AnyOf(_), Some(_)) | (Conditions::Always, _) => (),
            (Conditions::AnyOf(_), None) => *self = Conditions::Always,
        }
    }

    pub(super) fn hold(&self, exprs: &Exprs, input: &Input) -> bool {
        match self {
            Conditions::Always => true,
            Conditions::AnyOf(all) => {
                let model = input.to_model();
                all.iter().any(|it| all_hold(exprs, it, &model))
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) doing: Arc<Doing>,
    pub(super) children: Vec<Branch>,
    pub(super) input: Arc<Input>,
    /// The choices of the steps that are guided below this branch; one condition for each sequence.
    pub(super) conditions: Conditions,
    /// How many choices of the match at the end the input fixes; see `data::inputs_for_match`.
    pub(super) n_fixed: usize,
}

/// A sequence of steps to explore, and the input to begin with.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    pub(super) doings: Vec<Arc<Doing>>,
    pub(super) input: Arc<Input>,
    pub(super) condition: Condition,
    pub(super) n_fixed: usize,
}

/// An entry of a sleep set: a step from which everything was explored, for inputs that satisfy one of the conditions.
#[derive(Clone, Debug)]
pub(super) struct Asleep {
    pub(super) doing: Arc<Doing>,
    pub(super) conditions: Conditions,
}

impl Branch {
    pub(super) fn free(doing: Arc<Doing>, input: &Arc<Input>) -> Branch {
        Branch {
            doing,
            children: Vec::new(),
            input: Arc::clone(input),
            conditions: Conditions::Always,
            n_fixed: 0,
        }
    }

    pub(super) fn into_asleep(self) -> Arc<Asleep> {
        Arc::new(Asleep { doing: self.doing, conditions: self.conditions })
    }
}

/// Returns the least index of a step of the sequence that is an initial of it and is one of `steps`, which are tried or
/// asleep with this input. All executions that begin with it are explored there.
pub(super) fn first_of<'a>(
    steps: impl Iterator<Item = (Label, &'a Conditions)>,
    of: &[&Doing],
    input: &Input,
    exprs: &Exprs,
) -> Option<usize> {
    let places = steps.filter_map(|(label, conditions)| {
        let place = initial(label, of)?;
        conditions.hold(exprs, input).then_some(place)
    });
    places.min()
}

/// Inserts a sequence, unless what is in the tree already leads to the same executions. Skips the branches on the path:
/// a plan never goes through them.
pub(super) fn insert(
    branches: &mut Vec<Branch>,
    n_on_path: usize,
    mut sequence: Sequence,
    exprs: &Exprs,
) {
    for branch in branches.iter_mut().skip(n_on_path) {
        // With other inputs, the same step may lead elsewhere.
        if !branch.conditions.hold(exprs, &sequence.input) {
            continue;
        }
        let place = initial(branch.doing.label, &sequence.doings);
        if let Some(place) = place {
            sequence.doings.remove(place);
        } else if !will_come(&branch.doing, &sequence.doings) {
            continue;
        }
        if branch.children.is_empty() || sequence.doings.is_empty() {
            return;
        }
        branch.conditions.add(&sequence.condition);
        return insert(&mut branch.children, 0, sequence, exprs);
    }
    let Sequence { doings, input, condition, n_fixed } = sequence;
    let mut chain: Vec<Branch> = Vec::new();
    for doing in doings.into_iter().rev() {
        let branch = Branch::free(doing, &input);
        let conditions = Conditions::of(&condition);
        chain = vec![Branch { children: chain, conditions, n_fixed, ..branch }];
    }
    branches.extend(chain);
}
