//! What an exploration found, as plain data. Knows no language and prints nothing.

use serde::{Deserialize, Serialize};
use solve::Statistics;
use std::collections::{BTreeMap, BTreeSet};
use trace::{ClauseId, Covered, Input, Outcome, SiteId};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// One for each path that was taken, in the order in which they were found.
    pub tests: Vec<Test>,
    pub n_runs: usize,
    /// What came of the inputs of each source, by its name.
    pub sources: BTreeMap<String, Yield>,
    /// What runs and answers of the solver have cost, in runs of a small program.
    pub spent: u64,
    pub solver: Statistics,
    /// What the symbolic half could not follow, and how often.
    pub losses: BTreeMap<String, usize>,
    /// Runs that did not take the way that their input was made for.
    pub n_diverged: usize,
    /// Schedules that came to a place from where all had been seen.
    pub n_in_vain: usize,
    pub covered: Covered,
    /// For each covered clause, the first input whose run entered it.
    pub covering: BTreeMap<ClauseId, Input>,
    /// Grows with every run that went where none had been: a new alternative of a choice, a new
    /// clause, a new way to fail.
    pub n_news: usize,
    pub stop: Stop,
    /// Choices with an alternative that no run took because the solver gave up.
    pub given_up: BTreeSet<SiteId>,
    /// Why our own machinery could not go on.
    pub trouble: Option<String>,
    /// It stopped because there was no news for long, not because a number was reached.
    pub is_saturated: bool,
}

/// What came of the inputs of one source: seeds, flips, or changes at random.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Yield {
    pub runs: usize,
    /// Runs that found something new: a new alternative of a choice, a new clause, a new way to fail.
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
    /// It went where no run had been before it.
    pub is_news: bool,
    /// The clauses that it entered, if it went somewhere new.
    pub covered: Covered,
}

/// Why the exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Stop {
    /// Every way was taken, proved impossible, or given up by the solver.
    #[default]
    Exhausted,
    /// All within the depth was looked at, and there is more beyond.
    Depth,
    Time,
    Runs,
    Interrupted,
    /// What the search keeps of its runs takes as much memory as it may.
    Memory,
    /// The program does what the machine can't.
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
    /// Adds what a run of the input entered; whether some of it is new.
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

    /// Whether nothing was left out: no budget, no loss, no question without an answer.
    pub fn is_complete(&self) -> bool {
        self.stop == Stop::Exhausted && self.losses.is_empty() && self.solver.unknown == 0
    }
}
