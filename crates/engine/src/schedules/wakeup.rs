//! Wakeup trees: the sequences of steps that are yet to be tried from a node, with what is common
//! to them held once (Abdulla et al., Source Sets, JACM 2017, section 6).

use crate::schedules::doing::{Doing, initial, is_weak_initial, will_come};
use std::rc::Rc;
use term::{Constraint, Exprs, Model, all_hold};
use trace::Input;

/// For which inputs something holds: those that satisfy all of it.
pub(super) type Condition = Rc<[Constraint]>;

#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) doing: Rc<Doing>,
    pub(super) children: Vec<Branch>,
    pub(super) input: Rc<Input>,
    /// What the steps that are dictated below have chosen by their data; one for each sequence.
    pub(super) conditions: Vec<Condition>,
    /// How many choices of the match at the end were fixed by the input.
    pub(super) n_fixed: usize,
}

/// A sequence to be tried, and with which input.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    pub(super) doings: Vec<Rc<Doing>>,
    pub(super) input: Rc<Input>,
    pub(super) condition: Condition,
    pub(super) n_fixed: usize,
}

/// A step from which everything was seen, for inputs that satisfy one of the conditions.
#[derive(Clone, Debug)]
pub(super) struct Asleep {
    pub(super) doing: Rc<Doing>,
    pub(super) conditions: Vec<Condition>,
}

impl Branch {
    pub(super) fn free(doing: Rc<Doing>, input: &Rc<Input>) -> Branch {
        let conditions = vec![Rc::from([])];
        Branch { doing, children: Vec::new(), input: Rc::clone(input), conditions, n_fixed: 0 }
    }

    pub(super) fn into_asleep(self) -> Asleep {
        Asleep { doing: self.doing, conditions: self.conditions }
    }
}

impl Asleep {
    pub(super) fn covers(&self, sequence: &Sequence, exprs: &Exprs) -> bool {
        is_weak_initial(&self.doing, &sequence.doings)
            && holds_any(&self.conditions, exprs, &sequence.input)
    }
}

pub(super) fn holds_any(conditions: &[Condition], exprs: &Exprs, input: &Input) -> bool {
    if conditions.iter().any(|it| it.is_empty()) {
        return true;
    }
    let model: Model = input.to_model();
    conditions.iter().any(|it| all_hold(exprs, it, &model))
}

/// Adds a sequence, unless what is there already leads to all that it would.
pub(super) fn insert(branches: &mut Vec<Branch>, mut sequence: Sequence, exprs: &Exprs) {
    for branch in branches.iter_mut() {
        // Equal steps with other inputs may lead elsewhere.
        if !holds_any(&branch.conditions, exprs, &sequence.input) {
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
        if !branch.conditions.contains(&sequence.condition) {
            branch.conditions.push(Rc::clone(&sequence.condition));
        }
        return insert(&mut branch.children, sequence, exprs);
    }
    let Sequence { doings, input, condition, n_fixed } = sequence;
    let mut chain: Vec<Branch> = Vec::new();
    for doing in doings.into_iter().rev() {
        let conditions = vec![Rc::clone(&condition)];
        let input = Rc::clone(&input);
        chain = vec![Branch { doing, children: chain, input, conditions, n_fixed }];
    }
    branches.extend(chain);
}
