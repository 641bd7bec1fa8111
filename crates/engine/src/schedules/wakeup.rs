//! Wakeup trees: the sequences of steps that are yet to be tried from a node, with what is common
//! to them held once (Abdulla et al., Source Sets, JACM 2017, section 6).

use crate::schedules::doing::{Doing, initial, will_come};
use std::sync::Arc;
use term::{Constraint, Exprs, all_hold};
use trace::{Input, Label};

/// For which inputs something holds: those that satisfy all of it, or all if there is none.
pub(super) type Condition = Option<Arc<[Constraint]>>;

/// The same for inputs that satisfy one of several.
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
    /// What the steps that are dictated below have chosen by their data; one for each sequence.
    pub(super) conditions: Conditions,
    /// How many choices of the match at the end were fixed by the input.
    pub(super) n_fixed: usize,
}

/// A sequence to be tried, and with which input.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    pub(super) doings: Vec<Arc<Doing>>,
    pub(super) input: Arc<Input>,
    pub(super) condition: Condition,
    pub(super) n_fixed: usize,
}

/// A step from which everything was seen, for inputs that satisfy one of the conditions.
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

/// The place of the first step of a sequence with which it can begin and that is one of these, be they
/// tried or asleep: whatever begins so is met there.
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

/// Adds a sequence, unless what is there already leads to all that it would. The branch on the path is not
/// looked at: a plan never goes through it.
pub(super) fn insert(
    branches: &mut Vec<Branch>,
    n_on_path: usize,
    mut sequence: Sequence,
    exprs: &Exprs,
) {
    for branch in branches.iter_mut().skip(n_on_path) {
        // Equal steps with other inputs may lead elsewhere.
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
