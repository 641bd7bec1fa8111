//! Values as expressions: a value's own shadow, or what its parts' shadows make of it.

use crate::data::{Atoms, Heap, Value, View, to_term};
use crate::lift::own_expr;
use term::{ExprId, Exprs, Op, Term};

/// `None`: nested too deeply.
pub(super) fn expr_of(exprs: &mut Exprs, world: (&Heap, &Atoms), value: Value) -> Option<ExprId> {
    Some(part(exprs, world, value, 0)?.into_expr(exprs))
}

/// Whether the value or a part of it has a shadow. What is very large is looked at in part.
pub(crate) fn is_symbolic(heap: &Heap, value: Value) -> bool {
    if value.shadow().is_some() {
        return true;
    }
    if !is_compound(value) {
        return false;
    }
    let mut todo = vec![value];
    let mut n_left = MAX_SEEN;
    while let Some(value) = todo.pop() {
        if value.shadow().is_some() {
            return true;
        }
        let before = todo.len();
        heap.push_parts(value, &mut todo);
        let n_new = todo.len() - before;
        if n_left < n_new {
            return false;
        }
        n_left -= n_new;
    }
    false
}

const MAX_SEEN: usize = 100_000;

pub(super) fn is_compound(value: Value) -> bool {
    matches!(value.view(), View::Cons(_) | View::Tuple(..) | View::Map(_) | View::Fun(_))
}

enum Part {
    Ground(Term),
    Expr(ExprId),
}

const MAX_DEPTH: usize = 1000;

fn part(exprs: &mut Exprs, world: (&Heap, &Atoms), value: Value, depth: usize) -> Option<Part> {
    if let Some(expr) = own_expr(value) {
        return Some(Part::Expr(expr));
    }
    if depth > MAX_DEPTH {
        return None;
    }
    let (heap, atoms) = world;
    match value.view() {
        View::Cons(_) => return list(exprs, world, value, depth),
        View::Tuple(..) => {
            let elements = heap.elements(value).unwrap_or_default();
            let parts = elements.iter().map(|it| part(exprs, world, *it, depth + 1));
            let parts: Vec<Part> = parts.collect::<Option<_>>()?;
            if parts.iter().any(|it| matches!(it, Part::Expr(_))) {
                let args: Vec<ExprId> = parts.into_iter().map(|it| it.into_expr(exprs)).collect();
                return Some(Part::Expr(exprs.apply(Op::Tuple, &args)));
            }
        }
        View::Map(at) if is_symbolic(heap, value) => {
            let mut res = exprs.constant(Term::Map(vec![]));
            for (key, value) in heap.map_iter(at) {
                let key = part(exprs, world, key, depth + 1)?.into_expr(exprs);
                let value = part(exprs, world, value, depth + 1)?.into_expr(exprs);
                res = exprs.apply(Op::Put, &[key, value, res]);
            }
            return Some(Part::Expr(res));
        }
        View::Int(_)
        | View::Big(_)
        | View::Float(_)
        | View::Atom(_)
        | View::Nil
        | View::Map(_)
        | View::Bits(_)
        | View::Fun(_)
        | View::Pid(_)
        | View::Port(_)
        | View::Ref(_) => (),
    }
    to_term(heap, atoms, value).ok().map(Part::Ground)
}

fn list(exprs: &mut Exprs, world: (&Heap, &Atoms), value: Value, depth: usize) -> Option<Part> {
    let mut items = Vec::new();
    let mut rest = value;
    while let (None, Some((head, tail))) = (own_expr(rest), world.0.uncons(rest)) {
        items.push(part(exprs, world, head, depth + 1)?);
        rest = tail;
    }
    let mut res = part(exprs, world, rest, depth + 1)?;
    // Ground items at the end are one constant.
    let mut ground = Vec::new();
    while let Some(item) = items.pop() {
        match (item, res) {
            (Part::Ground(item), Part::Ground(tail)) => {
                ground.push(item);
                res = Part::Ground(tail);
            }
            (item, tail) => {
                ground.reverse();
                let tail = match tail {
                    Part::Ground(tail) => {
                        Part::Ground(Term::list(std::mem::take(&mut ground), tail))
                    }
                    Part::Expr(expr) => Part::Expr(expr),
                };
                let args = [item.into_expr(exprs), tail.into_expr(exprs)];
                res = Part::Expr(exprs.apply(Op::Cons, &args));
            }
        }
    }
    ground.reverse();
    Some(match res {
        Part::Ground(tail) => Part::Ground(Term::list(ground, tail)),
        Part::Expr(expr) => Part::Expr(expr),
    })
}

impl Part {
    fn into_expr(self, exprs: &mut Exprs) -> ExprId {
        match self {
            Part::Ground(term) => exprs.constant(term),
            Part::Expr(expr) => expr,
        }
    }
}
