//! Values as expressions: a value's own shadow, or what its parts' shadows make of it.

use crate::lift::own_expr;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{ExprId, Exprs, Op, Term};
use values::{Atoms, Heap, Value, View, to_term};

/// `None`: nested too deeply, or with too many parts.
pub(super) fn expr_of(exprs: &mut Exprs, world: (&Heap, &Atoms), value: Value) -> Option<ExprId> {
    let mut express = Express { exprs, world, known: FxHashMap::default(), n_left: MAX_PARTS };
    let found = express.part(value, 0)?;
    Some(found.into_expr(express.exprs))
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
    // Terms that share their parts have exponentially many more paths than parts.
    let mut seen: FxHashSet<u64> = FxHashSet::default();
    while let Some(value) = todo.pop() {
        if value.shadow().is_some() {
            return true;
        }
        if n_left < MAX_SEEN - MANY && is_compound(value) && !seen.insert(value.address().0) {
            continue;
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

/// Who has seen so many parts remembers the others.
const MANY: usize = 10_000;

pub(super) fn is_compound(value: Value) -> bool {
    matches!(value.view(), View::Cons(_) | View::Tuple(..) | View::Map(_) | View::Fun(_))
}

enum Part {
    Ground(Term),
    Expr(ExprId),
}

const MAX_DEPTH: usize = 1000;

/// A part that a value holds more than once counts once if it is symbolic.
const MAX_PARTS: usize = 1_000_000;

struct Express<'a> {
    exprs: &'a mut Exprs,
    world: (&'a Heap, &'a Atoms),
    /// Symbolic objects by their place in the heap.
    known: FxHashMap<u64, ExprId>,
    n_left: usize,
}

impl Express<'_> {
    fn part(&mut self, value: Value, depth: usize) -> Option<Part> {
        if let Some(expr) = own_expr(value) {
            return Some(Part::Expr(expr));
        }
        self.n_left = self.n_left.checked_sub(1)?;
        if depth > MAX_DEPTH {
            return None;
        }
        if !is_compound(value) {
            return self.ground(value);
        }
        let place = value.address().0;
        if let Some(known) = self.known.get(&place) {
            return Some(Part::Expr(*known));
        }
        let found = self.compound(value, depth)?;
        if let Part::Expr(expr) = found {
            self.known.insert(place, expr);
        }
        Some(found)
    }

    fn ground(&self, value: Value) -> Option<Part> {
        let (heap, atoms) = self.world;
        to_term(heap, atoms, value).ok().map(Part::Ground)
    }

    fn compound(&mut self, value: Value, depth: usize) -> Option<Part> {
        let (heap, _) = self.world;
        match value.view() {
            View::Cons(_) => self.list(value, depth),
            View::Tuple(..) => {
                let elements = heap.elements(value).unwrap_or_default();
                let parts = elements.iter().map(|it| self.part(*it, depth + 1));
                let parts: Vec<Part> = parts.collect::<Option<_>>()?;
                if parts.iter().any(|it| matches!(it, Part::Expr(_))) {
                    let args = parts.into_iter().map(|it| it.into_expr(self.exprs));
                    let args: Vec<ExprId> = args.collect();
                    return Some(Part::Expr(self.exprs.apply(Op::Tuple, &args)));
                }
                let term = |it| if let Part::Ground(term) = it { Some(term) } else { None };
                Some(Part::Ground(Term::Tuple(parts.into_iter().filter_map(term).collect())))
            }
            View::Map(at) if is_symbolic(heap, value) => {
                let mut res = self.exprs.constant(Term::Map(vec![]));
                for (key, value) in heap.map_iter(at) {
                    let key = self.part(key, depth + 1)?.into_expr(self.exprs);
                    let value = self.part(value, depth + 1)?.into_expr(self.exprs);
                    res = self.exprs.apply(Op::Put, &[key, value, res]);
                }
                Some(Part::Expr(res))
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
            | View::Ref(_) => self.ground(value),
        }
    }

    fn list(&mut self, value: Value, depth: usize) -> Option<Part> {
        let mut items = Vec::new();
        let mut rest = value;
        while let (None, Some((head, tail))) = (own_expr(rest), self.world.0.uncons(rest)) {
            items.push(self.part(head, depth + 1)?);
            rest = tail;
        }
        let mut res = self.part(rest, depth + 1)?;
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
                    let args = [item.into_expr(self.exprs), tail.into_expr(self.exprs)];
                    res = Part::Expr(self.exprs.apply(Op::Cons, &args));
                }
            }
        }
        ground.reverse();
        Some(match res {
            Part::Ground(tail) => Part::Ground(Term::list(ground, tail)),
            Part::Expr(expr) => Part::Expr(expr),
        })
    }
}

impl Part {
    fn into_expr(self, exprs: &mut Exprs) -> ExprId {
        match self {
            Part::Ground(term) => exprs.constant(term),
            Part::Expr(expr) => expr,
        }
    }
}
