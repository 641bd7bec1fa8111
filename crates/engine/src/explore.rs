//! The exploration of one unit.

use crate::frontier::{Flip, Frontier};
use crate::report::{Report, Stop, Test};
use crate::strategy::Strategy;
use rustc_hash::{FxHashSet, FxHasher};
use solve::{Answer, Query, Solver};
use std::hash::{Hash, Hasher};
use term::{Constraint, Domain};
use trace::{Choice, Executor, ExecutorError, Input, Looked, Outcome, Run};

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Choices of a path that may be flipped.
    pub depth: usize,
    pub max_runs: Option<usize>,
    pub strategy: Strategy,
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { depth: 25, max_runs: None, strategy: Strategy::default(), seed: 0 }
    }
}

/// Runs the seeds, then what the solver makes of their choices, until nothing is left or `watch`,
/// which sees the report after every run and every query, says stop.
pub fn explore(
    executor: &mut dyn Executor,
    solver: &mut dyn Solver,
    seeds: &[Input],
    domain: &Domain,
    settings: &Settings,
    watch: &mut dyn FnMut(&Report) -> Option<Stop>,
) -> Result<Report, ExecutorError> {
    let mut exploration = Exploration {
        frontier: Frontier::new(settings.strategy, settings.seed, settings.depth),
        inputs: Vec::new(),
        paths: FxHashSet::default(),
        report: Report::default(),
    };
    for seed in seeds {
        exploration.run(executor, seed.clone(), None)?;
    }
    exploration.report.stop = loop {
        if let Some(stop) = watch(&exploration.report) {
            break stop;
        }
        if settings.max_runs.is_some_and(|it| it <= exploration.report.n_runs) {
            break Stop::Runs;
        }
        let Some(flip) = exploration.frontier.take() else {
            break if exploration.frontier.is_cut { Stop::Depth } else { Stop::Exhausted };
        };
        if let Some(input) = exploration.solve(executor, solver, domain, flip) {
            exploration.run(executor, input, Some(flip))?;
        }
    };
    Ok(exploration.report)
}

struct Exploration {
    frontier: Frontier,
    /// Of all runs, in order.
    inputs: Vec<Input>,
    /// Hashes of whole paths.
    paths: FxHashSet<u64>,
    report: Report,
}

impl Exploration {
    /// An input that takes the flip.
    fn solve(
        &mut self,
        executor: &mut dyn Executor,
        solver: &mut dyn Solver,
        domain: &Domain,
        flip: Flip,
    ) -> Option<Input> {
        let exprs = executor.exprs();
        let path = self.frontier.tree.path(flip.node, flip.alternative);
        let (last, before) = path.split_last()?;
        let is_pinned = before.iter().any(|it| matches!(it.0.looked, Looked::Pin(..)));
        let old = self.inputs.get(flip.run)?;
        let hint = &old.to_model();
        // With what was not followed as it was, the way to the choice is sure; else it is likely.
        let attempts = if is_pinned { [true, false].as_slice() } else { &[false] };
        for keeps_pins in attempts {
            let mut constraints: Vec<Constraint> = Vec::new();
            for (choice, alternative) in before.iter().chain([last]) {
                let is_loose =
                    matches!(choice.looked, Looked::Pin(..)) && !std::ptr::eq(*choice, last.0);
                if *keeps_pins || !is_loose {
                    constraints.extend(choice.constraints(exprs, *alternative));
                }
            }
            let query = Query { exprs, constraints: &constraints, hint, domain };
            if let Answer::Sat(model) = solver.solve(&query) {
                return Some(old.with(&model));
            }
        }
        None
    }

    fn run(
        &mut self,
        executor: &mut dyn Executor,
        input: Input,
        intended: Option<Flip>,
    ) -> Result<(), ExecutorError> {
        let Run { outcome, choices, losses, covered } = executor.run(&input)?;
        let report = &mut self.report;
        report.n_runs += 1;
        report.covered.add(&covered);
        for loss in losses {
            *report.losses.entry(loss.what).or_default() += 1;
        }
        let is_as_intended = intended.is_none_or(|it| {
            let choice = choices.get(it.depth);
            choice.is_some_and(|found| found.site == it.site && found.taken == it.alternative)
        });
        let is_consistent = self.frontier.learn(&choices);
        // A run that was stopped early may not have come as far as it was meant to.
        let is_whole = !matches!(outcome, Outcome::Stopped(_));
        report.n_diverged += usize::from(!(is_as_intended && is_consistent) && is_whole);
        if self.paths.insert(hash(&choices)) {
            report.tests.push(Test { input: input.clone(), outcome, covered });
        }
        self.inputs.push(input);
        Ok(())
    }
}

fn hash(choices: &[Choice]) -> u64 {
    let mut hasher = FxHasher::default();
    choices.iter().for_each(|it| (it.site, it.taken).hash(&mut hasher));
    hasher.finish()
}
