//! Garbage collection: copying, in two generations.
//!
//! The survivors of a young collection are appended to the old generation. Objects never point to younger ones, so a
//! young collection does not trace the old generation. When the old generation has doubled in size, everything is
//! copied. The machine collects only at safe points, where all live values are in [`Roots`].

use crate::bits::Buffer;
use crate::heap::{Heap, Mark, big_bytes, index};
use crate::value::{At, BigAt, Tag, Value};
use num_bigint::BigInt;
use term::fit_u32;

/// Cells between two collections: 4 MiB, about the size of a second-level cache.
pub(super) const NURSERY_CELLS: usize = 1 << 18;
pub(super) const FIRST_MAJOR_CELLS: usize = 1 << 20;
/// A collection is due when this many bytes have been added outside the cells since the last full collection.
const OUTSIDE_STEP: usize = 64 << 20;

/// The roots: all registers and other slots whose values keep objects alive.
pub trait Roots {
    fn visit(&mut self, visitor: &mut dyn FnMut(&mut [Value]));
}

impl Heap {
    /// Whether a collection is due or uncharged work waits to be charged. Asked at every call and every return.
    #[inline]
    pub fn needs_safe_point(&self) -> bool {
        self.cells.len() >= self.next_safe_point.get()
    }

    /// Whether a collection is due.
    pub fn is_full(&self) -> bool {
        self.cells.len() >= self.next_minor
    }

    fn collect_at(&mut self, n_cells: usize) {
        self.next_minor = n_cells;
        self.next_safe_point.set(if self.has_uncharged_work() { 0 } else { n_cells });
    }

    /// Counts bytes held outside the cells, and makes a collection due if they have grown by more than `OUTSIDE_STEP`.
    #[inline]
    pub fn add_outside(&mut self, n_bytes: usize) {
        self.outside_bytes += n_bytes;
        if self.outside_bytes > self.outside_at_major.saturating_add(OUTSIDE_STEP) {
            self.collect_at(0);
        }
    }

    /// Turns collections off until the heap is released.
    pub fn keep_all(&mut self) {
        self.collect_at(usize::MAX);
        self.outside_at_major = usize::MAX;
    }

    pub fn collect(&mut self, roots: &mut dyn Roots) {
        let outside_grew = self.outside_bytes > self.outside_at_major.saturating_add(OUTSIDE_STEP);
        if outside_grew || self.old.cells >= self.next_major {
            self.collect_all(roots);
        } else {
            self.collect_from(self.old, roots);
        }
    }

    pub fn collect_all(&mut self, roots: &mut dyn Roots) {
        self.collect_from(Mark::EMPTY, roots);
        self.n_full_collections += 1;
        self.next_major = FIRST_MAJOR_CELLS.max(2 * self.old.cells);
        self.outside_at_major = self.outside_bytes;
    }

    /// Returns all cells made since the mark, or `None` if big integers, buffers or identities were made since too.
    pub fn cells_above(&self, mark: Mark) -> Option<&[Value]> {
        let is_all = self.bigs.len() == mark.bigs && self.buffers.len() == mark.buffers;
        let is_all = is_all && self.nodes.n_identities() == mark.identities;
        let is_all = is_all && self.chunk.is_none_or(|it| (it as usize) < mark.buffers);
        if is_all { self.cells.get(mark.cells..) } else { None }
    }

    /// Returns the first `n` cells made since the mark.
    pub fn first_above(&self, mark: Mark, n: usize) -> &[Value] {
        self.cells.get(mark.cells..mark.cells + n).unwrap_or_default()
    }

    /// Appends the cells at the mark, where they lay before. The heap must end at the mark.
    pub fn put_above(&mut self, mark: Mark, cells: &[Value]) {
        debug_assert_eq!(self.cells.len(), mark.cells, "the heap ends at the mark");
        self.cells.extend_from_slice(cells);
    }

