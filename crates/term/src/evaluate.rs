//! The evaluation of expressions under a model. Each expression is evaluated once, at a cost in proportion to the
//! expressions that are reached.
//!
//! What operators compute is defined in `meaning`; this module has shortcuts for operators that select a part of a
//! term, which copy nothing.

use crate::constraint::{Constraint, Model};
use crate::expr::{Expr, ExprId, Exprs, Op};
use crate::fit_u32;
use crate::ground::{List, Term};
use crate::kind::Kind;
use crate::meaning;
use crate::order::{compare_items, list_rank};
use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Memory for evaluations that is kept from one to the next.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The index of each expression's value among the values.
    places: FxHashMap<ExprId, u32>,
    todo: Vec<ExprId>,
}

/// An evaluation under one model. Not recursive, since nested `tail` operators are as deep as a list is long.
pub(crate) struct Evaluator<'a, 's> {
    exprs: &'a Exprs,
    model: &'a Model,
    scratch: &'s mut Scratch,
    values: Vec<Option<TermView<'a>>>,
}

/// A term, or the rest of a list after some cells.
#[derive(Clone, Debug)]
enum TermView<'a> {
    Whole(Cow<'a, Term>),
    /// Invariant: the index is below the number of items, and not 0.
    Rest(&'a List, usize),
}

impl<'a, 's> Evaluator<'a, 's> {
    pub(crate) fn new(exprs: &'a Exprs, model: &'a Model, scratch: &'s mut Scratch) -> Self {
        scratch.places.clear();
        Evaluator { exprs, model, scratch, values: Vec::with_capacity(64) }
    }

    pub(crate) fn value(&mut self, expr: ExprId) -> Option<Term> {
        self.get(expr).map(|it| it.term().into_owned())
    }

    pub(crate) fn holds(&mut self, constraint: Constraint) -> Option<bool> {
        let TermView::Whole(term) = self.get(constraint.expr)? else { return None };
        meaning::as_truth(term).map(|it| it == constraint.holds)
    }

    /// Returns the distance of the model from satisfying the constraint; 0 if the constraint holds.
    pub(crate) fn distance(&mut self, constraint: Constraint) -> f64 {
        if self.holds(constraint) == Some(true) {
            return 0.0;
        }
        let Some(Expr::Apply(op, args)) = self.exprs.get(constraint.expr) else { return MISFIT };
        match (op, &**args) {
            (Op::Not, [of]) => self.distance(Constraint { expr: *of, holds: !constraint.holds }),
            (Op::And | Op::Or, args) => {
                let is_all = (*op == Op::And) == constraint.holds;
                let each = args.iter().map(|it| Constraint { expr: *it, ..constraint });
                let each: Vec<f64> = each.map(|it| self.distance(it)).collect();
                if is_all {
                    each.into_iter().sum()
                } else {
                    each.into_iter().fold(MISFIT, f64::min)
                }
            }
            (Op::Same | Op::Equal, [test, truth]) if let Some(wanted) = self.truth_of(*truth) => {
                let holds = wanted == constraint.holds;
                self.distance(Constraint { expr: *test, holds })
            }
            (Op::Same | Op::Equal | Op::Less | Op::LessEqual, [a, b]) => {
                let (a, b) = (self.value(*a), self.value(*b));
                let apart = a.zip(b).and_then(|(a, b)| apart(&a, &b));
                // On a logarithmic scale, so that a step counts at any distance.
                apart.map_or(MISFIT, |it| 1.0 + it.ln_1p())
            }
            _ => MISFIT,
        }
    }

    /// Returns the truth value of a constant.
    fn truth_of(&self, expr: ExprId) -> Option<bool> {
        meaning::as_truth(self.exprs.as_constant(expr)?)
    }

    pub(crate) fn n_values(&self) -> usize {
        self.values.len()
    }

    fn get(&mut self, expr: ExprId) -> Option<&TermView<'a>> {
        let mut todo = std::mem::take(&mut self.scratch.todo);
        todo.push(expr);
        while let Some(id) = todo.last().copied() {
            let before = todo.len();
            if let Some(Expr::Apply(_, args)) = self.exprs.get(id) {
                todo.extend(args.iter().filter(|it| !self.scratch.places.contains_key(it)));
            }
            if todo.len() > before {
                continue;
            }
            todo.pop();
            if !self.scratch.places.contains_key(&id) {
                let value = self.evaluate(id);
                let place = fit_u32(self.values.len());
                self.scratch.places.insert(id, place);
                self.values.push(value);
            }
        }
        self.scratch.todo = todo;
        self.known(expr)
    }

    fn known(&self, id: ExprId) -> Option<&TermView<'a>> {
        let place = *self.scratch.places.get(&id)?;
        self.values.get(place as usize)?.as_ref()
    }

    fn evaluate(&self, id: ExprId) -> Option<TermView<'a>> {
        match self.exprs.get(id)? {
            Expr::Var(var) => self.model.values.get(var).map(borrowed),
            Expr::Const(term) => Some(borrowed(term)),
            Expr::Apply(op, args) => match **args {
                [a] => apply(*op, &[self.known(a)?]),
                [a, b] => apply(*op, &[self.known(a)?, self.known(b)?]),
                _ => {
                    let args: Option<Vec<&TermView<'a>>> =
                        args.iter().map(|it| self.known(*it)).collect();
                    apply(*op, &args?)
                }
            },
        }
    }
}

