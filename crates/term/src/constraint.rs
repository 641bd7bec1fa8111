//! Constraints and their meaning: the value of an expression under a model.
//!
//! Every model is checked here. What each operator computes is defined in `meaning`; this module does not know how
//! models are found.

use crate::evaluate::{Evaluator, Scratch};
use crate::expr::{ExprId, Exprs, Var};
use crate::ground::Term;
use std::collections::BTreeMap;

/// A test and the truth value that it must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constraint {
    pub expr: ExprId,
    pub holds: bool,
}

/// An assignment of values to variables. Variables that do not matter may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    pub values: BTreeMap<Var, Term>,
}

impl Model {
    /// Returns the model in which the n-th term is the value of `Var(n)`.
    pub fn of(terms: impl IntoIterator<Item = Term>) -> Model {
        Model { values: (0..).map(Var).zip(terms).collect() }
    }
}

/// Returns the value of the expression under the model; `None` if it applies an operation outside of its domain or the
/// model lacks a variable.
pub fn value(exprs: &Exprs, expr: ExprId, model: &Model) -> Option<Term> {
    Evaluator::new(exprs, model, &mut Scratch::default()).value(expr)
}

/// Whether the constraint holds; `None` as for [`value`].
pub fn holds(exprs: &Exprs, constraint: Constraint, model: &Model) -> Option<bool> {
    Evaluator::new(exprs, model, &mut Scratch::default()).holds(constraint)
}

/// Whether every constraint holds.
pub fn all_hold(exprs: &Exprs, constraints: &[Constraint], model: &Model) -> bool {
    Scratch::default().all_hold(exprs, constraints, model)
}

impl Scratch {
    /// Whether every constraint holds; reuses memory between calls.
    pub fn all_hold(&mut self, exprs: &Exprs, constraints: &[Constraint], model: &Model) -> bool {
        let mut evaluator = Evaluator::new(exprs, model, self);
        constraints.iter().all(|it| evaluator.holds(*it) == Some(true))
    }

    /// Returns how far the model is from satisfying all constraints, and how many expressions were evaluated. The
    /// distance is 0 if the model satisfies them; compared numbers contribute their difference. The computation may
    /// stop when the distance exceeds `at_most`.
    pub fn distance(
        &mut self,
        exprs: &Exprs,
        constraints: &[Constraint],
        model: &Model,
        at_most: f64,
    ) -> (f64, usize) {
        let mut evaluator = Evaluator::new(exprs, model, self);
        let mut res = 0.0;
        for constraint in constraints {
            res += evaluator.distance(*constraint);
            if res > at_most {
                break;
            }
        }
        (res, evaluator.n_values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Op;
    use crate::{Style, print, read_query};

    /// Checks the value of the last expression of a query's text with one variable.
    fn check(exprs: &str, input: &str, expect: &str) {
        let query = read_query(exprs).expect("a query");
        let last = ExprId(u32::try_from(query.exprs.len()).expect("few") - 1);
        let model = Model::of([crate::read_term(input).expect("a term")]);
        let found = value(&query.exprs, last, &model);
        let found = found.map_or("undefined".to_owned(), |it| print(&it, Style::TW));
        assert_eq!(found, expect, "{exprs} of {input}");
    }

    #[test]
    fn parts() {
        check("%0 = var 0\n%1 = head %0", "[1,2]", "1");
        check("%0 = var 0\n%1 = tail %0", "[1,2]", "[2]");
        check("%0 = var 0\n%1 = tail %0\n%2 = tail %1", "[1,2|x]", "x");
        check("%0 = var 0\n%1 = tail %0\n%2 = head %1", "[1,2|x]", "2");
        check("%0 = var 0\n%1 = tail %0\n%2 = is:cons %1", "[1,2|x]", "true");
        check("%0 = var 0\n%1 = head %0", "[]", "undefined");
        check("%0 = var 0\n%1 = element:1 %0", "{a,{b}}", "{b}");
        check("%0 = var 0\n%1 = element:2 %0", "{a,{b}}", "undefined");
        check("%0 = var 0\n%1 = tuple %0 %0\n%2 = element:1 %1", "7", "7");
        check("%0 = var 0\n%1 = cons %0 %0\n%2 = tail %1", "[7]", "[7]");
    }

    #[test]
    fn order_is_between_all_terms_and_numbers_compare_by_value() {
        let less = "%0 = var 0\n%1 = const 42\n%2 = less %0 %1";
        check(less, "41.5", "true");
        check(less, "42.0", "false");
        check(less, "a", "false");
        let equal = "%0 = var 0\n%1 = const 42\n%2 = equal %0 %1";
        check(equal, "42.0", "true");
        check(&equal.replace("equal", "same"), "42.0", "false");
    }

    #[test]
    fn arithmetic_has_a_domain() {
        let add = "%0 = var 0\n%1 = const 9223372036854775807\n%2 = add %0 %1";
        check(add, "1", "9223372036854775808");
        check(add, "a", "undefined");
        let square = "%0 = var 0\n%1 = multiply %0 %0";
        check(square, "1.0e200", "undefined");
        check(square, "-1.5", "2.25");
    }

    #[test]
    fn a_long_list_needs_no_stack_and_no_copies() {
        let mut exprs = Exprs::default();
        let mut at = exprs.var(Var(0));
        let n = 20_000;
        for _ in 0..n {
            at = exprs.apply(Op::Tail, &[at]);
        }
        let model = Model::of([Term::proper_list((0..=n).map(Term::Int).collect())]);
        assert_eq!(value(&exprs, at, &model), Some(Term::proper_list(vec![Term::Int(n)])));
    }
}
