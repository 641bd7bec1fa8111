//! How many inputs are tried at random, and which they are made of.
//!
//! Answers that take the solver long, and the lack of any, make room for tries: each costs a hundredth
//! of a question that nobody can answer.

use crate::mutate::Mutator;
use term::{Domain, Exprs};
use trace::Input;

#[derive(Debug)]
pub(crate) struct Tries<'a> {
    mutator: Mutator<'a>,
    /// What may still be spent, in runs of a small program.
    left: u64,
    /// Runs that went where none had been, by their number.
    notable: Vec<usize>,
}

/// Calls that take as long as all else that belongs to a run.
const CALLS: u64 = 100;

/// Choices of a question that take the solver ten times as long as a run.
const CHOICES: usize = 2;

/// What a question is worth that the solver gave up.
const GIVEN_UP: u64 = 1_500;

/// So much is put together before anything is tried.
const BATCH: u64 = 200;

/// Where nothing is wanted any more, one of so many tries is left.
const SELDOM: u64 = 8;

/// Of how many of the last notable runs one is taken at least every other time.
const LATEST: usize = 16;

/// Why something is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Because {
    /// So many choices were in a question.
    Asked(usize),
    GivenUp,
    /// Nothing is left to ask.
    End,
}

impl<'a> Tries<'a> {
    pub(crate) fn new(domain: &'a Domain, seed: u64) -> Tries<'a> {
        Tries { mutator: Mutator::new(domain, seed), left: 0, notable: Vec::new() }
    }

    pub(crate) fn allow(&mut self, because: Because, is_something_wanted: bool) {
        let more = match because {
            Because::Asked(n_choices) => (n_choices / CHOICES) as u64 + 1,
            Because::GivenUp => GIVEN_UP,
            Because::End => BATCH,
        };
        // What is wanted less is counted in parts.
        self.left += if is_something_wanted { more * SELDOM } else { more };
    }

    pub(crate) fn is_time(&self) -> bool {
        BATCH * SELDOM <= self.left
    }

    pub(crate) fn note(&mut self, run: usize) {
        self.notable.push(run);
    }

    pub(crate) fn learn(&mut self, exprs: &Exprs) {
        self.mutator.learn(exprs);
    }

    /// The next input to try; `None`: it is enough for now.
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

    /// What the last one has cost.
    pub(crate) fn spend(&mut self, reductions: u64) -> u64 {
        let cost = 1 + reductions / CALLS;
        self.left = self.left.saturating_sub(cost * SELDOM);
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
