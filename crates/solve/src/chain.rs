//! All layers in their order, and what each of them did.

use crate::{Answer, Checked, Effort, Guess, Query, Small, Solver, Structure, Z3};
use std::collections::BTreeMap;

/// What was asked, and who answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pub queries: usize,
    pub sat: usize,
    pub unsat: usize,
    pub unknown: usize,
    /// How many queries each layer settled, by its name: `cache`, `guess`, `z3`.
    pub layers: BTreeMap<&'static str, usize>,
}

/// What a query costs that comes to Z3, and one that nobody answers.
const HARD: usize = 20;
const HOPELESS: usize = 20;

/// The solver that the tool uses.
#[derive(Debug)]
pub struct Chain {
    layers: Checked<Structure<Small<Guess<Z3>>>>,
    pub statistics: Statistics,
}

impl Chain {
    pub fn new(effort: Effort) -> Chain {
        let layers =
            Checked { inner: Structure::new(Small { inner: Guess::new(Z3::new(effort)) }) };
        Chain { layers, statistics: Statistics::default() }
    }
}

impl Solver for Chain {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        let answer = self.layers.solve(query);
        let counts = &mut self.statistics;
        counts.queries += 1;
        match &answer {
            Answer::Sat(_) => counts.sat += 1,
            Answer::Unsat => counts.unsat += 1,
            Answer::Unknown(_) => counts.unknown += 1,
        }
        let structure = &self.layers.inner.counts;
        counts.layers.insert("guess", structure.sat + structure.unsat);
        answer
    }

    fn cost(&self) -> u64 {
        let Statistics { queries, unknown, layers, .. } = &self.statistics;
        let n_easy: usize = layers.iter().filter(|it| *it.0 != "z3").map(|it| it.1).sum();
        let n_hard = queries.saturating_sub(n_easy);
        (queries + HARD * n_hard + HOPELESS * unknown) as u64
    }
}
