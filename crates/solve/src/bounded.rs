//! Refuses queries whose expressions are too large for the layers below.
//!
//! Those follow the parts of values one by one, and arithmetic through every step of a loop: a value of 60
//! pairs that share their halves has more parts than anyone can follow, and a sum of a million terms is
//! more than numbers can be found for. Such a query is unknown at once.

use crate::{Answer, Query, Reason, Solver};

/// Parts of one value, where a part counts as often as the value holds it.
const MAX_PARTS: u32 = 100_000;

/// Steps from the input to what a constraint is about.
const MAX_DEPTH: u32 = 20_000;

#[derive(Debug)]
pub struct Bounded<S> {
    pub inner: S,
}

impl<S: Solver> Solver for Bounded<S> {
    fn solve(&mut self, query: &Query<'_>) -> Answer {
        let exprs = query.exprs;
        let fits = |expr| exprs.n_parts(expr) <= MAX_PARTS && exprs.depth(expr) <= MAX_DEPTH;
        if query.constraints.iter().all(|it| fits(it.expr)) {
            return self.inner.solve(query);
        }
        Answer::Unknown(Reason::TooHard)
    }

    fn cost(&self) -> u64 {
        self.inner.cost()
    }
}
