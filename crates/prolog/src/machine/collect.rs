//! Garbage collection: a sliding mark-and-compact collector. Reachable cells keep their order.
//!
//! The order matters because a choice point keeps all older cells by a single address. Stack slots that are
//! not yet initialised may still hold values of finished calls; these count as roots if they point into the
//! heap, which at worst keeps garbage.
#![expect(clippy::indexing_slicing, reason = "sizes of the tables follow from those of the heap")]

use crate::data::{Blob, Tag, Trailed, Value};
use crate::machine::{Global, Machine, Stop};

/// The capacity of the heap, in cells, that is kept after a collection.
const KEPT_CELLS: usize = 1 << 20;

impl Machine {
    /// Collects garbage if the heap has grown enough since the last collection. The first `arity` values at
    /// `base` are the arguments of the call that comes next.
    pub(crate) fn collect_if_due(&mut self, arity: usize) -> Result<(), Stop> {
        if self.heap.weight() < self.control.collect_at.max(self.collect_from) {
            return Ok(());
        }
        self.collect(self.control.base + arity);
        let live = self.heap.weight();
        let budget = self.limits.memory_bytes / size_of::<Value>();
        if budget < live + live / 16 {
            return Err(Stop::Memory);
        }
        self.control.collect_at = (live * 2).min(live + (budget - live) / 2);
        Ok(())
    }

    /// Collects garbage. All values on the stack below `top` are roots.
    fn collect(&mut self, top: usize) {
        let mut marks = Marks::new(self);
        for n in 0..top.min(self.stack.len()) {
            marks.reach(self, self.stack[n]);
        }
        marks.reach(self, self.bindings);
        for (attributes, value) in self.heap.woken.clone() {
            marks.reach(self, attributes);
            marks.reach(self, value);
        }
        let live: Vec<Value> = self.live_globals();
        live.into_iter().for_each(|it| marks.reach(self, it));
        for n in 0..self.heap.trail.len() {
            if let Trailed::Changed(_, old) = self.heap.trail[n] {
                marks.reach(self, old);
            }
        }
        marks.count();
        self.move_roots(&marks, top);
        self.move_trail(&marks);
        for choice in &mut self.control.choices {
            choice.mark.cells = marks.cells.place(choice.mark.cells);
            choice.mark.blobs = marks.blobs.place(choice.mark.blobs);
        }
        self.heap.old = marks.cells.place(self.heap.old);
        self.heap.keep(&marks.cells, &marks.blobs);
    }

    fn live_globals(&self) -> Vec<Value> {
        let values = self.run.globals.values().flatten();
        values
            .filter_map(|it| match it {
                Global::Live(value) => Some(*value),
                Global::Kept(_, loaded) => *loaded,
            })
            .collect()
    }

    fn move_roots(&mut self, marks: &Marks, top: usize) {
        for n in 0..top.min(self.stack.len()) {
            self.stack[n] = marks.moved(self.stack[n]);
        }
        self.bindings = marks.moved(self.bindings);
        for (attributes, value) in &mut self.heap.woken {
            *attributes = marks.moved(*attributes);
            *value = marks.moved(*value);
        }
        for global in self.run.globals.values_mut().flatten() {
            if let Global::Live(value) | Global::Kept(_, Some(value)) = global {
                *value = marks.moved(*value);
            }
        }
    }

    /// Compacts the trail: drops the entries of cells that are gone, and adjusts the marks of choice points.
    fn move_trail(&mut self, marks: &Marks) {
        let old = std::mem::take(&mut self.heap.trail);
        let mut choices = self.control.choices.iter_mut().peekable();
        let mut new = Vec::with_capacity(old.len());
        for (n, entry) in old.into_iter().enumerate() {
            while let Some(choice) = choices.next_if(|it| it.mark.trail <= n) {
                choice.mark.trail = new.len();
            }
            match entry {
                Trailed::Bound(at) if marks.cells.has(at) => {
                    new.push(Trailed::Bound(marks.cells.place(at)));
                }
                Trailed::Changed(at, old) if marks.cells.has(at) => {
                    new.push(Trailed::Changed(marks.cells.place(at), marks.moved(old)));
                }
                Trailed::Global(..) => new.push(entry),
                Trailed::Bound(_) | Trailed::Changed(..) => {}
            }
        }
        choices.for_each(|it| it.mark.trail = new.len());
        self.heap.trail = new;
    }
}

/// The sets of reachable cells and blobs.
struct Marks {
    cells: IndexSet,
    blobs: IndexSet,
    arities: Vec<u32>,
    todo: Vec<Value>,
}

