//! The heap: cells, objects that do not fit a cell (blobs), and the trail that undoes bindings.
//!
//! The heap grows at its end and is cut back on backtracking. It knows no choice points.
#![expect(
    clippy::indexing_slicing,
    reason = "addresses are made by the heap; the hot path of every step"
)]

use crate::data::{AtomId, Atoms, FunctorId, Rational, Tag, Value, View};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::rc::Rc;

#[derive(Debug, Default)]
pub struct Heap {
    pub cells: Vec<Value>,
    blobs: Vec<Blob>,
    /// The bytes that the contents of all blobs take.
    blob_bytes: usize,
    pub trail: Vec<Trailed>,
    /// The address below which cells are older than the newest choice point, so that binding them is trailed.
    pub old: usize,
    /// The bound variables with attributes whose `attr_unify_hook` goals have not run yet: their attributes,
    /// and the value that they were bound to.
    pub woken: Vec<(Value, Value)>,
}

/// An object that does not fit a word.
#[derive(Clone, Debug)]
pub enum Blob {
    Big(Rc<BigInt>),
    Rational(Rc<Rational>),
    Text(Rc<str>),
}

impl Blob {
    fn bytes(&self) -> usize {
        let bits = match self {
            Blob::Big(it) => it.bits(),
            Blob::Rational(it) => it.numerator.bits() + it.denominator.bits(),
            Blob::Text(it) => return it.len(),
        };
        usize::try_from(bits / 8).unwrap_or(usize::MAX)
    }
}

/// An entry of the trail: how to undo one change.
#[derive(Clone, Copy, Debug)]
pub enum Trailed {
    /// The cell at this address was an unbound variable.
    Bound(usize),
    /// The cell at this address had this value.
    Changed(usize, Value),
    /// The global variable of this name had this value.
    Global(AtomId, Value),
}

/// The sizes of the heap's parts at one moment, to which backtracking cuts them back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    pub cells: usize,
    pub blobs: usize,
    pub trail: usize,
}

/// The tail that a chain of list cells ends in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnd {
    Nil,
    /// An unbound variable: a partial list.
    Open(Value),
    Other(Value),
    Cyclic,
}

