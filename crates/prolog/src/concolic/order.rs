//! The standard order and identity of symbolic values.

use crate::concolic::convert::{expr_of, term_of};
use crate::concolic::look::AT_CODE;
use crate::concolic::recorder::TestPlace;
use crate::data::{AssumedEqual, FunctorId, Tag, Value, View, compare, same};
use crate::machine::Machine;
use std::cmp::Ordering;
use term::{ExprId, Op};

/// The number of pairs of structures after which pairs are looked up in a table of those already compared,
/// because terms may be cyclic or share subterms.
const MANY_PAIRS: usize = 1000;

/// A work list of pairs of subterms still to be compared.
#[derive(Default)]
pub(super) struct Pairs {
    pub(super) todo: Vec<(Value, Value)>,
    n_entered: usize,
    assumed: AssumedEqual,
}

impl Pairs {
    pub(super) fn of(a: Value, b: Value) -> Pairs {
        Pairs { todo: vec![(a, b)], ..Pairs::default() }
    }

    /// Adds the pairs of arguments of two structures with the same functor, the first arguments next.
    pub(super) fn enter(&mut self, machine: &Machine, a: Value, b: Value) {
        if a.same_word(b) {
            return;
        }
        self.n_entered += 1;
        if MANY_PAIRS < self.n_entered && !self.assumed.join(a.payload(), b.payload()) {
            return;
        }
        let (x, y) = (a.address(), b.address());
        let parts = (0..machine.atoms.arity(a.functor())).rev();
        let pair = |n: usize| (machine.heap.cell(x + n), machine.heap.cell(y + n));
        self.todo.extend(parts.map(pair));
    }
}

impl Machine {
    pub(crate) fn look_order(&mut self, a: Value, b: Value) {
        let place = self.here(0);
        self.look_order_at(place, a, b);
    }

    /// Records the comparisons that decide the order of two terms, up to the first difference.
    pub(super) fn look_order_at(&mut self, place: TestPlace, a: Value, b: Value) {
        let mut pairs = Pairs::of(a, b);
        while let Some((a, b)) = pairs.todo.pop() {
            let (a, b) = (self.heap.deref(a), self.heap.deref(b));
            if expr_of(a).is_some() && expr_of(a) == expr_of(b) {
                continue;
            }
            if expr_of(a).is_some() || expr_of(b).is_some() {
                self.look_top((place.0, place.1, place.2 + 8), a);
                self.look_top((place.0, place.1, place.2 + 10), b);
            }
            if let (View::Struct(f, _), View::Struct(g, _)) = (a.view(), b.view()) {
                if f != g {
                    return;
                }
                pairs.enter(self, a, b);
                continue;
            }
            let order = compare(&self.heap, &self.atoms, a, b);
            if rank(a) == rank(b) {
                self.look_less(place, a, b, order);
            }
            if order != Ordering::Equal {
                return;
            }
        }
    }

    fn look_less(&mut self, place: TestPlace, a: Value, b: Value, order: Ordering) {
        if expr_of(a).is_none() && expr_of(b).is_none() {
            return;
        }
        let (Some(x), Some(y)) = (self.expr_or_constant(a), self.expr_or_constant(b)) else {
            return;
        };
        let is_mixed = (a.tag() == Tag::Float) != (b.tag() == Tag::Float);
        self.record(|_, it| {
            // Atoms of one letter are ordered by their codes.
            let (x, y) = match (it.code_of_letter(x), it.code_of_letter(y)) {
                (Some(x), Some(y)) => (x, y),
                _ => (x, y),
            };
            let same = it.apply(if is_mixed { Op::Equal } else { Op::Same }, &[x, y]);
            it.test((place.0, place.1, place.2 + 2), same, order == Ordering::Equal);
            if order != Ordering::Equal {
                let less = it.apply(Op::Less, &[x, y]);
                it.test((place.0, place.1, place.2 + 3), less, order == Ordering::Less);
            }
        });
    }

    pub(super) fn expr_or_constant(&mut self, value: Value) -> Option<ExprId> {
        if let Some(expr) = expr_of(value) {
            return Some(expr);
        }
        let term = term_of(&self.heap, &self.atoms, value)?;
        self.recorder.as_mut().map(|it| it.exprs.constant(term))
    }

    pub(crate) fn look_identical(&mut self, a: Value, b: Value) {
        let place = self.here(0);
        self.look_identical_at(place, a, b);
    }

    /// Records the comparisons that decide the identity of two terms, up to the first difference.
    pub(super) fn look_identical_at(&mut self, place: TestPlace, a: Value, b: Value) {
        let mut pairs = Pairs::of(a, b);
        while let Some((a, b)) = pairs.todo.pop() {
            let (a, b) = (self.heap.deref(a), self.heap.deref(b));
            let place = (place.0, place.1, place.2 + u32::from(place.0 == AT_CODE));
            match (expr_of(a), expr_of(b)) {
                (Some(x), Some(y)) => {
                    let holds = same(&self.heap, &self.atoms, a, b);
                    if x != y {
                        self.look_same(place, x, y, holds);
                    }
                    if !holds {
                        return;
                    }
                    continue;
                }
                (Some(expr), None) if !b.is_var() => self.look_like(place, expr, a, b),
                (None, Some(expr)) if !a.is_var() => self.look_like(place, expr, b, a),
                (Some(_) | None, None) | (None, Some(_)) => {}
            }
            match (a.view(), b.view()) {
                (View::Struct(f, _), View::Struct(g, _)) if f == g => pairs.enter(self, a, b),
                _ if same(&self.heap, &self.atoms, a, b) => {}
                _ => return,
            }
        }
    }
}

/// Returns the rank of a value's kind: variables, numbers, the empty list, atoms, strings, compounds.
fn rank(value: Value) -> u8 {
    match value.view() {
        View::Var(_) => 0,
        View::Int(_) | View::Big(_) | View::Rational(_) | View::Float(_) => 1,
        View::Atom(_) if value.is_nil() => 2,
        View::Atom(_) => 3,
        View::Text(_) => 4,
        View::Struct(FunctorId::CONS, _) | View::Struct(..) => 5,
    }
}
