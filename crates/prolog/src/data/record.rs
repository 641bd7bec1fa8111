//! Terms outside the heap: what must survive backtracking, and copies of terms.

use crate::data::{Atoms, Blob, Heap, Tag, Value};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// A term with addresses of its own.
#[derive(Clone, Debug, Default)]
pub struct Record {
    cells: Vec<Value>,
    blobs: Vec<(Tag, Blob)>,
    root: Option<Value>,
}

impl Record {
    /// Variables with attributes become plain ones.
    pub fn new(heap: &Heap, atoms: &Atoms, term: Value) -> Record {
        Record::of(heap, atoms, term, Attributes::Forgotten)
    }

    pub fn with_attributes(heap: &Heap, atoms: &Atoms, term: Value) -> Record {
        Record::of(heap, atoms, term, Attributes::Copied)
    }

    fn of(heap: &Heap, atoms: &Atoms, term: Value, attributes: Attributes) -> Record {
        // A large term may be cyclic: what was copied of it is thrown away, as it has its parts many times.
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

    /// An argument of a structure of this record; a variable is the same wherever it occurs.
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

    /// The term, with fresh variables.
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

/// A copy in the same heap, with fresh variables; attributes are left behind. Ground parts are
/// shared.
pub fn copy_plain(heap: &mut Heap, atoms: &Atoms, term: Value) -> Value {
    let term = heap.deref(term);
    if term.tag() != Tag::Struct && !term.is_var() {
        return term;
    }
    Record::new(heap, atoms, term).load(heap)
}

/// What becomes of attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attributes {
    Copied,
    Forgotten,
}

/// Whether structures are looked up, which costs more than copying them: a term of at most
/// [`QUICK`] structures is copied without.
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
    // Where the copy goes, and what of.
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
