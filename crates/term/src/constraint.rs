//! Constraints and their meaning: the value of an expression under a model.
//!
//! `value` *is* the language: a solver's encoding has to agree with it, and no model is believed
//! that it does not confirm. Knows nothing of how models are found.

use crate::expr::{Expr, ExprId, Exprs, Op, Var};
use crate::ground::{List, Term};
use crate::kind::Kind;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A test and the truth that it must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constraint {
    pub expr: ExprId,
    pub holds: bool,
}

/// An assignment. May leave out variables that do not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    pub values: BTreeMap<Var, Term>,
}

impl Model {
    /// The n-th term is the value of `Var(n)`.
    pub fn of(terms: impl IntoIterator<Item = Term>) -> Model {
        Model { values: (0..).map(Var).zip(terms).collect() }
    }
}

/// What the expression is under the model. `None`: it applies an operation outside its domain, or
/// the model leaves out a variable.
pub fn value(exprs: &Exprs, expr: ExprId, model: &Model) -> Option<Term> {
    Evaluator::new(exprs, model).get(expr).map(Seen::to_term)
}

/// Whether the test comes out as the constraint wants; `None` as for [`value`].
pub fn holds(exprs: &Exprs, constraint: Constraint, model: &Model) -> Option<bool> {
    Evaluator::new(exprs, model).holds(constraint)
}

/// Whether every constraint holds.
pub fn all_hold(exprs: &Exprs, constraints: &[Constraint], model: &Model) -> bool {
    let mut evaluator = Evaluator::new(exprs, model);
    constraints.iter().all(|it| evaluator.holds(*it) == Some(true))
}

/// Evaluates each expression once. Without recursion: the tail of a tail is as deep as a list is
/// long.
struct Evaluator<'a> {
    exprs: &'a Exprs,
    model: &'a Model,
    values: Vec<Option<Option<Seen<'a>>>>,
}

/// A term, or what is left of a list after some cells; taking a list apart copies nothing.
#[derive(Clone, Debug)]
enum Seen<'a> {
    Whole(Cow<'a, Term>),
    /// Invariant: the number is below the length of the items and not 0.
    Rest(&'a List, usize),
}

impl<'a> Evaluator<'a> {
    fn new(exprs: &'a Exprs, model: &'a Model) -> Evaluator<'a> {
        Evaluator { exprs, model, values: vec![None; exprs.len()] }
    }

    fn holds(&mut self, constraint: Constraint) -> Option<bool> {
        let term = self.get(constraint.expr)?.to_term();
        match term.as_atom() {
            Some("true") => Some(constraint.holds),
            Some("false") => Some(!constraint.holds),
            _ => None,
        }
    }

    fn get(&mut self, expr: ExprId) -> Option<&Seen<'a>> {
        let mut todo = vec![expr];
        while let Some(id) = todo.last().copied() {
            let before = todo.len();
            if let Some(Expr::Apply(_, args)) = self.exprs.get(id) {
                todo.extend(args.iter().filter(|it| self.known(**it).is_none()));
            }
            if todo.len() > before {
                continue;
            }
            let value = self.evaluate(id);
            if let Some(slot) = self.values.get_mut(id.0 as usize) {
                *slot = Some(value);
            }
            todo.pop();
        }
        self.known(expr)?.as_ref()
    }

    fn known(&self, id: ExprId) -> Option<&Option<Seen<'a>>> {
        self.values.get(id.0 as usize)?.as_ref()
    }

    fn evaluate(&self, id: ExprId) -> Option<Seen<'a>> {
        match self.exprs.get(id)? {
            Expr::Var(var) => self.model.values.get(var).map(|it| Seen::Whole(Cow::Borrowed(it))),
            Expr::Const(term) => Some(Seen::Whole(Cow::Borrowed(term))),
            Expr::Apply(op, args) => {
                let args: Option<Vec<&Seen<'a>>> =
                    args.iter().map(|it| self.known(*it)?.as_ref()).collect();
                apply(*op, &args?)
            }
        }
    }
}