/// The distance of a constraint that is not about numbers.
const MISFIT: f64 = 100.0;

/// Returns the difference of two numbers; for floats, the number of floats between them.
fn apart(a: &Term, b: &Term) -> Option<f64> {
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return a.abs_diff(b).to_f64();
    }
    let as_float = |it: &Term| match meaning::apply(Op::ToFloat, &[it]) {
        Some(Term::Float(float)) => Some(float),
        _ => None,
    };
    let is_float = [a, b].iter().any(|it| matches!(it, Term::Float(_)));
    let (a, b) = (as_float(a)?, as_float(b)?);
    if is_float { place_of(a).abs_diff(place_of(b)).to_f64() } else { Some((a - b).abs()) }
}

/// Returns the rank of a float among all floats; both zeros have the rank 0.
pub fn place_of(float: f64) -> i64 {
    let bits = (float.to_bits() & (u64::MAX >> 1)).cast_signed();
    if float.is_sign_negative() { -bits } else { bits }
}

/// Returns the float with this rank, which may be beyond the largest one.
pub fn float_at(place: i64) -> f64 {
    let float = f64::from_bits(place.unsigned_abs());
    if place < 0 { -float } else { float }
}

fn apply<'a>(op: Op, args: &[&TermView<'a>]) -> Option<TermView<'a>> {
    match (op, args) {
        (Op::Head, [list]) => list.head(),
        (Op::Tail, [list]) => list.tail(),
        (Op::Element(place), [tuple]) => tuple.element(place as usize),
        (Op::IsKind(kind), [of]) => Some(truth(of.is(kind))),
        (Op::Same, [left, right]) => Some(truth(left.compare(right, Term::cmp_exact).is_eq())),
        (Op::Equal, [left, right]) => Some(truth(left.compare(right, Term::cmp_value).is_eq())),
        (Op::Less, [left, right]) => Some(truth(left.compare(right, Term::cmp_value).is_lt())),
        (Op::LessEqual, [left, right]) => Some(truth(left.compare(right, Term::cmp_value).is_le())),
        // A part that an expression shares occurs repeatedly in its value.
        (Op::Tuple | Op::Cons | Op::Put, args) if !fits(args) => None,
        (op, [a]) => whole(meaning::apply(op, &[&a.term()])),
        (op, [a, b]) => whole(meaning::apply(op, &[&a.term(), &b.term()])),
        (op, args) => {
            let terms: Vec<Cow<'_, Term>> = args.iter().map(|it| it.term()).collect();
            let terms: Vec<&Term> = terms.iter().map(|it| &**it).collect();
            whole(meaning::apply(op, &terms))
        }
    }
}

