//! Going through a term without recursion, and without end only where the term has none.

use crate::data::{Atoms, Heap, Tag, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The parts of a term, dereferenced, left to right, a structure before its arguments.
///
/// A structure of a large term is entered once: cyclic terms end, shared parts may be passed over.
#[derive(Debug)]
pub struct Walk<'a> {
    heap: &'a Heap,
    atoms: &'a Atoms,
    todo: Vec<Value>,
    n_structs: usize,
    seen: FxHashSet<u64>,
}

impl<'a> Walk<'a> {
    pub fn new(heap: &'a Heap, atoms: &'a Atoms, term: Value) -> Walk<'a> {
        Walk { heap, atoms, todo: vec![term], n_structs: 0, seen: FxHashSet::default() }
    }
}

/// After so many structures the term may be cyclic: from there on they are looked up.
pub(crate) const SUSPICIOUS: usize = 1 << 16;

/// Structures that are equal if all pairs joined so far are. With as many joins as there are structures
/// everything is alike, so comparing two terms ends soon, whatever they share and however they wind.
#[derive(Debug, Default)]
pub(crate) struct Alike {
    /// To another of the same class, by word.
    towards: FxHashMap<u64, u64>,
}

impl Alike {
    /// Whether this is news.
    pub(crate) fn join(&mut self, a: u64, b: u64) -> bool {
        let (a, b) = (self.class(a), self.class(b));
        if a != b {
            self.towards.insert(a, b);
        }
        a != b
    }

    fn class(&mut self, of: u64) -> u64 {
        let mut now = of;
        while let Some(next) = self.towards.get(&now).copied() {
            // Halves the way for those who come after.
            let beyond = self.towards.get(&next).copied().unwrap_or(next);
            self.towards.insert(now, beyond);
            now = beyond;
            if beyond == next {
                break;
            }
        }
        now
    }
}

impl Iterator for Walk<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let value = self.heap.deref(self.todo.pop()?);
        if value.tag() == Tag::Struct {
            self.n_structs += 1;
            if self.n_structs < SUSPICIOUS || self.seen.insert(value.payload()) {
                let (at, n) = (value.address(), self.atoms.arity(value.functor()));
                self.todo.extend((0..n).rev().map(|k| self.heap.cell(at + k)));
            }
        }
        Some(value)
    }
}
