//! Numeric problems: the relations between numbers that are left of a query when the structure of the input is decided.

use term::{Op, Term};

/// A conjunction of rows about unknown numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Problem {
    pub unknowns: Vec<Unknown>,
    pub rows: Vec<Row>,
}

impl Problem {
    /// Whether the problem consists of integers, sums and multiples by constants only.
    pub(crate) fn is_linear(&self) -> bool {
        let is_known = |it: &Number| matches!(it, Number::Known(_));
        let is_linear = |it: &Row| match it {
            Row::Is(_, Op::Add | Op::Subtract | Op::Negate, _) | Row::Holds(..) => true,
            Row::Is(_, Op::Multiply, args) => args.iter().any(is_known),
            Row::Is(..) => false,
        };
        self.rows.iter().all(is_linear) && !self.unknowns.iter().any(|it| it.is_float)
    }
}

/// A number to be found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unknown {
    pub is_float: bool,
    /// The lower bound, and whether it is excluded; `high` likewise.
    pub low: Option<(Term, bool)>,
    pub high: Option<(Term, bool)>,
    pub excluded: Vec<Term>,
    /// The value in the run that the query came from.
    pub hint: Option<Term>,
}

/// The index of an unknown in its problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnknownId(pub usize);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    Known(Term),
    Unknown(UnknownId),
}

/// A relation between numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Row {
    /// The first number is the operator applied to the others.
    Is(Number, Op, Vec<Number>),
    /// The comparison has this truth value.
    Holds(Op, [Number; 2], bool),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Solution {
    /// A number for each unknown.
    Found(Vec<Term>),
    /// There is no solution.
    Nothing,
    GaveUp,
}

/// Solves numeric problems.
pub trait Numbers {
    /// Solves a problem. A solution may ignore some of the rows, so the caller must check it.
    fn find(&mut self, problem: &Problem) -> Solution;
}

/// A solver that always gives up.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNumbers;

impl Numbers for NoNumbers {
    fn find(&mut self, _: &Problem) -> Solution {
        Solution::GaveUp
    }
}