    /// Forgets everything made since the mark. Nothing made since the mark may still be in use.
    pub fn release(&mut self, mark: Mark) {
        debug_assert!(mark.cells <= self.cells.len(), "the mark lies in the heap");
        self.collected = Collected::default();
        self.cells.truncate(mark.cells);
        self.cells.shrink_to(4 * NURSERY_CELLS);
        self.bigs.truncate(mark.bigs);
        self.buffers.truncate(mark.buffers);
        self.chunk = self.chunk.filter(|it| (*it as usize) < mark.buffers);
        self.old = Mark {
            cells: self.old.cells.min(mark.cells),
            bigs: self.old.bigs.min(mark.bigs),
            buffers: self.old.buffers.min(mark.buffers),
            identities: mark.identities,
        };
        self.nodes.truncate(mark.identities);
        self.collect_at(self.cells.len() + NURSERY_CELLS);
        self.count_outside();
        self.outside_at_major = self.outside_bytes;
    }

    fn collect_from(&mut self, from: Mark, roots: &mut dyn Roots) {
        let n_before = self.cells.len();
        let mut copy = Copying::new(self, from);
        let mut n_roots = 0;
        roots.visit(&mut |values| {
            n_roots += values.len();
            copy.forward_all(values);
        });
        copy.scan();
        let Copying { to, bigs, buffers, .. } = copy;
        if from == Mark::EMPTY {
            self.cells = to;
        } else {
            self.cells.truncate(from.cells);
            self.cells.extend_from_slice(&to);
        }
        self.collected.n += 1;
        self.collected.cells += n_before.saturating_sub(self.cells.len()) as u64;
        self.bigs.truncate(from.bigs);
        self.bigs.extend(bigs);
        self.buffers.truncate(from.buffers);
        self.buffers.extend(buffers);
        // The chunk survived as an ordinary buffer; the next small binary opens a new chunk.
        self.chunk = None;
        self.old = self.mark();
        self.cells.shrink_to(2 * self.cells.len() + 2 * NURSERY_CELLS);
        // With many roots (a deep stack) each collection is expensive, so the next one comes later.
        self.collect_at(self.cells.len() + NURSERY_CELLS.max(n_roots));
        self.count_outside();
    }

    fn count_outside(&mut self) {
        self.outside_bytes = self.bigs.iter().map(big_bytes).sum::<usize>()
            + self.buffers.iter().map(Buffer::capacity).sum::<usize>();
    }
}

/// How many collections there were, and how many cells they freed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Collected {
    pub n: u64,
    pub cells: u64,
}

struct Copying<'a> {
    heap: &'a mut Heap,
    from: Mark,
    /// The copied cells of the collected part. In a full collection the unused cell at address 0 comes first.
    to: Vec<Value>,
    /// The address of the first cell of `to`.
    to_begins: usize,
    bigs: Vec<BigInt>,
    big_moved: Vec<Option<u32>>,
    buffers: Vec<Buffer>,
    buffer_moved: Vec<Option<u32>>,
}

