//! The choices on the input at a node that can be flipped.
//!
//! Choices of different actors are never permuted: the path constraint of a run is one conjunction.

use crate::oracle::{Oracle, Question};
use crate::schedules::order::Trace;
use crate::schedules::plan::Plan;
use crate::schedules::wakeup::Condition;
use solve::Answer;
use std::ops::Range;
use std::sync::Arc;
use term::{Constraint, Exprs};
use trace::{Choice, Input};

/// Flips of the choices of one step that were not tried yet; the last choices are flipped first.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    open: Vec<Turn>,
    /// How many choices of the run were handled; earlier ones are not added again.
    known: usize,
}

/// A choice of a run and the alternative to take instead.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    path: Arc<Path>,
    at: usize,
    alternative: usize,
    /// How many of the path's assumptions hold at the choice.
    n_assumed: usize,
}

/// The choices of a run and the choices that its receives assumed.
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
    /// Adds the choices that a run made in this step.
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

    /// Returns an input for the next flip that has one.
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
    /// Returns the flips of a choice to all its other alternatives.
    pub(super) fn all_at(path: &Arc<Path>, at: usize) -> impl Iterator<Item = Turn> {
        let choice = path.choices.get(at);
        let others = choice.map_or(0, Choice::n_alternatives);
        let taken = choice.map(|it| it.taken);
        let turn =
            move |alternative| Turn { path: Arc::clone(path), at, alternative, n_assumed: 0 };
        (0..others).filter(move |it| Some(*it) != taken).map(turn)
    }

    /// Returns an input that takes the choices before this one as the run did, and this one otherwise.
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

/// Returns the constraints under which all choices are taken as they were.
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

/// Returns the constraints of the choices in the steps that a plan guides.
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

/// Returns inputs with which the match at the end of a plan may have another result, each with the number of its
/// choices that are fixed.
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

/// Returns the choices made before the node of a plan and in the steps that it guides.
pub(super) fn needed<'a>(trace: &'a Trace, path: &'a Path, plan: &Plan) -> Vec<&'a Choice> {
    let events: Vec<usize> = (0..plan.at).chain(plan.guided.iter().copied()).collect();
    // Choices before the first step belong to no event.
    let first = trace.events.first().map_or(path.choices.len(), |it| it.step.choices.start);
    let mut res: Vec<&Choice> = path.choices.get(..first).unwrap_or_default().iter().collect();
    res.extend(chosen(trace, path, &events));
    res
}
