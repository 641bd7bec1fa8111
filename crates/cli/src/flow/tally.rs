//! The counts that every language has of the exploration of a unit, in the words of reports.

use ::report::{Loss, Solver, Stop, Unit};
use std::collections::BTreeMap;
use std::time::Duration;

/// What the exploration of a unit took, and why it ended.
#[derive(Debug)]
pub(crate) struct Tally<'a> {
    pub(crate) stop: engine::Stop,
    /// Nothing new came for long.
    pub(crate) is_saturated: bool,
    pub(crate) n_runs: usize,
    pub(crate) n_paths: usize,
    pub(crate) n_diverged: usize,
    pub(crate) elapsed: Duration,
    pub(crate) solver: &'a solve::Statistics,
    /// What could not be followed, and how often.
    pub(crate) losses: &'a BTreeMap<String, usize>,
    /// What kept our own machinery from going on.
    pub(crate) trouble: Option<&'a String>,
}

impl Tally<'_> {
    /// Writes the counts into the unit of a report.
    pub(crate) fn note(&self, unit: &mut Unit) {
        unit.stop = match stop(self.stop) {
            Stop::Exhausted if self.solver.unknown > 0 => Stop::Unknown,
            stop => stop,
        };
        unit.saturated = self.is_saturated;
        unit.runs = self.n_runs;
        unit.paths = self.n_paths;
        unit.diverged = self.n_diverged;
        unit.elapsed_ms = u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX);
        unit.solver = solver(self.solver);
        let loss = |it: (&String, &usize)| Loss { what: it.0.clone(), count: *it.1 };
        unit.losses = self.losses.iter().map(loss).collect();
        unit.trouble = self.trouble.cloned();
    }
}

/// The engine's reasons in the words of reports.
fn stop(of: engine::Stop) -> Stop {
    match of {
        engine::Stop::Exhausted => Stop::Exhausted,
        engine::Stop::Depth => Stop::Depth,
        engine::Stop::Time => Stop::Time,
        engine::Stop::Runs => Stop::Runs,
        engine::Stop::Interrupted => Stop::Interrupted,
        engine::Stop::Unsupported => Stop::Unsupported,
    }
}

/// Every layer has its count, also one that had nothing to do.
fn solver(of: &solve::Statistics) -> Solver {
    let idle = ["cache", "guess", "z3"].map(|it| (it.to_owned(), 0));
    let mut layers: BTreeMap<String, u64> = idle.into_iter().collect();
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    layers.extend(of.layers.iter().map(|it| ((*it.0).to_owned(), count(*it.1))));
    Solver {
        queries: count(of.queries),
        sat: count(of.sat),
        unsat: count(of.unsat),
        unknown: count(of.unknown),
        layers,
    }
}