impl Copying<'_> {
    fn new(heap: &mut Heap, from: Mark) -> Copying<'_> {
        let big_moved = vec![None; heap.bigs.len().saturating_sub(from.bigs)];
        let buffer_moved = vec![None; heap.buffers.len().saturating_sub(from.buffers)];
        // The target of a full collection gets its final capacity at once, because growing it would need its size
        // again.
        let is_whole = from == Mark::EMPTY;
        let mut to = Vec::with_capacity(if is_whole { heap.cells.len() } else { 0 });
        to.extend(is_whole.then(|| Value::raw(0, 0)));
        Copying {
            heap,
            from,
            to,
            to_begins: if is_whole { 0 } else { from.cells },
            bigs: Vec::new(),
            big_moved,
            buffers: Vec::new(),
            buffer_moved,
        }
    }

    fn forward_all(&mut self, values: &mut [Value]) {
        for value in values {
            *value = self.forward(*value);
        }
    }

    /// Copies the objects that the copied objects point to, until no new one is found.
    fn scan(&mut self) {
        let mut at = self.from.cells - self.to_begins;
        while let Some(value) = self.to.get(at).copied() {
            let value = self.forward(value);
            if let Some(slot) = self.to.get_mut(at) {
                *slot = value;
            }
            at += 1;
        }
    }

    #[inline]
    fn forward(&mut self, value: Value) -> Value {
        match value.tag() {
            Tag::Int
            | Tag::Float
            | Tag::Atom
            | Tag::Nil
            | Tag::Pid
            | Tag::Port
            | Tag::Ref
            | Tag::Raw
            | Tag::Moved => value,
            Tag::Big => self.forward_big(value),
            Tag::Cons | Tag::Tuple | Tag::Map | Tag::Bits | Tag::Fun => self.forward_object(value),
        }
    }

    fn forward_object(&mut self, value: Value) -> Value {
        let at = value.address();
        if index(at.0) < self.from.cells {
            return value;
        }
        let first = self.heap.cell(at.0);
        if first.tag() == Tag::Moved {
            return value.moved_to(first.address());
        }
        let len = self.heap.object_len(value);
        if len == 0 {
            return value;
        }
        let new_at = At((self.to_begins + self.to.len()) as u64);
        let start = self.to.len();
        self.to.extend_from_slice(self.heap.slice(at.0, len));
        if value.tag() == Tag::Bits
            && let Some(slot) = self.to.get_mut(start)
        {
            let buffer =
                self.buffer_moved.get((slot.shadow().0 as usize).wrapping_sub(self.from.buffers));
            // A buffer of the old generation stays where it is.
            let id = match buffer {
                None => slot.shadow().0,
                Some(Some(id)) => *id,
                Some(None) => move_buffer(
                    self.heap,
                    self.from,
                    &mut self.buffers,
                    &mut self.buffer_moved,
                    slot.shadow().0,
                ),
            };
            *slot = Value::raw(slot.payload(), id);
        }
        if let Some(slot) = self.heap.cells.get_mut(index(at.0)) {
            *slot = Value::moved(new_at);
        }
        value.moved_to(new_at)
    }

    fn forward_big(&mut self, value: Value) -> Value {
        let old = index(value.payload());
        let Some(moved) = self.big_moved.get_mut(old.wrapping_sub(self.from.bigs)) else {
            return value;
        };
        let id = *moved.get_or_insert_with(|| {
            let big = self.heap.bigs.get_mut(old).map(std::mem::take).unwrap_or_default();
            self.bigs.push(big);
            id_of(self.from.bigs + self.bigs.len() - 1)
        });
        Value::big_at(BigAt(id)).with_shadow(value.shadow())
    }
}

fn move_buffer(
    heap: &mut Heap,
    from: Mark,
    buffers: &mut Vec<Buffer>,
    moved: &mut [Option<u32>],
    old: u32,
) -> u32 {
    let buffer = heap.buffers.get_mut(old as usize).map(std::mem::take).unwrap_or_default();
    buffers.push(buffer);
    let id = id_of(from.buffers + buffers.len() - 1);
    if let Some(slot) = moved.get_mut((old as usize).wrapping_sub(from.buffers)) {
        *slot = Some(id);
    }
    id
}

fn id_of(len: usize) -> u32 {
    fit_u32(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Kept(Vec<Value>);

    impl Roots for Kept {
        fn visit(&mut self, visitor: &mut dyn FnMut(&mut [Value])) {
            visitor(&mut self.0);
        }
    }

    type Collect = fn(&mut Heap, &mut Kept);

    #[test]
    fn values_survive_young_and_full_collections_in_any_order() {
        let young: Collect = |heap, kept| heap.collect(kept);
        let full: Collect = |heap, kept| heap.collect_all(kept);
        for order in [[young, full, young], [full, young, full], [young, young, full]] {
            let mut heap = Heap::default();
            let items: Vec<Value> = (1..=5).map(Value::int).collect();
            let list = heap.list(&items);
            let tuple = heap.tuple(&[list, Value::EMPTY_TUPLE, list]);
            let mut kept = Kept(vec![list, tuple, list]);
            for collect in order {
                heap.tuple(&items);
                collect(&mut heap, &mut kept);
                let [list, tuple, again] = kept.0.as_slice() else { panic!("roots are kept") };
                assert_eq!(heap.list_items(*list), Some(items.clone()));
                assert_eq!(
                    heap.elements(*tuple),
                    Some([*list, Value::EMPTY_TUPLE, *again].as_slice())
                );
            }
        }
    }
}
