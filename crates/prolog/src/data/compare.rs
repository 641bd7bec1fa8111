//! The standard order of terms, and identity.

use crate::data::{AssumedEqual, Atoms, CYCLE_CHECK_AFTER, Heap, Number, Tag, Value};
use std::cmp::Ordering;

/// Compares two terms in the standard order of SWI-Prolog: variables, numbers, strings, the empty list, other
/// atoms, compound terms. Terminates for cyclic terms.
pub fn compare(heap: &Heap, atoms: &Atoms, a: Value, b: Value) -> Ordering {
    let (a, b) = (heap.deref(a), heap.deref(b));
    let arity = match compare_tops(heap, atoms, a, b) {
        TopOrder::Decided(order) => return order,
        TopOrder::Enter(arity) => arity,
    };
    let mut todo = vec![(a, b, 0, arity)];
    let mut n_steps = 0_usize;
    let mut assumed = AssumedEqual::default();
    while let Some((a, b, k, n)) = todo.pop() {
        if k == n {
            continue;
        }
        if k + 1 < n {
            todo.push((a, b, k + 1, n));
        }
        let (x, y) = (heap.arg(a, k), heap.arg(b, k));
        match compare_tops(heap, atoms, x, y) {
            TopOrder::Decided(Ordering::Equal) => {}
            TopOrder::Decided(other) => return other,
            TopOrder::Enter(arity) => {
                n_steps += 1;
                if CYCLE_CHECK_AFTER < n_steps && !assumed.join(x.payload(), y.payload()) {
                    continue;
                }
                todo.push((x, y, 0, arity));
            }
        }
    }
    Ordering::Equal
}

/// Whether two terms are identical, as `==/2` decides it.
pub fn same(heap: &Heap, atoms: &Atoms, a: Value, b: Value) -> bool {
    let (a, b) = (heap.deref(a), heap.deref(b));
    if a.same_word(b) {
        return true;
    }
    if a.tag() != b.tag() || matches!(a.tag(), Tag::Int | Tag::Atom | Tag::Ref | Tag::Attr) {
        return false;
    }
    compare(heap, atoms, a, b) == Ordering::Equal
}

enum TopOrder {
    Decided(Ordering),
    /// Both are compound terms with the same functor, of this arity; the arguments decide.
    Enter(usize),
}

fn compare_tops(heap: &Heap, atoms: &Atoms, a: Value, b: Value) -> TopOrder {
    if a.same_word(b) {
        return TopOrder::Decided(Ordering::Equal);
    }
    let by_rank = rank(a).cmp(&rank(b));
    if by_rank != Ordering::Equal {
        return TopOrder::Decided(by_rank);
    }
    let order = match a.tag() {
        Tag::Ref | Tag::Attr => a.address().cmp(&b.address()),
        Tag::Int | Tag::Float | Tag::Big | Tag::Rational => compare_numbers(heap, a, b),
        Tag::Atom => match (a.as_atom(), b.as_atom()) {
            (Some(a), Some(b)) => atoms.compare(a, b),
            _ => Ordering::Equal,
        },
        Tag::Text => heap.as_text(a).cmp(&heap.as_text(b)),
        Tag::Struct => {
            if a.functor() == b.functor() {
                return TopOrder::Enter(atoms.arity(a.functor()));
            }
            let ((name_a, arity_a), (name_b, arity_b)) =
                (atoms.name_arity(a.functor()), atoms.name_arity(b.functor()));
            arity_a.cmp(&arity_b).then_with(|| atoms.compare(name_a, name_b))
        }
    };
    TopOrder::Decided(order)
}

fn compare_numbers(heap: &Heap, a: Value, b: Value) -> Ordering {
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return a.cmp(&b);
    }
    let (Some(x), Some(y)) = (Number::of(heap, a), Number::of(heap, b)) else {
        return Ordering::Equal;
    };
    // Numbers of equal value: in the standard order a float precedes an integer or rational.
    x.standard_order(&y).then_with(|| (a.tag() != Tag::Float).cmp(&(b.tag() != Tag::Float)))
}

fn rank(value: Value) -> u8 {
    match value.tag() {
        Tag::Ref | Tag::Attr => 0,
        Tag::Int | Tag::Float | Tag::Big | Tag::Rational => 1,
        Tag::Text => 2,
        // The empty list precedes all other atoms.
        Tag::Atom if value.is_nil() => 3,
        Tag::Atom => 4,
        Tag::Struct => 5,
    }
}