/// Larger values are not built.
const MAX_BYTES: usize = 1 << 24;

/// Whether a value of these parts is small enough to be built.
fn fits(args: &[&TermView<'_>]) -> bool {
    let mut left = MAX_BYTES;
    args.iter().all(|it| match it {
        TermView::Whole(Cow::Borrowed(Term::Int(_) | Term::Atom(_) | Term::Nil)) => true,
        TermView::Whole(_) | TermView::Rest(..) => {
            let bytes = it.term().bytes();
            left = left.saturating_sub(bytes);
            left > 0
        }
    })
}

fn whole<'a>(term: Option<Term>) -> Option<TermView<'a>> {
    term.map(|it| TermView::Whole(Cow::Owned(it)))
}

fn truth<'a>(holds: bool) -> TermView<'a> {
    borrowed(if holds { &meaning::TRUE } else { &meaning::FALSE })
}

fn borrowed(term: &Term) -> TermView<'_> {
    TermView::Whole(Cow::Borrowed(term))
}

fn rest(list: &List, from: usize) -> TermView<'_> {
    if from < list.items.len() { TermView::Rest(list, from) } else { borrowed(&list.tail) }
}

impl<'a> TermView<'a> {
    fn term(&self) -> Cow<'_, Term> {
        match self {
            TermView::Whole(term) => Cow::Borrowed(term),
            TermView::Rest(list, from) => {
                let items = list.items.get(*from..).unwrap_or_default().to_vec();
                Cow::Owned(Term::list(items, list.tail.clone()))
            }
        }
    }

    fn is(&self, kind: Kind) -> bool {
        match self {
            TermView::Whole(term) => kind.has(term),
            TermView::Rest(..) => matches!(kind, Kind::Cons | Kind::List),
        }
    }

    fn head(&self) -> Option<TermView<'a>> {
        match self {
            TermView::Rest(list, from) => list.items.get(*from).map(borrowed),
            TermView::Whole(Cow::Borrowed(Term::List(list))) => list.items.first().map(borrowed),
            TermView::Whole(term) => whole(meaning::apply(Op::Head, &[term])),
        }
    }

    fn tail(&self) -> Option<TermView<'a>> {
        match self {
            TermView::Rest(list, from) => Some(rest(list, from + 1)),
            TermView::Whole(Cow::Borrowed(Term::List(list))) => Some(rest(list, 1)),
            TermView::Whole(term) => whole(meaning::apply(Op::Tail, &[term])),
        }
    }

    fn element(&self, place: usize) -> Option<TermView<'a>> {
        match self {
            TermView::Whole(Cow::Borrowed(Term::Tuple(items))) => items.get(place).map(borrowed),
            TermView::Whole(Cow::Owned(Term::Tuple(items))) => whole(items.get(place).cloned()),
            TermView::Whole(_) | TermView::Rest(..) => None,
        }
    }

    fn compare(&self, other: &TermView<'a>, by: fn(&Term, &Term) -> Ordering) -> Ordering {
        if let (TermView::Whole(left), TermView::Whole(right)) = (self, other) {
            return by(left, right);
        }
        match (self.cells(), other.cells()) {
            (Some(left), Some(right)) => compare_items(left, right, by),
            (left, right) => {
                let rank = |cells: Option<_>, seen: &TermView<'a>| match cells {
                    Some(_) => list_rank(None),
                    None => list_rank(Some(&seen.term())),
                };
                rank(left, self).cmp(&rank(right, other))
            }
        }
    }

    /// Returns the items and the tail of a list cell.
    fn cells(&self) -> Option<(&[Term], &Term)> {
        match self {
            TermView::Rest(list, from) => Some((list.items.get(*from..)?, &list.tail)),
            TermView::Whole(term) => {
                if let Term::List(list) = &**term {
                    Some((&list.items, &list.tail))
                } else {
                    None
                }
            }
        }
    }
}
