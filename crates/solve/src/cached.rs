//! A cache of the solutions of numeric problems.
//!
//! Different paths often leave the same relations between numbers once the structure of the input is decided.

use crate::Counts;
use crate::numbers::{Numbers, Problem, Solution};
use rustc_hash::FxHashMap;

#[derive(Debug)]
pub struct Cached<N> {
    pub inner: N,
    pub counts: Counts,
    known: FxHashMap<Problem, Solution>,
}

/// The cache is cleared when it has this many entries.
const MAX_KNOWN: usize = 50_000;

impl<N> Cached<N> {
    pub fn new(inner: N) -> Cached<N> {
        Cached { inner, counts: Counts::default(), known: FxHashMap::default() }
    }
}

impl<N: Numbers> Numbers for Cached<N> {
    fn find(&mut self, problem: &Problem) -> Solution {
        if let Some(known) = self.known.get(problem) {
            match known {
                Solution::Found(_) => self.counts.sat += 1,
                Solution::Nothing => self.counts.unsat += 1,
                Solution::GaveUp => self.counts.unknown += 1,
            }
            return known.clone();
        }
        let found = self.inner.find(problem);
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        self.known.insert(problem.clone(), found.clone());
        found
    }
}