impl Heap {
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark { cells: self.cells.len(), blobs: self.blobs.len(), trail: self.trail.len() }
    }

    /// Drops everything that was allocated since the mark. The trail must have been undone to the mark
    /// before.
    #[inline]
    pub fn cut_back(&mut self, mark: Mark) {
        self.cells.truncate(mark.cells);
        if mark.blobs < self.blobs.len() {
            let gone: usize = self.blobs.drain(mark.blobs..).map(|it| it.bytes()).sum();
            self.blob_bytes -= gone;
        }
    }

    /// Returns the bytes in use.
    pub fn size(&self) -> usize {
        (self.cells.len() + self.trail.len() + self.blobs.len()) * size_of::<Value>()
            + self.blob_bytes
    }

    /// Returns the size of what a garbage collection has to look at, in cells.
    pub(crate) fn weight(&self) -> usize {
        self.cells.len() + self.blobs.len() + self.blob_bytes / size_of::<Value>()
    }

    pub(crate) fn n_blobs(&self) -> usize {
        self.blobs.len()
    }

    pub(crate) fn retain_blobs(&mut self, keep: impl FnMut(&Blob) -> bool) {
        self.blobs.retain(keep);
        self.blob_bytes = self.blobs.iter().map(Blob::bytes).sum();
    }

    #[inline]
    pub fn deref(&self, value: Value) -> Value {
        let mut value = value;
        while value.tag() <= Tag::Attr {
            let next = self.cells[value.address()];
            if next.same_word(value) {
                return value;
            }
            value = next;
        }
        value
    }

    #[inline]
    pub fn cell(&self, at: usize) -> Value {
        self.cells[at]
    }

    /// Returns the argument with index `n`, counted from 0, of a structure, dereferenced.
    #[inline]
    pub fn arg(&self, of: Value, n: usize) -> Value {
        self.deref(self.cells[of.address() + n])
    }

    #[inline]
    pub fn fresh(&mut self) -> Value {
        let res = Value::reference(self.cells.len());
        self.cells.push(res);
        res
    }

    #[inline(always)]
    pub fn bind(&mut self, var: Value, to: Value) {
        let at = var.address();
        if at < self.old || var.tag() == Tag::Attr {
            self.note_binding(var, to);
        }
        self.cells[at] = to;
    }

    /// Trails a binding, and for a variable with attributes also records it in `woken`.
    fn note_binding(&mut self, var: Value, to: Value) {
        let at = var.address();
        if var.tag() == Tag::Attr {
            let attributes = self.cells[at + 1];
            self.woken.push((attributes, to));
            self.trail.push(Trailed::Changed(at, var));
        } else {
            self.trail.push(Trailed::Bound(at));
        }
    }

    /// Overwrites a cell and trails its old value, so that backtracking restores it.
    pub fn change(&mut self, at: usize, to: Value) {
        self.trail.push(Trailed::Changed(at, self.cells[at]));
        self.cells[at] = to;
    }

    pub fn structure(&mut self, functor: FunctorId, args: &[Value]) -> Value {
        let at = self.cells.len();
        self.cells.extend_from_slice(args);
        Value::structure(functor, at)
    }

    pub fn cons(&mut self, head: Value, tail: Value) -> Value {
        self.structure(FunctorId::CONS, &[head, tail])
    }

    pub fn list(&mut self, items: &[Value]) -> Value {
        self.partial_list(items, Value::NIL)
    }

    pub fn partial_list(&mut self, items: &[Value], tail: Value) -> Value {
        items.iter().rev().fold(tail, |tail, item| self.cons(*item, tail))
    }

    pub fn text(&mut self, text: &str) -> Value {
        self.push(Tag::Text, Blob::Text(Rc::from(text)))
    }

    pub fn shared_text(&mut self, text: Rc<str>) -> Value {
        self.push(Tag::Text, Blob::Text(text))
    }

    pub fn integer(&mut self, value: BigInt) -> Value {
        match value.to_i64() {
            Some(small) => Value::int(small),
            None => self.push(Tag::Big, Blob::Big(Rc::new(value))),
        }
    }

    pub fn rational(&mut self, value: Rational) -> Value {
        if value.is_integer() {
            return self.integer(value.into_numerator());
        }
        self.push(Tag::Rational, Blob::Rational(Rc::new(value)))
    }

    pub fn blob(&self, value: Value) -> &Blob {
        &self.blobs[value.address()]
    }

    pub(crate) fn push_blob(&mut self, tag: Tag, blob: Blob) -> Value {
        self.push(tag, blob)
    }

    /// Returns the integer if the value is one that does not fit a word.
    pub fn as_big(&self, value: Value) -> Option<&Rc<BigInt>> {
        match (value.tag(), self.blobs.get(value.address())) {
            (Tag::Big, Some(Blob::Big(big))) => Some(big),
            _ => None,
        }
    }

    pub fn as_rational(&self, value: Value) -> Option<&Rc<Rational>> {
        match (value.tag(), self.blobs.get(value.address())) {
            (Tag::Rational, Some(Blob::Rational(it))) => Some(it),
            _ => None,
        }
    }

    pub fn as_text(&self, value: Value) -> Option<&Rc<str>> {
        match (value.tag(), self.blobs.get(value.address())) {
            (Tag::Text, Some(Blob::Text(text))) => Some(text),
            _ => None,
        }
    }

    /// Returns the items of a list and the end of its chain of cells. A cyclic list gives some of its items
    /// more than once.
    pub fn list_items(&self, list: Value) -> (Vec<Value>, ListEnd) {
        let mut items = Vec::new();
        let mut at = self.deref(list);
        // Brent's algorithm for cycle detection: the position is compared with an earlier one, which moves up
        // at powers of two.
        let (mut turtle, mut power) = (at, 1);
        while at.is_cons() {
            items.push(self.arg(at, 0));
            at = self.arg(at, 1);
            if at.same_word(turtle) && at.is_cons() {
                return (items, ListEnd::Cyclic);
            }
            if items.len() == power {
                turtle = at;
                power *= 2;
            }
        }
        let end = match at.view() {
            View::Atom(AtomId::NIL) => ListEnd::Nil,
            View::Var(_) => ListEnd::Open(at),
            View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Text(_)
            | View::Struct(..) => ListEnd::Other(at),
        };
        (items, end)
    }

    /// Returns the name and arity of an atom (arity 0) or structure.
    pub fn name_arity(&self, value: Value, atoms: &Atoms) -> Option<(AtomId, usize)> {
        match value.view() {
            View::Atom(name) => Some((name, 0)),
            View::Struct(functor, _) => Some(atoms.name_arity(functor)),
            View::Var(_)
            | View::Int(_)
            | View::Big(_)
            | View::Rational(_)
            | View::Float(_)
            | View::Text(_) => None,
        }
    }

    fn push(&mut self, tag: Tag, blob: Blob) -> Value {
        let at = self.blobs.len();
        self.blob_bytes += blob.bytes();
        self.blobs.push(blob);
        Value::blob(tag, at)
    }
}