fn apply<'a>(op: Op, args: &[&Seen<'a>]) -> Option<Seen<'a>> {
    match (op, args) {
        (Op::Head, [list]) => list.head(),
        (Op::Tail, [list]) => list.tail(),
        (Op::Element(place), [tuple]) => tuple.element(place as usize),
        (Op::Cons, [head, tail]) => Some(owned(Term::list(vec![head.to_term()], tail.to_term()))),
        (Op::Tuple, items) => {
            Some(owned(Term::Tuple(items.iter().map(|it| it.to_term()).collect())))
        }
        (Op::IsKind(kind), [of]) => Some(truth(of.is(kind))),
        (Op::IsTuple(arity), [of]) => {
            let is = |it: &Term| it.as_tuple().is_some_and(|it| it.len() == arity as usize);
            Some(truth(matches!(of, Seen::Whole(term) if is(term))))
        }
        (Op::Add, [left, right]) => arithmetic(left, right, |a, b| a + b, |a, b| a + b),
        (Op::Subtract, [left, right]) => arithmetic(left, right, |a, b| a - b, |a, b| a - b),
        (Op::Multiply, [left, right]) => arithmetic(left, right, |a, b| a * b, |a, b| a * b),
        (Op::Same, [left, right]) => {
            Some(truth(left.to_term().cmp_exact(&right.to_term()).is_eq()))
        }
        (Op::Equal, [left, right]) => Some(truth(order(left, right).is_eq())),
        (Op::Less, [left, right]) => Some(truth(order(left, right).is_lt())),
        (Op::LessEqual, [left, right]) => Some(truth(order(left, right).is_le())),
        _ => None,
    }
}

fn order(left: &Seen<'_>, right: &Seen<'_>) -> Ordering {
    left.to_term().cmp_value(&right.to_term())
}

fn owned<'a>(term: Term) -> Seen<'a> {
    Seen::Whole(Cow::Owned(term))
}

fn truth<'a>(holds: bool) -> Seen<'a> {
    owned(Term::atom(if holds { "true" } else { "false" }))
}

impl<'a> Seen<'a> {
    fn to_term(&self) -> Term {
        match self {
            Seen::Whole(term) => term.as_ref().clone(),
            Seen::Rest(list, from) => {
                Term::list(list.items.get(*from..).unwrap_or_default().to_vec(), list.tail.clone())
            }
        }
    }

    fn is(&self, kind: Kind) -> bool {
        match self {
            Seen::Whole(term) => kind.has(term),
            Seen::Rest(..) => matches!(kind, Kind::Cons | Kind::List),
        }
    }

    fn head(&self) -> Option<Seen<'a>> {
        match self {
            Seen::Rest(list, from) => list.items.get(*from).map(borrowed),
            Seen::Whole(Cow::Borrowed(Term::List(list))) => list.items.first().map(borrowed),
            Seen::Whole(Cow::Owned(Term::List(list))) => list.items.first().cloned().map(owned),
            Seen::Whole(_) => None,
        }
    }

    fn tail(&self) -> Option<Seen<'a>> {
        match self {
            Seen::Rest(list, from) => Some(rest(list, from + 1)),
            Seen::Whole(Cow::Borrowed(Term::List(list))) => Some(rest(list, 1)),
            Seen::Whole(Cow::Owned(Term::List(list))) => {
                let items = list.items.get(1..).unwrap_or_default().to_vec();
                Some(owned(Term::list(items, list.tail.clone())))
            }
            Seen::Whole(_) => None,
        }
    }

    fn element(&self, place: usize) -> Option<Seen<'a>> {
        match self {
            Seen::Whole(Cow::Borrowed(Term::Tuple(items))) => items.get(place).map(borrowed),
            Seen::Whole(Cow::Owned(Term::Tuple(items))) => items.get(place).cloned().map(owned),
            Seen::Whole(_) | Seen::Rest(..) => None,
        }
    }
}

fn borrowed(term: &Term) -> Seen<'_> {
    Seen::Whole(Cow::Borrowed(term))
}

fn rest(list: &List, from: usize) -> Seen<'_> {
    if from < list.items.len() { Seen::Rest(list, from) } else { borrowed(&list.tail) }
}

/// As Erlang computes: integers without bound, anything with a float in floats. `None` where
/// Erlang raises `badarith`.
fn arithmetic<'a>(
    left: &Seen<'a>,
    right: &Seen<'a>,
    of_integers: fn(BigInt, BigInt) -> BigInt,
    of_floats: fn(f64, f64) -> f64,
) -> Option<Seen<'a>> {
    let (left, right) = (left.to_term(), right.to_term());
    if let (Some(left), Some(right)) = (to_big(&left), to_big(&right)) {
        return Some(owned(Term::integer(of_integers(left, right))));
    }
    let res = of_floats(to_float(&left)?, to_float(&right)?);
    res.is_finite().then_some(owned(Term::Float(res)))
}

fn to_big(term: &Term) -> Option<BigInt> {
    if let Term::Big(value) = term {
        return Some((**value).clone());
    }
    term.as_int().map(BigInt::from)
}

fn to_float(term: &Term) -> Option<f64> {
    if let Term::Float(value) = term {
        return Some(*value);
    }
    to_big(term)?.to_f64().filter(|it| it.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Style, print, read_query};

    /// The value of the last expression of a query's text, with one variable.
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
