//! Terms stored outside the heap: they survive backtracking, and loading one makes a copy of the term.

use crate::data::{Atoms, Blob, Heap, Tag, Value};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// A term whose cells have addresses relative to the record instead of the heap.
#[derive(Clone, Debug, Default)]
pub struct Record {
    cells: Vec<Value>,
    blobs: Vec<(Tag, Blob)>,
    root: Option<Value>,
}

impl Record {
    /// Stores a copy of a term. Variables with attributes become plain ones.
    pub fn new(heap: &Heap, atoms: &Atoms, term: Value) -> Record {
        Record::of(heap, atoms, term, Attributes::Forgotten)
    }

    pub fn with_attributes(heap: &Heap, atoms: &Atoms, term: Value) -> Record {
        Record::of(heap, atoms, term, Attributes::Copied)
    }

    fn of(heap: &Heap, atoms: &Atoms, term: Value, attributes: Attributes) -> Record {
        // Most terms are small and acyclic, so a copy without a table of structures is tried first. If it
        // grows too large, the term may be cyclic: the copy is thrown away, and a second one preserves
        // sharing.
        let quick = Record::copied(heap, atoms, term, attributes, Sharing::Ignored);
        quick
            .or_else(|| Record::copied(heap, atoms, term, attributes, Sharing::Kept))
            .unwrap_or_default()
    }

    fn copied(
        heap: &Heap,
        atoms: &Atoms,
        term: Value,
        attributes: Attributes,
        sharing: Sharing,
    ) -> Option<Record> {
        let mut res = Record::default();
        let mut target = Target { cells: &mut res.cells, offset: 0 };
        let mut blobs = Vec::new();
        let how = (attributes, sharing);
        let root = copy(heap, atoms, &mut target, term, how, &mut |heap, value| {
            blobs.push((value.tag(), heap.blob(value).clone()));
            Value::blob(value.tag(), blobs.len() - 1).with_shadow(value.shadow())
        })?;
        res.root = Some(root);
        res.blobs = blobs;
        Some(res)
    }

    pub fn size(&self) -> usize {
        self.cells.len() * size_of::<Value>() + self.blobs.len() * size_of::<Blob>()
    }

    pub(crate) fn root(&self) -> Value {
        self.root.unwrap_or(Value::NIL)
    }

    /// Returns an argument of a structure of this record, dereferenced. All occurrences of a variable give
    /// the same value.
    pub(crate) fn arg(&self, of: Value, n: usize) -> Option<Value> {
        if of.tag() != Tag::Struct {
            return None;
        }
        let mut value = *self.cells.get(of.address() + n)?;
        while value.tag() == Tag::Ref {
            match self.cells.get(value.address()) {
                Some(next) if *next != value => value = *next,
                _ => break,
            }
        }
        Some(value)
    }

    pub(crate) fn blob(&self, value: Value) -> Option<&Blob> {
        self.blobs.get(value.address()).map(|it| &it.1)
    }

    /// Copies the term into the heap, with fresh variables.
    pub fn load(&self, heap: &mut Heap) -> Value {
        let base = heap.cells.len();
        let place = |heap: &mut Heap, value: Value| match value.tag() {
            Tag::Ref | Tag::Attr | Tag::Struct => value.moved_to(value.address() + base),
            Tag::Int | Tag::Atom | Tag::Float => value,
            Tag::Big | Tag::Rational | Tag::Text => match self.blobs.get(value.address()) {
                Some((tag, blob)) => heap.push_blob(*tag, blob.clone()).with_shadow(value.shadow()),
                None => value,
            },
        };
        heap.cells.reserve(self.cells.len());
        for cell in &self.cells {
            let cell = place(heap, *cell);
            heap.cells.push(cell);
        }
        match self.root {
            Some(root) => place(heap, root),
            None => heap.fresh(),
        }
    }
}

/// Copies a term within the heap, with fresh variables in place of all variables, without their attributes.
/// An atomic term is returned as it is.
pub fn copy_plain(heap: &mut Heap, atoms: &Atoms, term: Value) -> Value {
    let term = heap.deref(term);
    if term.tag() != Tag::Struct && !term.is_var() {
        return term;
    }
    Record::new(heap, atoms, term).load(heap)
}

/// Whether a copy keeps the attributes of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attributes {
    Copied,
    Forgotten,
}

/// Whether a copy looks up each structure in a table, so that shared and cyclic structures stay shared. The
/// lookup costs more than copying, so up to [`QUICK`] structures are copied without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sharing {
    Ignored,
    Kept,
}

const QUICK: usize = 1 << 14;

struct Target<'a> {
    cells: &'a mut Vec<Value>,
    offset: usize,
}

fn copy(
    heap: &Heap,
    atoms: &Atoms,
    target: &mut Target<'_>,
    term: Value,
    (attributes, sharing): (Attributes, Sharing),
    blob: &mut dyn FnMut(&Heap, Value) -> Value,
) -> Option<Value> {
    let mut vars: FxHashMap<usize, usize> = FxHashMap::default();
    let mut structs: FxHashMap<u64, Value> = FxHashMap::default();
    let n_structs = Cell::new(0_usize);
    // The arguments still to be copied: the address in the copy, the address in the heap, and their number.
    let mut todo: Vec<(usize, usize, usize)> = Vec::new();
    let mut place = |target: &mut Target<'_>,
                     todo: &mut Vec<(usize, usize, usize)>,
                     at: Option<usize>,
                     value: Value| {
        let value = heap.deref(value);
        match value.tag() {
            Tag::Ref | Tag::Attr => match vars.get(&value.address()) {
                Some(old) => Value::reference(*old),
                None if attributes == Attributes::Copied
                    && value.tag() == Tag::Attr
                    && !heap.deref(heap.cell(value.address() + 1)).is_nil() =>
                {
                    let new = target.offset + target.cells.len();
                    target.cells.push(Value::attributed(new));
                    target.cells.push(Value::NIL);
                    todo.push((new + 1, value.address() + 1, 1));
                    vars.insert(value.address(), new);
                    Value::reference(new)
                }
                None => {
                    let new = at.unwrap_or_else(|| {
                        target.cells.push(Value::NIL);
                        target.offset + target.cells.len() - 1
                    });
                    if let Some(cell) = target.cells.get_mut(new - target.offset) {
                        *cell = Value::reference(new);
                    }
                    vars.insert(value.address(), new);
                    Value::reference(new)
                }
            },
            Tag::Struct => {
                n_structs.set(n_structs.get() + 1);
                if sharing == Sharing::Kept
                    && let Some(old) = structs.get(&value.payload())
                {
                    return *old;
                }
                let n = atoms.arity(value.functor());
                let new = target.offset + target.cells.len();
                target.cells.resize(target.cells.len() + n, Value::NIL);
                todo.push((new, value.address(), n));
                let res = value.moved_to(new);
                if sharing == Sharing::Kept {
                    structs.insert(value.payload(), res);
                }
                res
            }
            Tag::Int | Tag::Atom | Tag::Float => value,
            Tag::Big | Tag::Rational | Tag::Text => blob(heap, value),
        }
    };
    let root = place(target, &mut todo, None, term);
    while let Some((to, from, n)) = todo.pop() {
        if sharing == Sharing::Ignored && QUICK < n_structs.get() {
            return None;
        }
        for k in 0..n {
            let value = place(target, &mut todo, Some(to + k), heap.cell(from + k));
            if let Some(cell) = target.cells.get_mut(to + k - target.offset) {
                *cell = value;
            }
        }
    }
    Some(root)
}
