//! Erlang's total order of terms and its two equalities, on values in the heap.
//!
//! `term::Term` has the same order on ground terms; the conformance tests compare both with BEAM. The comparison is
//! iterative beyond a small depth, so a term nested a million levels deep needs no native stack.

use crate::Atoms;
use crate::heap::{FunKind, Heap};
use crate::value::{At, Tag, Value, View};
use num_bigint::Sign;
use rustc_hash::FxHashSet;
use std::cmp::Ordering;
use term::{compare_float_to_big, compare_int_to_float};

/// Compares as `<`, `=<` and `==` do: an integer and a float by their numeric value.
pub fn compare_value(heap: &Heap, atoms: &Atoms, left: Value, right: Value) -> Ordering {
    compare::<false>(heap, atoms, left, right)
}

/// Compares in the order of map keys: every integer comes before every float. `Equal` means `=:=`.
pub fn compare_exact(heap: &Heap, atoms: &Atoms, left: Value, right: Value) -> Ordering {
    compare::<true>(heap, atoms, left, right)
}

/// Whether `left =:= right`.
#[inline]
pub fn equal_exact(heap: &Heap, atoms: &Atoms, left: Value, right: Value) -> bool {
    if left.same_word(right) {
        return true;
    }
    // Of immediates and floats, only 0.0 and -0.0 have different words and equal values.
    if left.tag() != right.tag() || is_immediate(left) {
        return false;
    }
    compare::<true>(heap, atoms, left, right).is_eq()
}

/// Whether `left == right`.
#[inline]
pub fn equal_value(heap: &Heap, atoms: &Atoms, left: Value, right: Value) -> bool {
    left.same_word(right) || compare::<false>(heap, atoms, left, right).is_eq()
}

/// Whether values of this tag are equal exactly if their words are equal.
#[inline]
pub(super) fn is_immediate(value: Value) -> bool {
    matches!(value.tag(), Tag::Int | Tag::Atom | Tag::Nil | Tag::Pid | Tag::Port | Tag::Ref)
}

fn compare<const EXACT: bool>(heap: &Heap, atoms: &Atoms, left: Value, right: Value) -> Ordering {
    let mut n_left = MAX_NATIVE_STEPS;
    let order = compare_shallow(heap, atoms, (left, right), EXACT, MAX_NATIVE_DEPTH, &mut n_left);
    // Terms that are too large or too deep are compared again from the start, with an explicit stack.
    let order = order.unwrap_or_else(|| compare_deep(heap, atoms, left, right, EXACT).0);
    if n_left < MAX_NATIVE_STEPS - MIN_COUNTED_STEPS {
        heap.count_steps(MAX_NATIVE_STEPS - n_left);
    }
    order
}

/// How many pairs of parts the recursive comparison visits before it gives up in favour of [`compare_deep`].
const MAX_NATIVE_STEPS: usize = 100_000;
const MIN_COUNTED_STEPS: usize = 64;

/// The depth at which the recursive comparison gives up in favour of [`compare_deep`].
const MAX_NATIVE_DEPTH: u32 = 32;

/// Compares by native recursion without allocating, which suffices for most lists and tuples. Returns `None` if the
/// terms are too deep or too large for it.
fn compare_shallow(
    heap: &Heap,
    atoms: &Atoms,
    (mut left, mut right): (Value, Value),
    exact: bool,
    depth: u32,
    n_left: &mut usize,
) -> Option<Ordering> {
    loop {
        *n_left = n_left.saturating_sub(1);
        if depth == 0 || *n_left == 0 {
            return None;
        }
        if left.same_word(right) {
            return Some(Ordering::Equal);
        }
        match (left.view(), right.view()) {
            (View::Cons(a), View::Cons(b)) => {
                let heads = (heap.head(a), heap.head(b));
                let order = compare_shallow(heap, atoms, heads, exact, depth - 1, n_left)?;
                if order.is_ne() {
                    return Some(order);
                }
                (left, right) = (heap.tail(a), heap.tail(b));
            }
            (View::Tuple(a, n), View::Tuple(b, m)) => {
                if n != m {
                    return Some(n.cmp(&m));
                }
                let mut pairs = heap.slice(a.0, n as usize).iter().zip(heap.slice(b.0, n as usize));
                let other = pairs.find_map(|(a, b)| {
                    let order = compare_shallow(heap, atoms, (*a, *b), exact, depth - 1, n_left);
                    (order != Some(Ordering::Equal)).then_some(order)
                });
                return other.unwrap_or(Some(Ordering::Equal));
            }
            (View::Map(_), View::Map(_)) | (View::Fun(_), View::Fun(_)) => {
                let (order, n_steps) = compare_deep(heap, atoms, left, right, exact);
                *n_left = n_left.saturating_sub(n_steps);
                return Some(order);
            }
            _ => return Some(compare_leaves(heap, atoms, left, right, exact)),
        }
    }
}

