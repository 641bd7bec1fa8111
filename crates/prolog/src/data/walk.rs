//! Traversal of terms without native recursion, which terminates for cyclic terms.

use crate::data::{Atoms, Heap, Tag, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// An iterator over the subterms of a term, dereferenced, in pre-order and left to right.
///
/// In a term of more than `CYCLE_CHECK_AFTER` structures each further structure is entered only once. So cyclic
/// terms terminate, and shared subterms may be skipped.
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

/// The number of structures after which a term may be cyclic, so that further structures are looked up in a
/// table of those seen.
pub(crate) const CYCLE_CHECK_AFTER: usize = 1 << 16;

/// A union-find structure over structures that are assumed equal while two terms are compared or unified (the
/// coinductive equality of rational trees). There are at most as many successful joins as structures, so
/// comparing two terms terminates soon even if they are cyclic or share subterms.
#[derive(Debug, Default)]
pub(crate) struct AssumedEqual {
    /// Maps a structure's word to another member of its class. A representative has no entry.
    parents: FxHashMap<u64, u64>,
}

impl AssumedEqual {
    /// Assumes that two structures are equal. Returns false if that was already assumed.
    pub(crate) fn join(&mut self, a: u64, b: u64) -> bool {
        let (a, b) = (self.class(a), self.class(b));
        if a != b {
            self.parents.insert(a, b);
        }
        a != b
    }

    fn class(&mut self, of: u64) -> u64 {
        let mut now = of;
        while let Some(next) = self.parents.get(&now).copied() {
            // Path halving: the entry is redirected to its grandparent, so that later lookups are shorter.
            let beyond = self.parents.get(&next).copied().unwrap_or(next);
            self.parents.insert(now, beyond);
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
            if self.n_structs < CYCLE_CHECK_AFTER || self.seen.insert(value.payload()) {
                let (at, n) = (value.address(), self.atoms.arity(value.functor()));
                self.todo.extend((0..n).rev().map(|k| self.heap.cell(at + k)));
            }
        }
        Some(value)
    }
}
