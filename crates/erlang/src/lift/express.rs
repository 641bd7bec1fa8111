//! Converts values to expressions: the expression of a value is its own shadow, or a constructor applied to the
//! expressions of its parts.

use crate::lift::own_expr;
use rustc_hash::{FxHashMap, FxHashSet};
use term::{ExprId, Exprs, Op, Term};
use values::{Atoms, Heap, Value, View, to_term};

/// The expression of a value; `None` if the value is nested too deeply or has too many parts.
pub(super) fn expr_of(exprs: &mut Exprs, world: (&Heap, &Atoms), value: Value) -> Option<ExprId> {
    let mut express = ExprBuilder { exprs, world, known: FxHashMap::default(), n_left: MAX_PARTS };
    let found = express.part(value, 0)?;
    Some(found.into_expr(express.exprs))
}

/// Whether the value or a part of it has a shadow. At most [`MAX_SEEN`] parts are examined.
pub(crate) fn is_symbolic(heap: &Heap, value: Value) -> bool {
    if value.shadow().is_some() {
        return true;
    }
    if !is_compound(value) {
        return false;
    }
    let mut todo = vec![value];
    let mut n_left = MAX_SEEN;
    // Terms with shared parts have exponentially more paths than parts.
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

/// The number of parts after which visited objects are remembered, so that shared parts are not examined again.
const MANY: usize = 10_000;

pub(super) fn is_compound(value: Value) -> bool {
    matches!(value.view(), View::Cons(_) | View::Tuple(..) | View::Map(_) | View::Fun(_))
}

enum Expressed {
    Ground(Term),
    Expr(ExprId),
}

const MAX_DEPTH: usize = 1000;

/// The maximum number of parts; shared symbolic parts count once.
const MAX_PARTS: usize = 1_000_000;

struct ExprBuilder<'a> {
    exprs: &'a mut Exprs,
    world: (&'a Heap, &'a Atoms),
    /// The expressions of symbolic objects, by heap address.
    known: FxHashMap<u64, ExprId>,
    n_left: usize,
}

impl ExprBuilder<'_> {
    fn part(&mut self, value: Value, depth: usize) -> Option<Expressed> {
        if let Some(expr) = own_expr(value) {
            return Some(Expressed::Expr(expr));
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
            return Some(Expressed::Expr(*known));
        }
        let found = self.compound(value, depth)?;
        if let Expressed::Expr(expr) = found {
            self.known.insert(place, expr);
        }
        Some(found)
    }

    fn ground(&self, value: Value) -> Option<Expressed> {
        let (heap, atoms) = self.world;
        to_term(heap, atoms, value).ok().map(Expressed::Ground)
    }

    fn compound(&mut self, value: Value, depth: usize) -> Option<Expressed> {
        let (heap, _) = self.world;
        match value.view() {
            View::Cons(_) => self.list(value, depth),
            View::Tuple(..) => {
                let elements = heap.elements(value).unwrap_or_default();
                let parts = elements.iter().map(|it| self.part(*it, depth + 1));
                let parts: Vec<Expressed> = parts.collect::<Option<_>>()?;
                if parts.iter().any(|it| matches!(it, Expressed::Expr(_))) {
                    let args = parts.into_iter().map(|it| it.into_expr(self.exprs));
                    let args: Vec<ExprId> = args.collect();
                    return Some(Expressed::Expr(self.exprs.apply(Op::Tuple, &args)));
                }
                let term = |it| if let Expressed::Ground(term) = it { Some(term) } else { None };
                Some(Expressed::Ground(Term::Tuple(parts.into_iter().filter_map(term).collect())))
            }
            View::Map(at) if is_symbolic(heap, value) => {
                let mut res = self.exprs.constant(Term::Map(vec![]));
                for (key, value) in heap.map_iter(at) {
                    let key = self.part(key, depth + 1)?.into_expr(self.exprs);
                    let value = self.part(value, depth + 1)?.into_expr(self.exprs);
                    res = self.exprs.apply(Op::Put, &[key, value, res]);
                }
                Some(Expressed::Expr(res))
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

    fn list(&mut self, value: Value, depth: usize) -> Option<Expressed> {
        let mut items = Vec::new();
        let mut rest = value;
        while let (None, Some((head, tail))) = (own_expr(rest), self.world.0.uncons(rest)) {
            items.push(self.part(head, depth + 1)?);
            rest = tail;
        }
        let mut res = self.part(rest, depth + 1)?;
        // Ground items at the end of the list form one constant.
        let mut ground = Vec::new();
        while let Some(item) = items.pop() {
            match (item, res) {
                (Expressed::Ground(item), Expressed::Ground(tail)) => {
                    ground.push(item);
                    res = Expressed::Ground(tail);
                }
                (item, tail) => {
                    ground.reverse();
                    let tail = match tail {
                        Expressed::Ground(tail) => {
                            Expressed::Ground(Term::list(std::mem::take(&mut ground), tail))
                        }
                        Expressed::Expr(expr) => Expressed::Expr(expr),
                    };
                    let args = [item.into_expr(self.exprs), tail.into_expr(self.exprs)];
                    res = Expressed::Expr(self.exprs.apply(Op::Cons, &args));
                }
            }
        }
        ground.reverse();
        Some(match res {
            Expressed::Ground(tail) => Expressed::Ground(Term::list(ground, tail)),
            Expressed::Expr(expr) => Expressed::Expr(expr),
        })
    }
}

impl Expressed {
    fn into_expr(self, exprs: &mut Exprs) -> ExprId {
        match self {
            Expressed::Ground(term) => exprs.constant(term),
            Expressed::Expr(expr) => expr,
        }
    }
}