impl Marks {
    fn new(machine: &Machine) -> Marks {
        Marks {
            cells: IndexSet::new(machine.heap.cells.len()),
            blobs: IndexSet::new(machine.heap.n_blobs()),
            arities: machine.atoms.arities(),
            todo: Vec::new(),
        }
    }

    /// Marks everything that is reachable from a value.
    fn reach(&mut self, machine: &Machine, value: Value) {
        self.mark(value, &machine.heap.cells);
        while let Some(next) = self.todo.pop() {
            self.mark(next, &machine.heap.cells);
        }
    }

    #[inline]
    fn mark(&mut self, value: Value, cells: &[Value]) {
        let (at, n) = match value.tag() {
            Tag::Int | Tag::Atom | Tag::Float => return,
            Tag::Ref => (value.address(), 1),
            Tag::Attr => (value.address(), 2),
            Tag::Struct => (value.address(), self.arities[value.functor().0 as usize] as usize),
            Tag::Big | Tag::Rational | Tag::Text => {
                if value.address() < self.blobs.len {
                    self.blobs.set(value.address());
                }
                return;
            }
        };
        if cells.len() < at + n {
            return;
        }
        for at in (at..at + n).rev() {
            if self.cells.set(at) && Tag::Int != cells[at].tag() && Tag::Atom != cells[at].tag() {
                self.todo.push(cells[at]);
            }
        }
    }

    fn count(&mut self) {
        self.cells.count();
        self.blobs.count();
    }

    #[inline]
    fn moved(&self, value: Value) -> Value {
        match value.tag() {
            Tag::Int | Tag::Atom | Tag::Float => value,
            Tag::Ref | Tag::Attr | Tag::Struct if value.address() <= self.cells.len => {
                value.moved_to(self.cells.place(value.address()))
            }
            Tag::Big | Tag::Rational | Tag::Text if value.address() <= self.blobs.len => {
                value.moved_to(self.blobs.place(value.address()))
            }
            Tag::Ref | Tag::Attr | Tag::Struct | Tag::Big | Tag::Rational | Tag::Text => value,
        }
    }
}

/// A bit set of indexes, with the number of members before each word.
pub(crate) struct IndexSet {
    words: Vec<u64>,
    before: Vec<u32>,
    len: usize,
}

impl IndexSet {
    fn new(len: usize) -> IndexSet {
        IndexSet { words: vec![0; len / 64 + 1], before: Vec::new(), len }
    }

    /// Adds an index. Returns whether it was not in the set before.
    #[inline]
    fn set(&mut self, at: usize) -> bool {
        let (word, bit) = (&mut self.words[at / 64], 1_u64 << (at % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    #[inline]
    pub(crate) fn has(&self, at: usize) -> bool {
        self.words[at / 64] & (1_u64 << (at % 64)) != 0
    }

    fn count(&mut self) {
        let mut n = 0;
        for word in &self.words {
            self.before.push(n);
            n += word.count_ones();
        }
    }

    /// Returns the index of a member after the other indexes were dropped.
    #[inline]
    pub(crate) fn place(&self, at: usize) -> usize {
        let below = self.words[at / 64] & ((1_u64 << (at % 64)) - 1);
        (self.before[at / 64] + below.count_ones()) as usize
    }

    /// Returns the members in ascending order.
    fn places(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(n, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest.wrapping_sub(1);
                (bit < 64).then_some(n * 64 + bit)
            })
        })
    }
}

impl crate::data::Heap {
    /// Drops all cells and blobs that are not in the sets, and moves the others together.
    fn keep(&mut self, cells: &IndexSet, blobs: &IndexSet) {
        let mut n = 0;
        for at in cells.places() {
            let value = self.cells[at];
            self.cells[n] = match value.tag() {
                Tag::Int | Tag::Atom | Tag::Float => value,
                Tag::Ref | Tag::Attr | Tag::Struct => value.moved_to(cells.place(value.address())),
                Tag::Big | Tag::Rational | Tag::Text => {
                    value.moved_to(blobs.place(value.address()))
                }
            };
            n += 1;
        }
        self.cells.truncate(n);
        // Some capacity is kept because it is soon used again: allocating it anew costs a fifth of the time
        // of naive reverse.
        self.cells.shrink_to((n * 3).max(KEPT_CELLS));
        let mut at = 0;
        self.retain_blobs(|_: &Blob| {
            at += 1;
            blobs.has(at - 1)
        });
    }
}
