//! `erts_debug`: the sizes of terms on BEAM, and whether two values are the same object.
//!
//! Sizes are in words of a 64-bit BEAM and follow BEAM's layout, not ours. The results depend on how a term was built
//! and shared, not only on its value, so none of these functions is pure.

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
        Ok(Value::int(words_where(&w.heap, vec![arg(args, 0)], SharedSubterms::Once, is_own)?))
    }),
    // Values are immutable, so a copy can't be told from its original.
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

/// How often a subterm is counted that a term contains more than once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SharedSubterms {
    Once,
    Repeated,
}

/// Returns the words that BEAM needs for these values together.
pub(crate) fn words_of(heap: &Heap, values: &[Value]) -> i64 {
    // Each subterm is visited once, so the work is bounded by the heap and can't fail.
    words(heap, values.to_vec(), SharedSubterms::Once).unwrap_or(i64::MAX)
}

/// Returns the words that BEAM needs for a copy of a value, in which nothing is shared.
pub(super) fn flat_words(heap: &Heap, value: Value) -> Result<i64, Fault> {
    words(heap, vec![value], SharedSubterms::Repeated)
}

fn words(heap: &Heap, todo: Vec<Value>, shared: SharedSubterms) -> Result<i64, Fault> {
    words_where(heap, todo, shared, |_| true)
}

/// Counts words like `words`, but skips the subterms for which `counts` is false.
fn words_where(
    heap: &Heap,
    mut todo: Vec<Value>,
    shared: SharedSubterms,
    counts: impl Fn(Value) -> bool,
) -> Result<i64, Fault> {
    let mut seen: FxHashSet<(ObjectSpace, u64)> = FxHashSet::default();
    let mut sum = 0;
    while let Some(next) = todo.pop() {
        match shared {
            SharedSubterms::Once => heap.count_steps(1),
            SharedSubterms::Repeated => heap.spend_steps(1)?,
        }
        if !counts(next) {
            continue;
        }
        let own = own_words(heap, next);
        if shared == SharedSubterms::Once && object_id(next).is_some_and(|it| !seen.insert(it)) {
            continue;
        }
        sum = i64::saturating_add(sum, own);
        heap.push_parts(next, &mut todo);
    }
    Ok(sum)
}

/// The literals of loaded code and the persistent terms, which belong to the heap of no process.
struct Literals {
    objects: FxHashSet<(ObjectSpace, u64)>,
    /// References among the literals. They are immediate values here and heap objects on BEAM.
    references: FxHashSet<RefId>,
}

impl Literals {
    fn of(w: &World) -> Literals {
        let mut res = Literals { objects: FxHashSet::default(), references: FxHashSet::default() };
        let mut todo = w.literals.clone();
        todo.extend(w.run.shared.persistent());
        while let Some(next) = todo.pop() {
            res.references.extend(next.as_ref());
            if object_id(next).is_some_and(|it| res.objects.insert(it)) {
                w.heap.push_parts(next, &mut todo);
            }
        }
        res
    }

    fn has(&self, value: Value) -> bool {
        object_id(value).is_some_and(|it| self.objects.contains(&it))
            || value.as_ref().is_some_and(|it| self.references.contains(&it))
    }
}

/// Returns the identity of the value's object; `None` for values without an object.
pub(super) fn object_id(value: Value) -> Option<(ObjectSpace, u64)> {
    match value.view() {
        View::Big(at) => Some((ObjectSpace::Bigs, u64::from(at.0))),
        View::Bits(at) | View::Map(at) | View::Fun(at) => Some((ObjectSpace::Cells, at.0)),
        View::Cons(_) | View::Tuple(_, 1..) => Some((ObjectSpace::Cells, value.address().0)),
        _ => None,
    }
}

#[derive(PartialEq, Eq, Hash)]
pub(super) enum ObjectSpace {
    Cells,
    Bigs,
}

/// Returns the words of the object itself, without those that it points to.
fn own_words(heap: &Heap, value: Value) -> i64 {
    match value.view() {
        View::Cons(_) => 2,
        View::Tuple(_, 0) => 0,
        View::Tuple(_, n) => i64::from(n) + 1,
        View::Float(_) => 2,
        // BEAM's small integers have 60 bits, ours 64; the others are one-digit big integers there.
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

/// Returns the words of a map without its parts. A small map has a header, a size, its values and a tuple of its keys.
/// A large one is a hash tree with up to 16 branches per node, estimated by its average size.
fn map_words(n: i64) -> i64 {
    match n {
        0 => 3,
        1..=32 => 4 + 2 * n,
        _ => 3 * n + 2 * (n * 2 / 5),
    }
}

/// Returns the words of a bitstring: up to 64 bytes are stored on the heap, more outside it. A partial last byte needs
/// a sub-binary in addition.
fn bits_words(n_bits: u64) -> i64 {
    let n_bytes = n_bits.div_ceil(8);
    let bytes = if n_bytes <= 64 { 2 + n_bytes.div_ceil(8) } else { 6 };
    let part = if n_bits.is_multiple_of(8) { 0 } else { 5 };
    i64::try_from(bytes + part).unwrap_or(i64::MAX)
}
