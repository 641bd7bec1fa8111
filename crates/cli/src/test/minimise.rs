//! Makes the input of a finding smaller while it still shows the same cause.

use crate::test::contract::Contract;
use crate::test::finding::{Cause, Finding, Judge, Kind, size_of};
use crate::test::shrink::simpler_args;
use trace::{Executor, Input};

/// Runs that one finding is worth.
const MAX_RUNS: usize = 600;
/// The same if every one of them uses up a budget.
const MAX_RUNS_OF_ENDLESS: usize = 8;

/// `goes_on` is asked before each run.
pub(crate) fn minimise(
    executor: &mut dyn Executor,
    judge: &Judge<'_>,
    cause: &Cause,
    finding: &mut Finding,
    goes_on: &dyn Fn() -> bool,
) {
    let max_runs = if finding.kind == Kind::Timeout { MAX_RUNS_OF_ENDLESS } else { MAX_RUNS };
    let first = finding.input.clone();
    smaller_inputs(&first, judge.contract, max_runs, goes_on, &mut |input| {
        let run = executor.run(input).ok()?;
        let is_same = judge.cause(input, &run.outcome).as_ref() == Some(cause);
        if is_same {
            let smaller = judge.finding(cause.kind(), input, &run.outcome);
            *finding = Finding { count: finding.count, ..smaller };
        }
        Some(is_same)
    });
    if finding.input != first {
        finding.found_with = Some(first);
    }
}

/// Goes from an input to smaller ones as long as they show the same; `None` from `shows` ends it.
pub(crate) fn smaller_inputs(
    first: &Input,
    contract: &Contract,
    max_tries: usize,
    goes_on: &dyn Fn() -> bool,
    shows: &mut dyn FnMut(&Input) -> Option<bool>,
) {
    let mut best = first.clone();
    let mut n_tries = 0;
    'smaller: loop {
        for args in simpler_args(&best.args) {
            let input = Input { args };
            if size_of(&best) <= size_of(&input) || !contract.has(&input) {
                continue;
            }
            if n_tries == max_tries || !goes_on() {
                return;
            }
            n_tries += 1;
            match shows(&input) {
                Some(true) => {
                    best = input;
                    continue 'smaller;
                }
                Some(false) => (),
                None => return,
            }
        }
        return;
    }
}
