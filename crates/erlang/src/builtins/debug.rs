//! `erts_debug`: the sizes that terms have on BEAM, and whether two are the same.
//!
//! Sizes are words of a 64-bit BEAM: its layout, not ours. What these tell depends on how a term came
//! to lie in memory, not on the term alone: none of them is pure.

use crate::builtins::arithmetic::arg;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside};
use crate::machine::World;
use rustc_hash::FxHashSet;
use values::{FunKind, Heap, NodeId, RefId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    inside("erts_debug", "flat_size", 1, Shares::Nothing, OnBeam::Alike, |w, args| {
        Ok(Value::int(flat_words(&w.heap, arg(args, 0))?))
    }),
    inside("erts_debug", "size_shared", 1, Shares::Nothing, OnBeam::Alike, |w, args| {
        let literals = Literals::of(w);
        let is_own = |it| !literals.has(it);
        Ok(Value::int(words_where(&w.heap, vec![arg(args, 0)], Shared::Once, is_own)?))
    }),
    // Values never change, so that a copy can't be told from what it was made of.
    inside("erts_debug", "copy_shared", 1, Shares::Nothing, OnBeam::Alike, |_, args| {
        Ok(arg(args, 0))
    }),
    inside("erts_debug", "copy_shared", 2, Shares::Nothing, OnBeam::Alike, |_, args| {
        Ok(arg(args, 0))
    }),
    inside("erts_debug", "same", 2, Shares::Nothing, OnBeam::Alike, |_, args| {
        Ok(Value::bool(arg(args, 0).same_word(arg(args, 1))))
    }),
];

/// What is counted for a part that a term holds more than once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shared {
    Once,
    Repeated,
}

/// Words that BEAM needs for these values together.
pub(crate) fn words_of(heap: &Heap, values: &[Value]) -> i64 {
    // Each part is looked at once, so it is never too much.
    words(heap, values.to_vec(), Shared::Once).unwrap_or(i64::MAX)
}

/// Words that BEAM needs for a copy of a value.
pub(super) fn flat_words(heap: &Heap, value: Value) -> Result<i64, Fault> {
    words(heap, vec![value], Shared::Repeated)
}

fn words(heap: &Heap, todo: Vec<Value>, shared: Shared) -> Result<i64, Fault> {
    words_where(heap, todo, shared, |_| true)
}

/// The same without what is not to be counted.
fn words_where(
    heap: &Heap,
    mut todo: Vec<Value>,
    shared: Shared,
    counts: impl Fn(Value) -> bool,
) -> Result<i64, Fault> {
    let mut seen: FxHashSet<(Space, u64)> = FxHashSet::default();
    let mut sum = 0;
    while let Some(next) = todo.pop() {
        match shared {
            Shared::Once => heap.count_steps(1),
            Shared::Repeated => heap.spend_steps(1)?,
        }
        if !counts(next) {
            continue;
        }
        let own = own_words(heap, next);
        if shared == Shared::Once && place(next).is_some_and(|it| !seen.insert(it)) {
            continue;
        }
        sum = i64::saturating_add(sum, own);
        heap.push_parts(next, &mut todo);
    }
    Ok(sum)
}

/// What belongs to code and to persistent terms: no process has it on a heap of its own.
struct Literals {
    places: FxHashSet<(Space, u64)>,
    /// References have no place here, but do on BEAM.
    references: FxHashSet<RefId>,
}

impl Literals {
    fn of(w: &World) -> Literals {
        let mut res = Literals { places: FxHashSet::default(), references: FxHashSet::default() };
        let mut todo = w.literals.clone();
        todo.extend(w.shared.persistent());
        while let Some(next) = todo.pop() {
            res.references.extend(next.as_ref());
            if place(next).is_some_and(|it| res.places.insert(it)) {
                w.heap.push_parts(next, &mut todo);
            }
        }
        res
    }

    fn has(&self, value: Value) -> bool {
        place(value).is_some_and(|it| self.places.contains(&it))
            || value.as_ref().is_some_and(|it| self.references.contains(&it))
    }
}

/// Where an object lies; `None` for what is in the word itself.
pub(super) fn place(value: Value) -> Option<(Space, u64)> {
    match value.view() {
        View::Big(at) => Some((Space::Bigs, u64::from(at.0))),
        View::Bits(at) | View::Map(at) | View::Fun(at) => Some((Space::Cells, at.0)),
        View::Cons(_) | View::Tuple(_, 1..) => Some((Space::Cells, value.address().0)),
        _ => None,
    }
}

#[derive(PartialEq, Eq, Hash)]
pub(super) enum Space {
    Cells,
    Bigs,
}

/// Words of the object itself, without what it points to.
fn own_words(heap: &Heap, value: Value) -> i64 {
    match value.view() {
        View::Cons(_) => 2,
        View::Tuple(_, 0) => 0,
        View::Tuple(_, n) => i64::from(n) + 1,
        View::Float(_) => 2,
        // Beyond BEAM's small integers, within ours.
        View::Int(it) => {
            if (-(1 << 59)..1 << 59).contains(&it) {
                0
            } else {
                2
            }
        }
        View::Big(at) => {
            1 + i64::try_from(heap.big(at).bits().div_ceil(64)).unwrap_or(i64::MAX / 2)
        }
        View::Map(at) => map_words(i64::try_from(heap.map_len(at)).unwrap_or(i64::MAX / 8)),
        View::Bits(at) => bits_words(heap.bit_len(at)),
        View::Fun(at) => match heap.fun_kind(at) {
            FunKind::External { .. } => 5,
            FunKind::Closure { n_free, .. } => 5 + i64::try_from(n_free).unwrap_or(i64::MAX / 2),
        },
        View::Ref(id) if id.owner.node() == NodeId::ELSEWHERE => {
            let words = heap.nodes.reference(id).1.all().len();
            4 + i64::try_from(words / 2).unwrap_or(0)
        }
        View::Ref(_) => 3,
        View::Pid(pid) if pid.node() == NodeId::ELSEWHERE => 4,
        View::Port(port) if port.node() == NodeId::ELSEWHERE => 4,
        View::Atom(_) | View::Nil | View::Pid(_) | View::Port(_) => 0,
    }
}

/// A small map is a header, a size, its values and a tuple of its keys. A large one is a tree with
/// up to 16 branches, whose shape is that of the hashes; this is what it has on average.
fn map_words(n: i64) -> i64 {
    match n {
        0 => 3,
        1..=32 => 4 + 2 * n,
        _ => 3 * n + 2 * (n * 2 / 5),
    }
}

/// Up to 64 bytes lie in the term, more beside it. Bits that fill no byte take a part of a binary.
fn bits_words(n_bits: u64) -> i64 {
    let n_bytes = n_bits.div_ceil(8);
    let bytes = if n_bytes <= 64 { 2 + n_bytes.div_ceil(8) } else { 6 };
    let part = if n_bits.is_multiple_of(8) { 0 } else { 5 };
    i64::try_from(bytes + part).unwrap_or(i64::MAX)
}
