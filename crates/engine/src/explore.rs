//! The exploration of one unit, and what it found as data.

use crate::frontier::{Flip, Frontier};
use solve::{Answer, Query, Reason, Solver};
use term::Constraint;
use trace::{Executor, ExecutorError, Input, Loss, Outcome, Path};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub runs: usize,
}

/// Why the exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Every flip was taken, or proved impossible, or counted in [`Report::unknown`].
    Exhausted,
    RunLimit,
}

#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Every run, in order.
    pub runs: Vec<(Input, Outcome)>,
    pub losses: Vec<Loss>,
    pub n_unsat: usize,
    pub unknown: Vec<Reason>,
    /// Runs that did not take the way that their input was made for.
    pub n_diverged: usize,
}

pub fn explore(
    executor: &mut dyn Executor,
    solver: &mut dyn Solver,
    seed: Input,
    limits: Limits,
) -> Result<(Report, Stop), ExecutorError> {
    let mut report = Report::default();
    let mut frontier = Frontier::default();
    let mut past: Vec<(Input, Path)> = Vec::new();
    let mut input = seed;
    let mut intended: Option<Flip> = None;
    for _ in 0..limits.runs {
        let run = executor.run(&input)?;
        report.runs.push((input.clone(), run.outcome));
        report.losses.extend(run.losses);
        frontier.learn(&run.path.choices);
        let is_as_intended = intended.is_none_or(|it| {
            let choice = run.path.choices.get(it.choice);
            choice.is_some_and(|found| found.site == it.site && found.taken == it.alternative)
        });
        report.n_diverged += usize::from(!is_as_intended);
        past.push((input, run.path));

        (input, intended) = loop {
            let Some(flip) = frontier.take() else { return Ok((report, Stop::Exhausted)) };
            let Some((input, path)) = past.get_mut(flip.run) else { continue };
            let constraints = constraints(path, flip);
            let (exprs, hint) = (&path.exprs, &input.to_model());
            match solver.solve(&Query { exprs, constraints: &constraints, hint }) {
                Answer::Sat(model) => break (input.with(&model), Some(flip)),
                Answer::Unsat => report.n_unsat += 1,
                Answer::Unknown(reason) => report.unknown.push(reason),
            }
        };
    }
    Ok((report, Stop::RunLimit))
}

/// All choices before as they were, and this one otherwise.
fn constraints(path: &mut Path, flip: Flip) -> Vec<Constraint> {
    let Path { exprs, choices } = path;
    let mut res = Vec::new();
    for (n, choice) in choices.iter().enumerate().take(flip.choice + 1) {
        let alternative = if n == flip.choice { flip.alternative } else { choice.taken };
        res.extend(choice.constraints(exprs, alternative));
    }
    res
}
