//! The constraint solver: finds a model of the constraints of a query by a chain of small layers, each of which wraps
//! the next.
//!
//! Knows no program, path or site: every query can be written as text (`term::print_query`) and solved again. Only the
//! module `z3` names Z3. No model leaves [`Chain`] unchecked, and what is called unsatisfiable is so: where an encoding
//! cannot say the same as the constraints, it says less.

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
pub use numbers::{NoNumbers, Number, Numbers, Problem, Row, Solution, Unknown, UnknownId};
pub use sliced::Sliced;
pub use structure::Structure;
pub use z3::{Effort, Z3};

use term::{Constraint, Domain, Exprs, Model};

/// A conjunction of constraints to be solved.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    pub exprs: &'a Exprs,
    pub constraints: &'a [Constraint],
    /// The input of the run that the query came from. It satisfies all constraints but the last ones. Variables that a
    /// model does not mention keep their values from here.
    pub hint: &'a Model,
    /// The types that all variables together must belong to, besides the constraints.
    pub domain: &'a Domain,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Sat(Model),
    Unsat,
    /// The search postpones the flip and the report counts it; this is not an error.
    Unknown(Reason),
}

/// Why a query has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The solver gave up.
    TooHard,
    /// The encoding says less than the constraints, and its model does not satisfy them.
    WrongModel,
}

/// Solves queries.
pub trait Solver {
    fn solve(&mut self, query: &Query<'_>) -> Answer;

    /// Returns the cost of all answers so far; the unit is a run of a small program. This is an estimate that depends
    /// only on the queries, never on the time they took.
    fn cost(&self) -> u64 {
        0
    }
}

/// How many queries a layer answered, by their answers.
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
