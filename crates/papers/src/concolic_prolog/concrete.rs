//! Fig. 1: the deterministic small-step semantics, and its traces.

use crate::concolic_prolog::terms::{Definite, Substitution, Term};
use std::fmt;

/// What labels a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// `u(l1,...,ln)`: the clauses whose heads unify with the selected atom.
    Unfold(Vec<usize>),
    /// `b(l)`: back to an alternative of this clause.
    Back(usize),
    /// `f`
    Fail,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// `None`: *fail*. No goals are *true*.
    pub goal: Option<Vec<Term>>,
    pub answer: Substitution,
    pub stack: Vec<(usize, Substitution, Vec<Term>)>,
}

/// The computation of a goal: its states, and the event that led to each but the first. Ends after
/// so many steps if the goal does not.
pub fn run(program: &[Definite], goal: &Term, max_steps: usize) -> Vec<(Option<Event>, State)> {
    let first = State {
        goal: Some(vec![goal.clone()]),
        answer: Substitution::default(),
        stack: Vec::new(),
    };
    let mut res = vec![(None, first)];
    for n in 1..=max_steps {
        let Some((_, last)) = res.last() else { break };
        match step(program, last, n) {
            Some((event, state)) => res.push((Some(event), state)),
            None => break,
        }
    }
    res
}

fn step(program: &[Definite], from: &State, n: usize) -> Option<(Event, State)> {
    let (selected, rest) = from.goal.as_ref()?.split_first()?;
    let mut matching = Vec::new();
    for clause in program {
        let clause = clause.fresh(n);
        if let Some(unifier) = Substitution::unifier(selected, &clause.head) {
            let goals = clause.body.iter().chain(rest).map(|it| it.apply(&unifier)).collect();
            matching.push((clause.label, from.answer.then(&unifier), goals));
        }
    }
    let labels: Vec<usize> = matching.iter().map(|it| it.0).collect();
    let mut matching = matching.into_iter();
    if let Some((_, answer, goal)) = matching.next() {
        let stack = matching.chain(from.stack.iter().cloned()).collect();
        return Some((Event::Unfold(labels), State { goal: Some(goal), answer, stack }));
    }
    match from.stack.split_first() {
        Some(((label, answer, goal), stack)) => {
            let (goal, answer, stack) = (Some(goal.clone()), answer.clone(), stack.to_vec());
            Some((Event::Back(*label), State { goal, answer, stack }))
        }
        None => {
            let (answer, stack) = (from.answer.clone(), Vec::new());
            Some((Event::Fail, State { goal: None, answer, stack }))
        }
    }
}

/// `[u(1,2),u(8),b(2)]`
pub fn show_trace(trace: &[Event]) -> String {
    let all: Vec<String> = trace.iter().map(Event::to_string).collect();
    format!("[{}]", all.join(","))
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Unfold(labels) => {
                let labels: Vec<String> = labels.iter().map(usize::to_string).collect();
                write!(f, "u({})", labels.join(","))
            }
            Event::Back(label) => write!(f, "b({label})"),
            Event::Fail => f.write_str("f"),
        }
    }
}

impl State {
    /// As the figures show it; of substitutions, what they do to these variables.
    pub fn show(&self, variables: &[String]) -> String {
        let entries = self.stack.iter().map(|(label, answer, goal)| {
            format!("({label};{};{})", answer.restricted(variables), goals(goal))
        });
        let goal = self.goal.as_ref().map_or("fail".to_owned(), |it| goals(it));
        let stack: Vec<String> = entries.collect();
        format!("<{goal};{};[{}]>", self.answer.restricted(variables), stack.join(","))
    }
}

fn goals(of: &[Term]) -> String {
    if of.is_empty() {
        return "true".to_owned();
    }
    of.iter().map(Term::to_string).collect::<Vec<_>>().join(",")
}
