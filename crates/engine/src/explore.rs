//! The exploration of one unit.

use crate::frontier::{Flip, Frontier};
use crate::report::{Report, Stop, Test};
use crate::strategy::Strategy;
use rustc_hash::{FxHashSet, FxHasher};
use solve::{Answer, Query, Solver};
use std::hash::{Hash, Hasher};
use term::{Atom, Constraint, Domain, Term};
use trace::{Choice, Executor, ExecutorError, Input, Looked, Outcome, Run};

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Choices of a path that may be flipped.
    pub depth: usize,
    pub max_runs: Option<usize>,
    /// Stop when this much was spent without news, and as much again as the news have cost. In
    /// runs; answers of the solver cost too.
    pub patience: Option<u64>,
    pub strategy: Strategy,
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            depth: 25,
            max_runs: None,
            patience: None,
            strategy: Strategy::default(),
            seed: 0,
        }
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
        crashes: FxHashSet::default(),
        report: Report::default(),
    };
    for seed in seeds {
        exploration.run(executor, seed.clone(), None)?;
    }
    let (mut n_news, mut at_news) = (0, 0);
    exploration.report.stop = loop {
        if let Some(stop) = watch(&exploration.report) {
            break stop;
        }
        if settings.max_runs.is_some_and(|it| it <= exploration.report.n_runs) {
            break Stop::Runs;
        }
        let spent = exploration.report.n_runs as u64 + solver.cost();
        if exploration.report.n_news != n_news {
            (n_news, at_news) = (exploration.report.n_news, spent);
        }
        if settings.patience.is_some_and(|it| at_news + it.max(at_news) <= spent) {
            exploration.report.is_saturated = true;
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
    /// Hashes of ways to fail.
    crashes: FxHashSet<u64>,
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
        let mut is_news = report.covered.lacks_some_of(&covered);
        report.covered.add(&covered);
        for loss in losses {
            *report.losses.entry(loss.what).or_default() += 1;
        }
        let is_as_intended = intended.is_none_or(|it| {
            let choice = choices.get(it.depth);
            choice.is_some_and(|found| found.site == it.site && found.taken == it.alternative)
        });
        let n_visited = self.frontier.n_visited();
        let is_consistent = self.frontier.learn(&choices);
        is_news |= n_visited < self.frontier.n_visited();
        if let Outcome::Crash { class, reason, trace } = &outcome {
            is_news |= self.crashes.insert(failure(class, reason, trace));
        }
        report.n_news += usize::from(is_news);
        // A run that was stopped early may not have come as far as it was meant to.
        let is_whole = !matches!(outcome, Outcome::Stopped(_));
        report.n_diverged += usize::from(!(is_as_intended && is_consistent) && is_whole);
        if self.paths.insert(hash(&choices)) {
            report.tests.push(Test { input: input.clone(), outcome });
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

/// Failures of one class and shape, raised at one place, count as one way to fail.
fn failure(class: &Atom, reason: &Term, trace: &Term) -> u64 {
    let mut hasher = FxHasher::default();
    class.hash(&mut hasher);
    let tag = reason.as_tuple().and_then(<[Term]>::first).unwrap_or(reason);
    tag.as_atom().hash(&mut hasher);
    let place = trace.as_list().and_then(<[Term]>::first).and_then(Term::as_tuple);
    if let Some([module, function, _, place]) = place {
        (module, function, place).hash(&mut hasher);
    }
    hasher.finish()
}
