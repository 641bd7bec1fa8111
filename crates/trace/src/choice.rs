//! A choice: the decision that a run took at a site, and the expression that it looked at.
//!
//! A run records no constraints. The constraints of an alternative are derived when somebody wants to take it.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use term::{Constraint, ExprId, Exprs, Kind, Op, Term};

/// A place in the program where execution can continue in more than one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SiteId(pub u32);

/// A decision of a run. Invariant: exactly one alternative holds for the run's own input, and it is `taken`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub site: SiteId,
    pub taken: usize,
    pub looked: Looked,
}

/// What a choice looked at, which determines its alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looked {
    /// A test. Alternative 0: it holds; alternative 1: it does not.
    Test(ExprId),
    /// A value, compared with heads of which at most one matches. Alternative n: the n-th head matches; the last
    /// alternative: no head matches. The heads belong to the site and are shared by all its choices.
    Heads(ExprId, Arc<[Head]>),
    /// A pin: the run depends on this value in ways that are not followed symbolically. Alternative 0: the value is the
    /// recorded one; alternative 1: it is another.
    Pin(ExprId, Term),
}

/// A condition on the outermost constructor of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    Kind(Kind),
    Tuple(u32),
    Literal(Term),
}

impl Choice {
    pub fn n_alternatives(&self) -> usize {
        match &self.looked {
            Looked::Test(_) | Looked::Pin(..) => 2,
            Looked::Heads(_, heads) => heads.len() + 1,
        }
    }

    /// Returns the constraints under which the alternative is taken here.
    pub fn constraints(&self, exprs: &mut Exprs, alternative: usize) -> Vec<Constraint> {
        match &self.looked {
            Looked::Test(expr) => vec![Constraint { expr: *expr, holds: alternative == 0 }],
            Looked::Pin(of, value) => {
                let expr = Head::Literal(value.clone()).test(exprs, *of);
                vec![Constraint { expr, holds: alternative == 0 }]
            }
            Looked::Heads(of, heads) => match heads.get(alternative) {
                Some(head) => vec![Constraint { expr: head.test(exprs, *of), holds: true }],
                None => heads
                    .iter()
                    .map(|it| Constraint { expr: it.test(exprs, *of), holds: false })
                    .collect(),
            },
        }
    }
}

impl Head {
    fn test(&self, exprs: &mut Exprs, of: ExprId) -> ExprId {
        match self {
            Head::Kind(kind) => exprs.apply(Op::IsKind(*kind), &[of]),
            Head::Tuple(arity) => exprs.apply(Op::IsTuple(*arity), &[of]),
            Head::Literal(term) => {
                let literal = exprs.constant(term.clone());
                exprs.apply(Op::Same, &[of, literal])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use term::{Model, Var, all_hold, read_term};

    /// Checks which alternatives hold for an input.
    fn check(looked: fn(&mut Exprs) -> Looked, input: &str, expect: &[usize]) {
        let mut exprs = Exprs::default();
        let looked = looked(&mut exprs);
        let choice = Choice { site: SiteId(0), taken: 0, looked };
        let model = Model::of([read_term(input).expect("a term")]);
        let holds = |n: &usize| {
            let constraints = choice.constraints(&mut exprs, *n);
            all_hold(&exprs, &constraints, &model)
        };
        let found: Vec<usize> = (0..choice.n_alternatives()).filter(holds).collect();
        assert_eq!(found, expect, "{input}");
    }

    #[test]
    fn exactly_one_alternative_holds() {
        let test = |exprs: &mut Exprs| {
            let var = exprs.var(Var(0));
            Looked::Test(exprs.apply(Op::IsKind(Kind::List), &[var]))
        };
        check(test, "[]", &[0]);
        check(test, "x", &[1]);
        let heads = |exprs: &mut Exprs| {
            let heads = [Head::Literal(Term::Int(1)), Head::Tuple(2), Head::Kind(Kind::Cons)];
            Looked::Heads(exprs.var(Var(0)), heads.into())
        };
        check(heads, "1", &[0]);
        check(heads, "{1,2}", &[1]);
        check(heads, "[1]", &[2]);
        check(heads, "1.0", &[3]);
        check(heads, "{1}", &[3]);
    }
}
