//! Shrinks the input of a finding while it still shows the same cause.

use crate::erlang::contract::Contract;
use crate::erlang::finding::{Cause, Finding, Judge, size_of};
use crate::erlang::shrink::simpler_args;
use crate::erlang::systems::System;
use ::report::Kind;
use engine::{Question, all_parts, last_parts};
use solve::{Answer, Solver};
use trace::{Executor, Input};

/// The maximum number of runs per finding.
const MAX_RUNS: usize = 600;
/// The maximum number of runs per finding that does not end, since each uses up a limit.
const MAX_RUNS_OF_ENDLESS: usize = 8;

/// Shrinks a finding. `goes_on` is called before each run.
pub(crate) fn minimise(
    executor: &mut dyn Executor,
    solver: &mut dyn Solver,
    judge: &Judge<'_>,
    cause: &Cause,
    finding: &mut Finding,
    goes_on: &dyn Fn() -> bool,
) {
    let is_endless = finding.kind == Kind::Timeout;
    let max_runs = if is_endless { MAX_RUNS_OF_ENDLESS } else { MAX_RUNS };
    let first = finding.input.clone();
    if !goes_on() {
        return;
    }
    let afresh = if is_endless { None } else { afresh(executor, solver, judge, &first) };
    let mut shows = |input: &Input| {
        let run = executor.run(input).ok()?;
        if judge.cause(input, &run.outcome).as_ref() != Some(cause) {
            return Some(false);
        }
        let decided_by = last_parts(executor.exprs(), &run.choices, input);
        let looked_at = all_parts(executor.exprs(), &run.choices, input);
        let judge = Judge { looked_at: Some(&looked_at), ..*judge };
        let rated = judge.rate(finding.kind, input, &run.outcome, &decided_by);
        // A smaller input that is not meant is no improvement.
        let is_meant = rated.level <= finding.rated.level;
        if is_meant {
            let smaller = judge.finding(finding.kind, input, &run.outcome);
            *finding = Finding { count: finding.count, rated, ..smaller };
        }
        Some(is_meant)
    };
    let is_better = |it: &Input| size_of(it) < size_of(&first) && judge.contract.has(it);
    let afresh = afresh.filter(|it| is_better(it) && shows(it) == Some(true));
    let mut begin = afresh.unwrap_or_else(|| first.clone());
    if judge.contract.system.is_some() {
        while let Some(shorter) =
            System::shorter(&begin).into_iter().find(|it| shows(it) == Some(true))
        {
            begin = shorter;
        }
    }
    smaller_inputs(&begin, judge.contract, max_runs, goes_on, &mut shows);
    if finding.input != first {
        finding.found_with = Some(first);
    }
}

/// An input of the same path that the solver makes close to the smallest seed.
fn afresh(
    executor: &mut dyn Executor,
    solver: &mut dyn Solver,
    judge: &Judge<'_>,
    input: &Input,
) -> Option<Input> {
    let run = executor.run(input).ok()?;
    let exprs = executor.exprs();
    let constraints = run.choices.iter().flat_map(|it| it.constraints(exprs, it.taken)).collect();
    let hint = judge.contract.seeds.first()?.to_model();
    let question = Question { constraints, loose: None, hint };
    match question.answer(solver, exprs, &judge.contract.domain) {
        Answer::Sat(model) => Some(input.with(&model)),
        Answer::Unsat | Answer::Unknown(_) => None,
    }
}

/// Tries smaller inputs repeatedly, and continues from each that `shows` accepts. `None` from `shows` ends the search.
pub(crate) fn smaller_inputs(
    first: &Input,
    contract: &Contract,
    max_tries: usize,
    goes_on: &dyn Fn() -> bool,
    shows: &mut dyn FnMut(&Input) -> Option<bool>,
) {
    let mut best = first.clone();
    let mut n_tries = 0;
    // `None` if no smaller input shows the cause, or a limit is reached.
    let mut smaller = |best: &Input| {
        for args in simpler_args(&best.args) {
            if !goes_on() {
                return None;
            }
            let input = Input { args };
            if size_of(best) <= size_of(&input) || !contract.has(&input) {
                continue;
            }
            if n_tries == max_tries {
                return None;
            }
            n_tries += 1;
            if shows(&input)? {
                return Some(input);
            }
        }
        None
    };
    while let Some(input) = smaller(&best) {
        best = input;
    }
}
