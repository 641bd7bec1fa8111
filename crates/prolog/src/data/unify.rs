//! Unification, and undoing bindings.
#![expect(
    clippy::indexing_slicing,
    reason = "addresses are made by the heap; the hot path of every step"
)]

use crate::data::{
    AssumedEqual, AtomId, Atoms, Blob, CYCLE_CHECK_AFTER, Heap, Mark, Tag, Trailed, Value,
};

/// Unifies two terms and returns whether that succeeded. After a failure, the bindings that were made before
/// it remain until backtracking.
///
/// The pairs still to be unified are kept in a list, so depth costs no native stack. Pairs at one address are
/// not entered. After `CYCLE_CHECK_AFTER` pairs, a pair that was already assumed equal is not entered again, so
/// that cyclic terms terminate.
pub fn unify(heap: &mut Heap, atoms: &Atoms, a: Value, b: Value) -> bool {
    let (a, b) = (heap.deref(a), heap.deref(b));
    match unify_tops(heap, a, b) {
        TopMatch::Same => true,
        TopMatch::Different => false,
        TopMatch::Enter => unify_deep(heap, atoms, a, b),
    }
}

enum TopMatch {
    Same,
    Different,
    Enter,
}

#[inline]
fn unify_tops(heap: &mut Heap, a: Value, b: Value) -> TopMatch {
    if a.same_word(b) {
        return TopMatch::Same;
    }
    match (a.tag(), b.tag()) {
        (Tag::Ref, Tag::Ref) => {
            // The younger variable refers to the older one, because backtracking removes younger cells first.
            if a.address() < b.address() {
                heap.bind(b, a);
            } else {
                heap.bind(a, b);
            }
            TopMatch::Same
        }
        (Tag::Ref, Tag::Attr) => {
            heap.bind(a, Value::reference(b.address()));
            TopMatch::Same
        }
        (Tag::Attr, Tag::Ref) => {
            heap.bind(b, Value::reference(a.address()));
            TopMatch::Same
        }
        (Tag::Attr, Tag::Attr) => {
            heap.bind(a, Value::reference(b.address()));
            TopMatch::Same
        }
        (Tag::Ref | Tag::Attr, _) => {
            heap.bind(a, b);
            TopMatch::Same
        }
        (_, Tag::Ref | Tag::Attr) => {
            heap.bind(b, a);
            TopMatch::Same
        }
        (Tag::Struct, Tag::Struct) => {
            if a.functor() == b.functor() {
                TopMatch::Enter
            } else {
                TopMatch::Different
            }
        }
        (Tag::Big, Tag::Big) | (Tag::Rational, Tag::Rational) | (Tag::Text, Tag::Text) => {
            if same_blob(heap.blob(a), heap.blob(b)) {
                TopMatch::Same
            } else {
                TopMatch::Different
            }
        }
        (
            Tag::Int | Tag::Atom | Tag::Struct | Tag::Float | Tag::Big | Tag::Rational | Tag::Text,
            _,
        ) => TopMatch::Different,
    }
}

fn same_blob(a: &Blob, b: &Blob) -> bool {
    match (a, b) {
        (Blob::Big(a), Blob::Big(b)) => a == b,
        (Blob::Rational(a), Blob::Rational(b)) => a == b,
        (Blob::Text(a), Blob::Text(b)) => a == b,
        (Blob::Big(_) | Blob::Rational(_) | Blob::Text(_), _) => false,
    }
}

fn unify_deep(heap: &mut Heap, atoms: &Atoms, a: Value, b: Value) -> bool {
    let mut todo: Vec<(usize, usize, usize)> = Vec::new();
    let mut assumed = AssumedEqual::default();
    let mut n_steps = 0;
    let mut now = (a.address(), b.address(), atoms.arity(a.functor()));
    loop {
        let (at_a, at_b, n) = now;
        for k in 0..n {
            let (x, y) = (heap.deref(heap.cells[at_a + k]), heap.deref(heap.cells[at_b + k]));
            match unify_tops(heap, x, y) {
                TopMatch::Same => {}
                TopMatch::Different => return false,
                TopMatch::Enter => {
                    n_steps += 1;
                    if CYCLE_CHECK_AFTER < n_steps && !assumed.join(x.payload(), y.payload()) {
                        continue;
                    }
                    todo.push((x.address(), y.address(), atoms.arity(x.functor())));
                }
            }
        }
        match todo.pop() {
            Some(next) => now = next,
            None => return true,
        }
    }
}

impl Heap {
    /// Undoes all changes since the mark. The values of global variables are handed to the caller, who keeps
    /// them.
    #[inline]
    pub fn undo_to(&mut self, mark: Mark, mut global: impl FnMut(AtomId, Value)) {
        while mark.trail < self.trail.len() {
            match self.trail.pop() {
                Some(Trailed::Bound(at)) => self.cells[at] = Value::reference(at),
                Some(Trailed::Changed(at, old)) => self.cells[at] = old,
                Some(Trailed::Global(name, old)) => global(name, old),
                None => return,
            }
        }
    }
}
