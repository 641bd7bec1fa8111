//! The counts of a unit's exploration that all languages have, converted to the terms of reports.

use ::report::{Loss, Solver, Source, Stop, Unit};
use engine::Yield;
use std::collections::BTreeMap;
use std::time::Duration;

/// The costs of a unit's exploration, and why it ended.
#[derive(Debug)]
pub(crate) struct Tally<'a> {
    pub(crate) stop: engine::Stop,
    /// Whether the search ended for lack of news.
    pub(crate) is_saturated: bool,
    pub(crate) counts: Counts<'a>,
    pub(crate) elapsed: Duration,
    pub(crate) solver: &'a solve::Statistics,
    /// What could not be followed symbolically, each with its count.
    pub(crate) losses: &'a BTreeMap<String, usize>,
    /// The failure of our own code that ended the exploration.
    pub(crate) trouble: Option<&'a String>,
}

/// Counts of runs.
#[derive(Debug)]
pub(crate) struct Counts<'a> {
    pub(crate) n_runs: usize,
    pub(crate) n_paths: usize,
    pub(crate) n_diverged: usize,
    /// The yield of each source of flips and inputs, by its name.
    pub(crate) sources: &'a BTreeMap<String, Yield>,
}

impl Tally<'_> {
    /// Writes the counts to the unit of a report.
    pub(crate) fn note(&self, unit: &mut Unit) {
        unit.stop = stop(self.stop, self.solver);
        unit.saturated = self.is_saturated;
        unit.runs = self.counts.n_runs;
        unit.paths = self.counts.n_paths;
        unit.diverged = self.counts.n_diverged;
        let source = |(name, of): (&String, &Yield)| Source {
            source: name.clone(),
            runs: of.runs,
            news: of.news,
        };
        unit.sources = self.counts.sources.iter().map(source).collect();
        unit.elapsed_ms = u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX);
        unit.solver = solver(self.solver);
        let loss = |it: (&String, &usize)| Loss { what: it.0.clone(), count: *it.1 };
        unit.losses = self.losses.iter().map(loss).collect();
        unit.trouble = self.trouble.cloned();
    }
}

/// Converts the engine's stop reason to that of reports.
fn stop(of: engine::Stop, solver: &solve::Statistics) -> Stop {
    match of {
        // A query that the solver gave up might have a model, so the space is not exhausted.
        engine::Stop::Exhausted if solver.unknown > 0 => Stop::Unknown,
        engine::Stop::Exhausted => Stop::Exhausted,
        engine::Stop::Depth => Stop::Depth,
        engine::Stop::Time => Stop::Time,
        engine::Stop::Runs => Stop::Runs,
        engine::Stop::Interrupted => Stop::Interrupted,
        engine::Stop::Memory => Stop::Memory,
        engine::Stop::Unsupported => Stop::Unsupported,
    }
}

/// The solver's counts, with a zero for each layer that answered no query.
fn solver(of: &solve::Statistics) -> Solver {
    let idle = ["cache", "guess", "z3"].map(|it| (it.to_owned(), 0));
    let mut layers: BTreeMap<String, u64> = idle.into_iter().collect();
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    layers.extend(of.layers.iter().map(|it| (it.0.to_string(), count(*it.1))));
    Solver {
        queries: count(of.queries),
        sat: count(of.sat),
        unsat: count(of.unsat),
        unknown: count(of.unknown),
        layers,
    }
}

#[cfg(test)]
mod tests {
    use super::stop;
    use ::report::Stop;
    use solve::Statistics;

    #[test]
    fn questions_without_answers_are_not_exhausted() {
        let after = |of, unknown| stop(of, &Statistics { unknown, ..Statistics::default() });
        assert_eq!(after(engine::Stop::Exhausted, 0), Stop::Exhausted);
        assert_eq!(after(engine::Stop::Exhausted, 1), Stop::Unknown);
        assert_eq!(after(engine::Stop::Depth, 1), Stop::Depth);
    }
}
