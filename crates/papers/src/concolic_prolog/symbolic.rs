//! Fig. 3: the concolic semantics, steered by a trace, and the choice of the next goal (§5.1).

use crate::concolic_prolog::concrete::{Event, show_trace};
use crate::concolic_prolog::terms::{Atomic, Definite, Substitution, Term};
use std::collections::BTreeSet;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbolic {
    /// What is left of the trace.
    pub trace: Vec<Event>,
    /// The clause stack.
    pub labels: Vec<usize>,
    /// `None`: *fail*.
    pub goal: Option<Vec<Atomic>>,
    pub answer: Substitution,
    pub stack: Vec<Kept>,
    /// Clauses that are not yet completely evaluated.
    pub left: BTreeSet<usize>,
}

/// An alternative to come back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub label: usize,
    pub labels: Vec<usize>,
    pub answer: Substitution,
    pub goal: Vec<Atomic>,
}

/// `c(l, theta)`: a clause that the concrete goal did not match and the symbolic one does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    pub label: usize,
    pub unifier: Substitution,
}

/// A state and the alternatives that label the step to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub alternatives: Vec<Alternative>,
    pub state: Symbolic,
}

/// The concolic execution of a goal that follows a trace.
pub fn concolic(
    program: &[Definite],
    trace: Vec<Event>,
    goal: &Term,
    left: BTreeSet<usize>,
) -> Vec<Step> {
    let first = Symbolic {
        trace,
        labels: Vec::new(),
        goal: Some(vec![Atomic::Call(goal.clone())]),
        answer: Substitution::default(),
        stack: Vec::new(),
        left,
    };
    let mut res = vec![Step { alternatives: Vec::new(), state: first }];
    let mut n = 1;
    while let Some(next) = res.last().and_then(|it| step(program, &it.state, n)) {
        res.push(next);
        n += 1;
    }
    res
}

fn step(program: &[Definite], from: &Symbolic, n: usize) -> Option<Step> {
    let (selected, rest) = from.goal.as_ref()?.split_first()?;
    let selected = match selected {
        Atomic::Exit(label) => {
            let mut state = from.clone();
            state.goal = Some(rest.to_vec());
            state.labels.retain({
                let mut is_first = true;
                move |it| !(it == label && std::mem::take(&mut is_first))
            });
            state.left.remove(label);
            return Some(Step { alternatives: Vec::new(), state });
        }
        Atomic::Call(term) => term,
    };
    let (event, trace) = from.trace.split_first()?;
    let taken: &[usize] = if let Event::Unfold(labels) = event { labels } else { &[] };
    let (mut kept, mut alternatives) = (Vec::new(), Vec::new());
    for clause in program {
        let clause = clause.fresh(n);
        let Some(unifier) = Substitution::unifier(selected, &clause.head) else { continue };
        if !taken.contains(&clause.label) {
            alternatives.push(Alternative { label: clause.label, unifier });
            continue;
        }
        let body = clause.body.iter().map(|it| Atomic::Call(it.clone()));
        let goal = body.chain([Atomic::Exit(clause.label)]).chain(rest.iter().cloned());
        kept.push(Kept {
            label: clause.label,
            labels: [&[clause.label], from.labels.as_slice()].concat(),
            answer: from.answer.then(&unifier),
            goal: goal.map(|it| it.apply(&unifier)).collect(),
        });
    }
    let mut stack: Vec<Kept> = kept.into_iter().chain(from.stack.iter().cloned()).collect();
    let (trace, left) = (trace.to_vec(), from.left.clone());
    let state = if *event == Event::Fail || stack.is_empty() {
        let (labels, answer) = (from.labels.clone(), from.answer.clone());
        Symbolic { trace, labels, goal: None, answer, stack: Vec::new(), left }
    } else {
        let Kept { labels, answer, goal, .. } = stack.remove(0);
        Symbolic { trace, labels, goal: Some(goal), answer, stack, left }
    };
    Some(Step { alternatives, state })
}

/// The instance of the goal that takes the last alternative which may complete a clause that is left:
/// the clause itself, or one that is being evaluated where it is met. In §5.2 the paper also takes one
/// that is neither, as it leads on to the clause that is left; so any other comes after those.
pub fn next_goal(goal: &Term, steps: &[Step]) -> Option<(usize, Term)> {
    let left = &steps.last()?.state.left;
    if left.is_empty() {
        return None;
    }
    let instance = |before: &Step, of: &Alternative| {
        (of.label, goal.apply(&before.state.answer.then(&of.unifier)))
    };
    let mut other = None;
    for pair in steps.windows(2).rev() {
        let [before, after] = pair else { continue };
        let is_inside = after.state.labels.iter().any(|it| left.contains(it));
        let wanted = |it: &&Alternative| is_inside || left.contains(&it.label);
        if let Some(found) = after.alternatives.iter().find(wanted) {
            return Some(instance(before, found));
        }
        let first = after.alternatives.first();
        other = other.or_else(|| first.map(|it| instance(before, it)));
    }
    other
}

impl Atomic {
    fn apply(&self, with: &Substitution) -> Atomic {
        match self {
            Atomic::Call(term) => Atomic::Call(term.apply(with)),
            Atomic::Exit(label) => Atomic::Exit(*label),
        }
    }
}

impl Symbolic {
    /// As the figures show it; of substitutions, what they do to these variables.
    pub fn show(&self, variables: &[String]) -> String {
        let numbers = |it: &mut dyn Iterator<Item = &usize>| -> String {
            it.map(usize::to_string).collect::<Vec<_>>().join(",")
        };
        let atoms = |goal: &[Atomic]| -> String {
            goal.iter().map(Atomic::to_string).collect::<Vec<_>>().join(",")
        };
        let goal = match &self.goal {
            None => "fail".to_owned(),
            Some(goal) if goal.is_empty() => "true".to_owned(),
            Some(goal) => atoms(goal),
        };
        let kept = self.stack.iter().map(|it| {
            let labels = numbers(&mut it.labels.iter());
            let answer = it.answer.restricted(variables);
            format!("({};[{labels}];{answer};{})", it.label, atoms(&it.goal))
        });
        format!(
            "<{};[{}];{goal};{};[{}];{{{}}}>",
            show_trace(&self.trace),
            numbers(&mut self.labels.iter()),
            self.answer.restricted(variables),
            kept.collect::<Vec<_>>().join(","),
            numbers(&mut self.left.iter())
        )
    }
}

impl fmt::Display for Alternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c({},{})", self.label, self.unifier)
    }
}
