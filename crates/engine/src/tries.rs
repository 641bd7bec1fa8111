//! The budget for random changes of inputs, and which past inputs are changed.
//!
//! The budget grows with the questions asked: the longer a question is, and most of all when the solver gives it up.
//! One try costs about as much as a run.

use crate::mutate::Mutator;
use term::{Domain, Exprs};
use trace::Input;

#[derive(Debug)]
pub(crate) struct Tries<'a> {
    mutator: Mutator<'a>,
    /// The remaining budget, in `1 / UNWANTED_DIVISOR` of a run of a small program.
    left: u64,
    /// The numbers of the runs with news.
    notable: Vec<usize>,
}

/// A try costs one run more for each of this many reductions.
const REDUCTIONS_PER_TRY: u64 = 100;

/// A question earns one try for each of this many choices in it.
const CHOICES_PER_TRY: usize = 2;

/// How many tries a question earns that the solver gave up on.
const GIVEN_UP_TRIES: u64 = 1_500;

/// How many tries are saved up before a batch of them is made.
const BATCH: u64 = 200;

/// The tries that a question earns are divided by this number when every wanted clause was entered.
const UNWANTED_DIVISOR: u64 = 8;

/// One of three picks is from this many of the last runs with news.
const LATEST: usize = 16;

/// Why tries are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TriesReason {
    /// A question with this many choices was asked.
    Asked(usize),
    GivenUp,
    /// No flip is left to ask.
    End,
}

impl<'a> Tries<'a> {
    pub(crate) fn new(domain: &'a Domain, seed: u64) -> Tries<'a> {
        Tries { mutator: Mutator::new(domain, seed), left: 0, notable: Vec::new() }
    }

    pub(crate) fn allow(&mut self, reason: TriesReason, is_something_wanted: bool) {
        let more = match reason {
            TriesReason::Asked(n_choices) => (n_choices / CHOICES_PER_TRY) as u64 + 1,
            TriesReason::GivenUp => GIVEN_UP_TRIES,
            TriesReason::End => BATCH,
        };
        // The budget counts in `1 / UNWANTED_DIVISOR` of a try.
        self.left += if is_something_wanted { more * UNWANTED_DIVISOR } else { more };
    }

    pub(crate) fn is_time(&self) -> bool {
        BATCH * UNWANTED_DIVISOR <= self.left
    }

    pub(crate) fn note(&mut self, run: usize) {
        self.notable.push(run);
    }

    pub(crate) fn learn(&mut self, exprs: &Exprs) {
        self.mutator.learn(exprs);
    }

    /// Returns the next input to try; `None` when the budget is used up.
    pub(crate) fn next(&mut self, inputs: &[Input]) -> Option<Input> {
        while 0 < self.left {
            let input = inputs.get(self.pick(inputs.len()))?;
            let other = inputs.get(self.pick(inputs.len()))?;
            if let Some(found) = self.mutator.change(input, other) {
                return Some(found);
            }
            self.spend(0);
        }
        None
    }

    /// Subtracts the cost of the last try from the budget, and returns that cost in runs.
    pub(crate) fn spend(&mut self, reductions: u64) -> u64 {
        let cost = cost(reductions);
        self.left = self.left.saturating_sub(cost * UNWANTED_DIVISOR);
        cost
    }

    fn pick(&mut self, n_inputs: usize) -> usize {
        let n = self.notable.len();
        let at = match self.mutator.below(3) {
            0 => return self.mutator.below(n_inputs),
            1 => n.saturating_sub(1 + self.mutator.below(n.min(LATEST))),
            _ => self.mutator.below(n),
        };
        self.notable.get(at).copied().unwrap_or(0)
    }
}

/// Returns the cost of a try that used this many reductions, in runs.
pub(crate) fn cost(reductions: u64) -> u64 {
    1 + reductions / REDUCTIONS_PER_TRY
}