/// Compares terms of any size and depth with an explicit stack. Also returns how many pairs of parts it visited.
fn compare_deep(
    heap: &Heap,
    atoms: &Atoms,
    left: Value,
    right: Value,
    exact: bool,
) -> (Ordering, usize) {
    // Stack of pairs still to be compared, the next one last; the flag tells whether integers and floats differ.
    let mut rest: Vec<(Value, Value, bool)> = Vec::new();
    let (mut left, mut right, mut exact) = (left, right, exact);
    // A term with shared subterms has exponentially more paths than subterms. After more steps than the heap has cells,
    // some subterm was visited twice; from then on visited pairs are remembered. A pair that was visited before is
    // equal, because a difference would have ended the comparison.
    let mut seen: FxHashSet<(u64, u64, bool)> = FxHashSet::default();
    let mut n_steps = 0;
    loop {
        n_steps += 1;
        let is_new = n_steps <= heap.cells.len()
            || is_leaf(left)
            || is_leaf(right)
            || seen.insert((left.payload(), right.payload(), exact));
        if is_new && !left.same_word(right) {
            let order = match (left.view(), right.view()) {
                (View::Cons(a), View::Cons(b)) => {
                    rest.push((heap.tail(a), heap.tail(b), exact));
                    (left, right) = (heap.head(a), heap.head(b));
                    continue;
                }
                (View::Tuple(a, n), View::Tuple(b, m)) => n.cmp(&m).then_with(|| {
                    let pairs = heap.slice(a.0, n as usize).iter().zip(heap.slice(b.0, n as usize));
                    rest.extend(pairs.rev().map(|(left, right)| (*left, *right, exact)));
                    Ordering::Equal
                }),
                (View::Map(a), View::Map(b)) => {
                    heap.map_len(a).cmp(&heap.map_len(b)).then_with(|| {
                        push_maps(heap, &mut rest, a, b, exact);
                        Ordering::Equal
                    })
                }
                (View::Fun(a), View::Fun(b)) => push_funs(heap, atoms, &mut rest, (a, b), exact),
                _ => compare_leaves(heap, atoms, left, right, exact),
            };
            if order.is_ne() {
                heap.count_steps(n_steps);
                return (order, n_steps);
            }
        }
        let Some(next) = rest.pop() else {
            heap.count_steps(n_steps);
            return (Ordering::Equal, n_steps);
        };
        (left, right, exact) = next;
    }
}

/// Whether the value has no subterms.
fn is_leaf(value: Value) -> bool {
    !matches!(value.tag(), Tag::Cons | Tag::Tuple | Tag::Map | Tag::Fun)
}

fn push_maps(heap: &Heap, rest: &mut Vec<(Value, Value, bool)>, a: At, b: At, exact: bool) {
    let from = rest.len();
    let (left, right) = (heap.map_iter(a), heap.map_iter(b));
    let pairs: Vec<_> = left.zip(right).collect();
    rest.extend(pairs.iter().map(|(left, right)| (left.0, right.0, true)));
    rest.extend(pairs.iter().map(|(left, right)| (left.1, right.1, exact)));
    if let Some(added) = rest.get_mut(from..) {
        added.reverse();
    }
}

