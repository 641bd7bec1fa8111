//! What an exploration found, as plain data. Knows no language and prints nothing.

use serde::{Deserialize, Serialize};
use solve::Statistics;
use std::collections::{BTreeMap, BTreeSet};
use trace::{ClauseId, Covered, Input, Outcome, SiteId};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// One test for each path that was taken, in the order in which they were found.
    pub tests: Vec<Test>,
    pub n_runs: usize,
    /// The number of runs and of runs with news for each source of inputs, by the source's name.
    pub sources: BTreeMap<String, Yield>,
    /// The effort of runs and solving; the unit is a run of a small program.
    pub spent: u64,
    pub solver: Statistics,
    /// What the symbolic half could not follow, and how often.
    pub losses: BTreeMap<String, usize>,
    /// Runs that did not take the path that their input was made for.
    pub n_diverged: usize,
    /// Executions of the schedule search that ended early because all their continuations were explored already.
    pub n_in_vain: usize,
    pub covered: Covered,
    /// For each covered clause, the first input whose run entered it.
    pub covering: BTreeMap<ClauseId, Input>,
    /// The number of runs with news: a new alternative of a choice, a new clause, or a new way to fail.
    pub n_news: usize,
    pub stop: Stop,
    /// Sites with an alternative that no run took because the solver gave up.
    pub given_up: BTreeSet<SiteId>,
    /// Why our own machinery failed.
    pub trouble: Option<String>,
    /// The exploration stopped for lack of news, not because a limit was reached.
    pub is_saturated: bool,
}

/// How productive one source of inputs was: seeds, a source of flips, or random changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Yield {
    pub runs: usize,
    /// The number of runs with news: a new alternative of a choice, a new clause, or a new way to fail.
    pub news: usize,
}

impl Yield {
    pub fn add(&mut self, other: Yield) {
        self.runs += other.runs;
        self.news += other.news;
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Test {
    pub input: Input,
    pub outcome: Outcome,
    /// Whether the run had news.
    pub is_news: bool,
    /// The clauses that the run entered, if it had news; empty otherwise.
    pub covered: Covered,
}

/// Why the exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Stop {
    /// Every alternative was taken, proved infeasible, or given up by the solver.
    #[default]
    Exhausted,
    /// Every flip within the depth limit was tried, and there are more beyond it.
    Depth,
    Time,
    Runs,
    Interrupted,
    /// The search used up the memory for its runs.
    Memory,
    /// The program does something that the machine does not support.
    Unsupported,
}

impl Stop {
    pub fn name(self) -> &'static str {
        match self {
            Stop::Exhausted => "exhausted",
            Stop::Depth => "depth",
            Stop::Time => "time",
            Stop::Runs => "runs",
            Stop::Interrupted => "interrupted",
            Stop::Memory => "memory",
            Stop::Unsupported => "unsupported",
        }
    }
}

impl Report {
    /// Adds the clauses that a run entered; returns whether some of them are new.
    pub fn cover(&mut self, covered: &Covered, input: &Input) -> bool {
        let is_news = self.covered.lacks_some_of(covered);
        if is_news {
            for clause in covered.iter().filter(|it| !self.covered.has(*it)) {
                self.covering.insert(clause, input.clone());
            }
            self.covered.add(covered);
        }
        is_news
    }

    /// Whether the exploration was exhaustive: no limit was reached, nothing was lost, and every question was answered.
    pub fn is_complete(&self) -> bool {
        self.stop == Stop::Exhausted && self.losses.is_empty() && self.solver.unknown == 0
    }
}
