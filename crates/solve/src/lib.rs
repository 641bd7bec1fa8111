//! From constraints to a model: a chain of small solvers, each wrapping the next.
//!
//! Knows no program, path or site: every query can be kept as text (`term::print_query`) and asked
//! again. Only `z3` names Z3.

mod bounded;
mod cached;
mod chain;
mod checked;
mod climb;
mod differences;
mod numbers;
mod sliced;
mod structure;
mod z3;

pub use bounded::Bounded;
pub use cached::Cached;
pub use chain::{Chain, Statistics};
pub use checked::Checked;
pub use numbers::{NoNumbers, Number, Numbers, Place, Problem, Row, Solution, Unknown};
pub use sliced::Sliced;
pub use structure::Structure;
pub use z3::{Effort, Z3};

use term::{Constraint, Domain, Exprs, Model};

/// All constraints must hold.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    pub exprs: &'a Exprs,
    pub constraints: &'a [Constraint],
    /// The input of the run that the query came from: it satisfies all constraints but the last
    /// ones. What the answer leaves out keeps its value from here.
    pub hint: &'a Model,
    /// What all variables together must belong to, besides the constraints.
    pub domain: &'a Domain,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Sat(Model),
    Unsat,
    /// Not an error: the search puts the flip aside and the report counts it.
    Unknown(Reason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The solver gave up.
    TooHard,
    /// The encoding says less than the constraints do, and the model shows it.
    WrongModel,
}

pub trait Solver {
    fn solve(&mut self, query: &Query<'_>) -> Answer;

    /// What all answers so far have cost, in runs of a small program; a rough figure, the same
    /// whenever the same is asked.
    fn cost(&self) -> u64 {
        0
    }
}

/// What a layer did with the queries that came to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub sat: usize,
    pub unsat: usize,
    pub unknown: usize,
}

impl Counts {
    pub(crate) fn all(self) -> usize {
        self.sat + self.unsat + self.unknown
    }
}
