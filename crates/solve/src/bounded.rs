//! A layer that refuses queries whose expressions are too large for the layers below.
//!
//! The layers below follow the parts of values one by one, and arithmetic through every iteration of a loop. A value
//! made of 60 nested pairs with shared halves has 2^60 parts, and a sum of a million terms is too long to find numbers
//! for. Such a query is answered with `Unknown` at once.

use crate::{Answer, Query, Reason, Solver};

/// The maximal number of parts of one value; a shared part counts as often as it occurs.
const MAX_PARTS: u32 = 100_000;

/// The maximal depth of an expression: the number of operators between a variable and the constraint.
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

#[cfg(test)]
mod tests {
    use crate::{Answer, Chain, Effort, Query, Reason, Solver};
    use term::{Constraint, Domain, ExprId, Exprs, Model, Op, Term, Var};

    /// Asks whether values made from both variables can be equal.
    fn ask(made: impl Fn(&mut Exprs, ExprId) -> ExprId) -> Answer {
        let mut exprs = Exprs::default();
        let args = [Var(0), Var(1)].map(|it| exprs.var(it));
        let [a, b] = args.map(|it| made(&mut exprs, it));
        let constraints = [Constraint { expr: exprs.apply(Op::Same, &[a, b]), holds: true }];
        let hint = Model::of([Term::Int(1), Term::Int(2)]);
        let query = Query {
            exprs: &exprs,
            constraints: &constraints,
            hint: &hint,
            domain: &Domain::default(),
        };
        Chain::new(Effort::default()).solve(&query)
    }

    fn doubled(exprs: &mut Exprs, n: usize, of: ExprId) -> ExprId {
        (0..n).fold(of, |it, _| exprs.apply(Op::Tuple, &[it, it]))
    }

    #[test]
    fn values_that_share_their_parts_are_too_large_to_follow() {
        assert!(matches!(ask(|exprs, it| doubled(exprs, 5, it)), Answer::Sat(_)));
        assert_eq!(ask(|exprs, it| doubled(exprs, 60, it)), Answer::Unknown(Reason::TooHard));
    }

    #[test]
    fn long_sums_are_too_deep() {
        let sum = |exprs: &mut Exprs, of: ExprId| {
            let one = exprs.constant(Term::Int(1));
            (0..1_000_000).fold(of, |sum, _| exprs.apply(Op::Add, &[sum, one]))
        };
        assert_eq!(ask(sum), Answer::Unknown(Reason::TooHard));
    }
}
