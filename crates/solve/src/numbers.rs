//! Relations between numbers: what is left of a query when its structure is decided.

use term::{Op, Term};

/// All rows must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Problem {
    pub unknowns: Vec<Unknown>,
    pub rows: Vec<Row>,
}

impl Problem {
    /// Whether all is about integers, sums and multiples.
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

/// A number that is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unknown {
    pub is_float: bool,
    /// Bounds, and whether they are excluded themselves.
    pub low: Option<(Term, bool)>,
    pub high: Option<(Term, bool)>,
    pub excluded: Vec<Term>,
    /// What it was in the run that the query came from.
    pub hint: Option<Term>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place(pub usize);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    Known(Term),
    Unknown(Place),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Row {
    /// The first is the operator applied to the others.
    Is(Number, Op, Vec<Number>),
    /// The comparison comes out like this.
    Holds(Op, [Number; 2], bool),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Solution {
    /// A number for each unknown.
    Found(Vec<Term>),
    /// There is none.
    Nothing,
    GaveUp,
}

pub trait Numbers {
    /// A solution may be of part of the rows only, and has to be checked.
    fn find(&mut self, problem: &Problem) -> Solution;
}

/// Finds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoNumbers;

impl Numbers for NoNumbers {
    fn find(&mut self, _: &Problem) -> Solution {
        Solution::GaveUp
    }
}