/// Orders two funs by kind, name and arity or by module, index and version, and pushes the captured values of closures
/// onto the stack.
fn push_funs(
    heap: &Heap,
    atoms: &Atoms,
    rest: &mut Vec<(Value, Value, bool)>,
    (a, b): (At, At),
    exact: bool,
) -> Ordering {
    match (heap.fun_kind(a), heap.fun_kind(b)) {
        (
            FunKind::External { module, function, arity },
            FunKind::External { module: module2, function: function2, arity: arity2 },
        ) => atoms
            .compare(module, module2)
            .then_with(|| atoms.compare(function, function2))
            .then_with(|| arity.cmp(&arity2)),
        (FunKind::Closure { lambda, n_free }, FunKind::Closure { lambda: lambda2, n_free: m }) => {
            let key = |id| heap.lambda(id).map(|it| (it.index, it.uniq));
            let module = |id| heap.lambda(id).map_or("", |it| atoms.name(it.module));
            module(lambda)
                .cmp(module(lambda2))
                .then_with(|| key(lambda).cmp(&key(lambda2)))
                .then_with(|| lambda.cmp(&lambda2))
                .then_with(|| n_free.cmp(&m))
                .then_with(|| {
                    let pairs = heap.fun_free(a).iter().zip(heap.fun_free(b));
                    rest.extend(pairs.rev().map(|(left, right)| (*left, *right, exact)));
                    Ordering::Equal
                })
        }
        (FunKind::Closure { .. }, FunKind::External { .. }) => Ordering::Less,
        (FunKind::External { .. }, FunKind::Closure { .. }) => Ordering::Greater,
    }
}

fn compare_leaves(heap: &Heap, atoms: &Atoms, left: Value, right: Value, exact: bool) -> Ordering {
    let by_kind = |order: Ordering, kind| if exact { kind } else { order };
    match (left.view(), right.view()) {
        (View::Int(left), View::Int(right)) => left.cmp(&right),
        (View::Atom(left), View::Atom(right)) => atoms.compare(left, right),
        (View::Float(left), View::Float(right)) => {
            left.partial_cmp(&right).unwrap_or(Ordering::Equal)
        }
        (View::Big(left), View::Big(right)) => heap.big(left).cmp(heap.big(right)),
        (View::Int(_), View::Big(right)) => beyond_small(heap.big(right).sign()),
        (View::Big(left), View::Int(_)) => beyond_small(heap.big(left).sign()).reverse(),
        (View::Int(left), View::Float(right)) => {
            by_kind(compare_int_to_float(left, right), Ordering::Less)
        }
        (View::Float(left), View::Int(right)) => {
            by_kind(compare_int_to_float(right, left).reverse(), Ordering::Greater)
        }
        (View::Big(left), View::Float(right)) => {
            by_kind(compare_float_to_big(right, heap.big(left)).reverse(), Ordering::Less)
        }
        (View::Float(left), View::Big(right)) => {
            by_kind(compare_float_to_big(left, heap.big(right)), Ordering::Greater)
        }
        (View::Bits(left), View::Bits(right)) => compare_bits(heap, left, right),
        (View::Pid(left), View::Pid(right)) => heap.nodes.compare_pids(atoms, left, right),
        (View::Port(left), View::Port(right)) => heap.nodes.compare_ports(atoms, left, right),
        (View::Ref(left), View::Ref(right)) => heap.nodes.compare_refs(atoms, left, right),
        _ => rank(left).cmp(&rank(right)),
    }
}

/// Compares any integer of one word with a big integer of the given sign.
fn beyond_small(sign: Sign) -> Ordering {
    if sign == Sign::Minus { Ordering::Greater } else { Ordering::Less }
}

fn compare_bits(heap: &Heap, left: At, right: At) -> Ordering {
    let (left, right) = (heap.bits(left), heap.bits(right));
    if let (Some(left), Some(right)) = (left.as_bytes(), right.as_bytes()) {
        return left.cmp(right);
    }
    let common = left.bit_len.min(right.bit_len);
    let whole = common / 8;
    (0..whole)
        .map(|it| left.byte_at(it * 8).cmp(&right.byte_at(it * 8)))
        .find(|it| it.is_ne())
        .unwrap_or_else(|| {
            let mask = !(0xffu8 >> (common % 8));
            let last = |it: &super::BitsView<'_>| it.byte_at(whole * 8) & mask;
            last(&left).cmp(&last(&right))
        })
        .then_with(|| left.bit_len.cmp(&right.bit_len))
}

fn rank(value: Value) -> u8 {
    match value.tag() {
        Tag::Int | Tag::Big | Tag::Float => 0,
        Tag::Atom => 1,
        Tag::Ref => 2,
        Tag::Fun => 3,
        Tag::Port => 4,
        Tag::Pid => 5,
        Tag::Tuple => 6,
        Tag::Map => 7,
        Tag::Nil | Tag::Raw | Tag::Moved => 8,
        Tag::Cons => 9,
        Tag::Bits => 10,
    }
}
