//! The whole chain of layers, and the statistics of each.

use crate::{Answer, Bounded, Cached, Checked, Effort, Query, Sliced, Solver, Structure, Z3};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How many queries were asked, and which layers answered them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    pub queries: usize,
    pub sat: usize,
    pub unsat: usize,
    pub unknown: usize,
    /// How many queries each layer answered, by its name: `cache`, `guess` (the structure solver alone), `z3`.
    pub layers: BTreeMap<Cow<'static, str>, usize>,
}

impl Statistics {
    pub fn add(&mut self, other: &Statistics) {
        self.queries += other.queries;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        for (layer, n) in &other.layers {
            *self.layers.entry(layer.clone()).or_default() += n;
        }
    }
}

/// The cost of a query that Z3 answers, and of one that stays unknown; other queries cost 1.
const Z3_COST: usize = 50;
const UNKNOWN_COST: usize = 300;

/// The solver that the tool uses.
#[derive(Debug)]
pub struct Chain {
    layers: Checked<Sliced<Bounded<Structure<Cached<Z3>>>>>,
    pub statistics: Statistics,
}

impl Chain {
    pub fn new(effort: Effort) -> Chain {
        let inner = Bounded { inner: Structure::new(Cached::new(Z3::new(effort))) };
        Chain { layers: Checked::new(Sliced { inner }), statistics: Statistics::default() }
    }

    /// Returns the chain with a flag; while it is set, every query is answered with `Unknown` at once.
    pub fn halted_by(mut self, halt: &Arc<AtomicBool>) -> Chain {
        self.layers.inner.inner.inner.halt = Arc::clone(halt);
        self
    }
}

impl Solver for Chain {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        let before = self.asked();
        let answer = self.layers.solve(query);
        let after = self.asked();
        let counts = &mut self.statistics;
        counts.queries += 1;
        match &answer {
            Answer::Sat(_) => counts.sat += 1,
            Answer::Unsat => counts.unsat += 1,
            Answer::Unknown(_) => {
                counts.unknown += 1;
                return answer;
            }
        }
        let layer = match (after.0 > before.0, after.1 > before.1) {
            (true, _) => "z3",
            (false, true) => "cache",
            (false, false) => "guess",
        };
        *counts.layers.entry(Cow::Borrowed(layer)).or_default() += 1;
        answer
    }

    fn cost(&self) -> u64 {
        let Statistics { queries, unknown, layers, .. } = &self.statistics;
        let n_easy: usize = layers.iter().filter(|it| *it.0 != "z3").map(|it| it.1).sum();
        let n_hard = queries.saturating_sub(n_easy);
        (queries + Z3_COST * n_hard + UNKNOWN_COST * unknown) as u64
    }
}

impl Chain {
    /// Returns how often Z3 and the cache were asked.
    fn asked(&self) -> (usize, usize) {
        let cached = &self.layers.inner.inner.inner.numbers;
        (cached.inner.counts.all(), cached.counts.all())
    }
}
