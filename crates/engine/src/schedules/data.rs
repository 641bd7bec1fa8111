//! The data half of a node: choices of its step that can be taken the other way.
//!
//! Choices of different actors are never permuted: what a run needs of its input is one conjunction.

use crate::oracle::{Oracle, Question};
use crate::schedules::order::Trace;
use crate::schedules::plan::Plan;
use crate::schedules::wakeup::Condition;
use solve::Answer;
use std::ops::Range;
use std::sync::Arc;
use term::{Constraint, Exprs};
use trace::{Choice, Input};

/// Choices of one step that were not taken the other way yet, the last ones first.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    open: Vec<Turn>,
    /// Choices up to here are accounted for.
    known: usize,
}

/// A choice of a run, to be taken the other way.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    path: Arc<Path>,
    at: usize,
    alternative: usize,
    /// How much is assumed at that place.
    n_assumed: usize,
}

/// What a run chose, and what it took for granted.
#[derive(Debug)]
pub(super) struct Path {
    pub(super) choices: Vec<Choice>,
    assumed: Vec<Choice>,
    input: Arc<Input>,
}

impl Path {
    pub(super) fn new(trace: &Trace, choices: &[Choice], input: &Arc<Input>) -> Arc<Path> {
        let assumed = trace.events.iter().flat_map(|it| it.assumed.iter().cloned()).collect();
        Arc::new(Path { choices: choices.to_vec(), assumed, input: Arc::clone(input) })
    }
}

impl Turns {
    /// Adds what a run chose in this step.
    pub(super) fn learn(
        &mut self,
        path: &Arc<Path>,
        made: Range<usize>,
        n_assumed: usize,
        limit: usize,
    ) {
        let from = made.start.max(self.known);
        for at in from..made.end.min(limit) {
            let Some(choice) = path.choices.get(at) else { break };
            for alternative in (0..choice.n_alternatives()).filter(|it| *it != choice.taken) {
                let path = Arc::clone(path);
                self.open.push(Turn { path, at, alternative, n_assumed });
            }
        }
        self.known = self.known.max(made.end);
    }

    /// The next choice to take the other way, as an input that does so.
    pub(super) fn take(
        &mut self,
        exprs: &mut Exprs,
        oracle: &mut dyn Oracle,
    ) -> Option<Arc<Input>> {
        while let Some(turn) = self.open.pop() {
            if let Some(input) = turn.input(exprs, oracle) {
                self.known = turn.at + 1;
                return Some(input);
            }
        }
        None
    }
}

impl Turn {
    /// The other alternatives of a choice of a run.
    pub(super) fn all_at(path: &Arc<Path>, at: usize) -> impl Iterator<Item = Turn> {
        let choice = path.choices.get(at);
        let others = choice.map_or(0, Choice::n_alternatives);
        let taken = choice.map(|it| it.taken);
        let turn =
            move |alternative| Turn { path: Arc::clone(path), at, alternative, n_assumed: 0 };
        (0..others).filter(move |it| Some(*it) != taken).map(turn)
    }

    /// An input that makes the choices before it as they were made, and this one otherwise.
    pub(super) fn input(&self, exprs: &mut Exprs, oracle: &mut dyn Oracle) -> Option<Arc<Input>> {
        let path = &self.path;
        let before = path.choices.get(..self.at).unwrap_or_default();
        let assumed = path.assumed.get(..self.n_assumed).unwrap_or_default();
        let mut constraints = as_taken(exprs, before.iter().chain(assumed));
        if let Some(choice) = path.choices.get(self.at) {
            constraints.extend(choice.constraints(exprs, self.alternative));
        }
        solve(exprs, oracle, constraints, &path.input)
    }
}

/// What the input must satisfy for all choices to be taken as they were.
fn as_taken<'a>(exprs: &mut Exprs, choices: impl Iterator<Item = &'a Choice>) -> Vec<Constraint> {
    choices.flat_map(|it| it.constraints(exprs, it.taken)).collect()
}

fn solve(
    exprs: &mut Exprs,
    oracle: &mut dyn Oracle,
    constraints: Vec<Constraint>,
    hint: &Input,
) -> Option<Arc<Input>> {
    let question = Question { constraints, loose: None, hint: hint.to_model() };
    let answer = oracle.ask(exprs, vec![question]).into_iter().next();
    let model = if let Some(Answer::Sat(model)) = answer { Some(model) } else { None };
    model.map(|it| Arc::new(hint.with(&it)))
}

/// What the steps that a plan dictates have chosen.
pub(super) fn condition(exprs: &mut Exprs, trace: &Trace, path: &Path, plan: &Plan) -> Condition {
    let guided: Vec<&Choice> = chosen(trace, path, &plan.guided);
    let all = as_taken(exprs, guided.into_iter());
    (!all.is_empty()).then(|| all.into())
}

fn chosen<'a>(trace: &'a Trace, path: &'a Path, events: &[usize]) -> Vec<&'a Choice> {
    let events = events.iter().filter_map(|it| trace.events.get(*it));
    events
        .flat_map(|it| {
            path.choices.get(it.step.choices.clone()).unwrap_or_default().iter().chain(&it.assumed)
        })
        .collect()
}

/// Inputs with which the match at the end of a plan may come out otherwise, and how many of its
/// choices each of them fixes.
pub(super) fn inputs_for_match(
    exprs: &mut Exprs,
    oracle: &mut dyn Oracle,
    needed: &[&Choice],
    unmatched: &[Choice],
    from: usize,
    hint: &Input,
) -> Vec<(Arc<Input>, usize)> {
    let mut res = Vec::new();
    for (n, choice) in unmatched.iter().enumerate().skip(from) {
        for alternative in (0..choice.n_alternatives()).filter(|it| *it != choice.taken) {
            let before = unmatched.get(..n).unwrap_or_default();
            let mut constraints = as_taken(exprs, needed.iter().copied().chain(before));
            constraints.extend(choice.constraints(exprs, alternative));
            let found = solve(exprs, oracle, constraints, hint);
            res.extend(found.map(|it| (it, n + 1)));
        }
    }
    res
}

/// What was chosen before the node of a plan and in the steps that it dictates.
pub(super) fn needed<'a>(trace: &'a Trace, path: &'a Path, plan: &Plan) -> Vec<&'a Choice> {
    let events: Vec<usize> = (0..plan.at).chain(plan.guided.iter().copied()).collect();
    // The first steps of all, before any turn, belong to no event.
    let first = trace.events.first().map_or(path.choices.len(), |it| it.step.choices.start);
    let mut res: Vec<&Choice> = path.choices.get(..first).unwrap_or_default().iter().collect();
    res.extend(chosen(trace, path, &events));
    res
}
