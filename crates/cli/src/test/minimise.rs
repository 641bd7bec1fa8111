//! Makes the input of a finding smaller while it still shows the same cause.

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
    let first = finding.input.clone();
    let mut n_runs = 0;
    let max_runs = if finding.kind == Kind::Timeout { MAX_RUNS_OF_ENDLESS } else { MAX_RUNS };
    'smaller: loop {
        for args in simpler_args(&finding.input.args) {
            let input = Input { args };
            if size_of(&finding.input) <= size_of(&input) || !judge.contract.has(&input) {
                continue;
            }
            if n_runs == max_runs || !goes_on() {
                break 'smaller;
            }
            n_runs += 1;
            let Ok(run) = executor.run(&input) else { break 'smaller };
            if judge.cause(&input, &run.outcome).as_ref() == Some(cause) {
                let smaller = judge.finding(cause.kind(), &input, &run.outcome);
                *finding = Finding { count: finding.count, ..smaller };
                continue 'smaller;
            }
        }
        break;
    }
    if finding.input != first {
        finding.found_with = Some(first);
    }
}
