//! The heap of a machine: cells of 16 bytes that objects are laid out in, with the big integers and byte buffers beside
//! them.
//!
//! Objects are immutable once built and point only to older objects, so a young collection needs no write barrier (see
//! `collect`). Nothing in this file moves objects: addresses in local variables stay valid until the machine reaches a
//! safe point.

use crate::bits::Buffer;
use crate::value::{At, BigAt, PidId, Tag, Value, View};
use crate::{AtomId, Collected, Effort, Exhausted, Nodes, Shadow};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::cell::Cell;
use term::fit_u32;

/// BEAM's integers have at most this many bits on 64-bit machines: 2^19 - 1 words.
pub const MAX_INTEGER_BITS: u64 = ((1 << 19) - 1) * 64;

#[derive(Debug)]
pub struct Heap {
    pub cells: Vec<Value>,
    pub(super) bigs: Vec<BigInt>,
    pub(super) buffers: Vec<Buffer>,
    /// Bytes held outside the cells, by big integers and buffers.
    pub(super) outside_bytes: usize,
    /// Everything below this mark is the old generation.
    pub(super) old: Mark,
    /// A young collection is due when this many cells are in use.
    pub(super) next_minor: usize,
    /// The process must reach a safe point when this many cells are in use: `next_minor`, or 0 if there is work to be
    /// charged.
    pub(super) next_safe_point: Cell<usize>,
    /// Counts the work inside single operations that is not charged yet.
    pub effort: Effort,
    /// The largest size in bytes of a term that a value is converted to.
    pub max_term_bytes: usize,
    /// Bytes that the run holds besides the heap, as of the last collection.
    pub beside_bytes: usize,
    /// A full collection is due when the old generation has this many cells.
    pub(super) next_major: usize,
    pub(super) outside_at_major: usize,
    /// How many full collections there were. A mark is valid only while this number stays the same.
    pub n_full_collections: u64,
    /// Statistics of the collections of this run.
    pub collected: Collected,
    /// The buffer that small binaries are packed into, if one is open.
    pub(super) chunk: Option<u32>,
    /// The names of the closures of loaded code, indexed by [`LambdaId`].
    pub lambdas: Vec<Lambda>,
    /// The nodes, and the pids, ports and references of other systems.
    pub nodes: Nodes,
}

/// The default of [`Heap::max_term_bytes`], lowered to the memory budget of the run.
const MAX_TERM_BYTES: usize = 1 << 30;

/// A state of the heap: how much of each part was in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    pub cells: usize,
    pub bigs: usize,
    pub buffers: usize,
    /// Pids, ports and references of nodes elsewhere.
    pub identities: usize,
}

impl Mark {
    /// The mark of an empty heap. Address 0 is never given to an object, so the empty tuple needs no cell.
    pub(super) const EMPTY: Mark = Mark { cells: 1, bigs: 0, buffers: 0, identities: 0 };
}

/// The name of the code of a closure, as stack traces, comparison and `erlang:fun_info` use it.
#[derive(Clone, Debug)]
pub struct Lambda {
    pub module: AtomId,
    pub name: AtomId,
    pub arity: u32,
    pub index: u32,
    pub uniq: u32,
    pub module_md5: [u8; 16],
}

/// An index into [`Heap::lambdas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LambdaId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunKind {
    Closure { lambda: LambdaId, n_free: usize },
    External { module: AtomId, function: AtomId, arity: u32 },
}

const EXTERNAL_FUN: u32 = u32::MAX;

impl Default for Heap {
    fn default() -> Heap {
        Heap {
            cells: vec![Value::raw(0, 0)],
            bigs: Vec::new(),
            buffers: Vec::new(),
            outside_bytes: 0,
            old: Mark::EMPTY,
            next_minor: super::collect::NURSERY_CELLS,
            next_safe_point: Cell::new(super::collect::NURSERY_CELLS),
            effort: Effort::default(),
            max_term_bytes: MAX_TERM_BYTES,
            beside_bytes: 0,
            next_major: super::collect::FIRST_MAJOR_CELLS,
            outside_at_major: 0,
            n_full_collections: 0,
            collected: Collected::default(),
            chunk: None,
            lambdas: Vec::new(),
            nodes: Nodes::default(),
        }
    }
}

impl Heap {
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the hot path; a value's address is in the heap")]
    pub(super) fn cell(&self, at: u64) -> Value {
        self.cells[index(at)]
    }

    pub(super) fn slice(&self, at: u64, len: usize) -> &[Value] {
        let from = index(at);
        self.cells.get(from..from + len).unwrap_or_default()
    }

    pub(super) fn next_at(&self) -> At {
        At(self.cells.len() as u64)
    }

    // Lists

    #[inline]
    pub fn cons(&mut self, head: Value, tail: Value) -> Value {
        let at = self.next_at();
        self.cells.extend_from_slice(&[head, tail]);
        Value::at(Tag::Cons, at)
    }

    #[inline]
    pub fn head(&self, cons: At) -> Value {
        self.cell(cons.0)
    }

    #[inline]
    pub fn tail(&self, cons: At) -> Value {
        self.cell(cons.0 + 1)
    }

    /// Returns head and tail, or `None` if the value is not a cons cell.
    #[inline]
    pub fn uncons(&self, value: Value) -> Option<(Value, Value)> {
        if !value.is_cons() {
            return None;
        }
        let at = value.address();
        Some((self.head(at), self.tail(at)))
    }

    /// Makes a proper list of the items.
    pub fn list(&mut self, items: &[Value]) -> Value {
        self.list_with_tail(items, Value::NIL)
    }

    pub fn list_with_tail(&mut self, items: &[Value], tail: Value) -> Value {
        let mut res = tail;
        self.count_steps(items.len());
        self.cells.reserve(items.len() * 2);
        for item in items.iter().rev() {
            res = self.cons(*item, res);
        }
        res
    }

    /// Copies a proper list with another tail. Returns `None` if `list` is not a proper list.
    pub fn append(&mut self, list: Value, tail: Value) -> Option<Value> {
        if list.is_nil() {
            return Some(tail);
        }
        let first = self.next_at();
        let n_before = self.cells.len();
        let mut rest = list;
        while let Some((head, next)) = self.uncons(rest) {
            // The next cons cell will lie directly behind this one.
            let following = Value::at(Tag::Cons, At(self.cells.len() as u64 + 2));
            self.cells.extend_from_slice(&[head, following]);
            rest = next;
        }
        let n_cells = self.cells.len() - n_before;
        self.count_steps(n_cells / 2);
        if !rest.is_nil() || n_cells == 0 {
            self.cells.truncate(n_before);
            return None;
        }
        if let Some(last) = self.cells.last_mut() {
            *last = tail;
        }
        Some(Value::at(Tag::Cons, first))
    }

    /// Returns the items of a proper list, or `None` if the value is not one.
    pub fn list_items(&self, list: Value) -> Option<Vec<Value>> {
        let (items, tail) = self.list_parts(list);
        tail.is_nil().then_some(items)
    }

    /// Returns the items of a list and its tail, which is `[]` for a proper list.
    pub fn list_parts(&self, list: Value) -> (Vec<Value>, Value) {
        let mut items = Vec::new();
        let mut rest = list;
        while let Some((head, tail)) = self.uncons(rest) {
            items.push(head);
            rest = tail;
        }
        self.count_steps(items.len());
        (items, rest)
    }

    /// Returns the length of a proper list, or `None` if the value is not one.
    pub fn list_len(&self, list: Value) -> Option<usize> {
        let mut len = 0;
        let mut rest = list;
        while let Some((_, tail)) = self.uncons(rest) {
            len += 1;
            rest = tail;
        }
        self.count_steps(len);
        rest.is_nil().then_some(len)
    }

    // Tuples

    #[inline]
    pub fn tuple(&mut self, items: &[Value]) -> Value {
        if items.is_empty() {
            return Value::EMPTY_TUPLE;
        }
        let at = self.next_at();
        self.cells.extend_from_slice(items);
        Value::tuple_at(at, items.len())
    }

    /// Returns the elements, or `None` if the value is not a tuple.
    #[inline]
    pub fn elements(&self, value: Value) -> Option<&[Value]> {
        if let View::Tuple(at, arity) = value.view() {
            Some(self.slice(at.0, arity as usize))
        } else {
            None
        }
    }

    /// Returns the element at a zero-based index. The index must be below the arity.
    #[inline]
    pub fn element(&self, tuple: At, place: u32) -> Value {
        self.cell(tuple.0 + u64::from(place))
    }

    // Numbers

    /// Makes an integer in its only representation: a big integer only if it does not fit 64 bits.
    pub fn integer(&mut self, value: BigInt) -> Value {
        if let Some(small) = value.to_i64() {
            return Value::int(small);
        }
        self.add_outside(big_bytes(&value));
        let at = BigAt(fit_u32(self.bigs.len()));
        self.bigs.push(value);
        Value::big_at(at)
    }

    pub fn big(&self, at: BigAt) -> &BigInt {
        const ZERO: &BigInt = &BigInt::ZERO;
        self.bigs.get(at.0 as usize).unwrap_or(ZERO)
    }

    /// Returns any integer as a `BigInt`, or `None` if the value is not an integer.
    pub fn to_big(&self, value: Value) -> Option<BigInt> {
        if let View::Big(at) = value.view() {
            return Some(self.big(at).clone());
        }
        value.as_int().map(BigInt::from)
    }

    // Funs

    pub fn closure(&mut self, lambda: LambdaId, maker: PidId, free: &[Value]) -> Value {
        let at = self.next_at();
        let n_free = u32::try_from(free.len()).unwrap_or(u32::MAX - 1);
        self.cells.push(Value::raw(u64::from(maker.0) << 32 | u64::from(lambda.0), n_free));
        self.cells.extend_from_slice(free);
        Value::at(Tag::Fun, at)
    }

    pub fn external_fun(&mut self, module: AtomId, function: AtomId, arity: u32) -> Value {
        let at = self.next_at();
        self.cells.extend_from_slice(&[
            Value::raw(0, EXTERNAL_FUN),
            Value::atom(module),
            Value::atom(function),
            Value::int(i64::from(arity)),
        ]);
        Value::at(Tag::Fun, at)
    }

    pub fn fun_kind(&self, fun: At) -> FunKind {
        let header = self.cell(fun.0);
        if header.shadow() == Shadow(EXTERNAL_FUN) {
            let atom = |at: u64| self.cell(at).as_atom().unwrap_or(AtomId::UNDEFINED);
            let arity = self.cell(fun.0 + 3).as_int().and_then(|it| u32::try_from(it).ok());
            return FunKind::External {
                module: atom(fun.0 + 1),
                function: atom(fun.0 + 2),
                arity: arity.unwrap_or(0),
            };
        }
        #[expect(clippy::cast_possible_truncation, reason = "the maker is above the LambdaId")]
        let lambda = LambdaId(header.payload() as u32);
        FunKind::Closure { lambda, n_free: header.shadow().0 as usize }
    }

    /// Returns the process that made a closure.
    pub fn fun_maker(&self, fun: At) -> PidId {
        PidId(u32::try_from(self.cell(fun.0).payload() >> 32).unwrap_or(0))
    }

    /// Returns the captured values of a closure; an external fun has none.
    pub fn fun_free(&self, fun: At) -> &[Value] {
        match self.fun_kind(fun) {
            FunKind::Closure { n_free, .. } => self.slice(fun.0 + 1, n_free),
            FunKind::External { .. } => &[],
        }
    }

    /// Finds the named closure code with the same module, index and version.
    pub fn find_lambda(&self, wanted: &Lambda) -> Option<LambdaId> {
        let key = |it: &Lambda| (it.index, it.module, it.uniq, it.module_md5);
        let place = self.lambdas.iter().position(|it| key(it) == key(wanted))?;
        u32::try_from(place).ok().map(LambdaId)
    }

    /// Whether closures of this version of the module have been named.
    pub fn has_lambdas_of(&self, module: AtomId, md5: [u8; 16]) -> bool {
        self.lambdas.iter().any(|it| it.module == module && it.module_md5 == md5)
    }

    /// Names closure code that was decoded from a binary. It can be called once its module is loaded.
    pub fn foreign_lambda(&mut self, lambda: Lambda) -> LambdaId {
        self.find_lambda(&lambda).unwrap_or_else(|| {
            self.lambdas.push(lambda);
            LambdaId(fit_u32(self.lambdas.len() - 1))
        })
    }

    pub fn lambda(&self, id: LambdaId) -> Option<&Lambda> {
        self.lambdas.get(id.0 as usize)
    }

    pub fn fun_arity(&self, fun: At) -> u32 {
        match self.fun_kind(fun) {
            FunKind::Closure { lambda, .. } => self.lambda(lambda).map_or(0, |it| it.arity),
            FunKind::External { arity, .. } => arity,
        }
    }

    /// Pushes the parts of a value onto the stack `todo`. The head of a list is popped first, so a long list leaves
    /// only one tail on the stack.
    pub fn push_parts(&self, value: Value, todo: &mut Vec<Value>) {
        match value.view() {
            View::Cons(at) => todo.extend([self.tail(at), self.head(at)]),
            View::Tuple(at, arity) => todo.extend_from_slice(self.slice(at.0, arity as usize)),
            View::Map(at) => todo.extend(self.map_iter(at).flat_map(|(key, value)| [key, value])),
            View::Fun(at) => todo.extend_from_slice(self.fun_free(at)),
            View::Int(_)
            | View::Big(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Nil
            | View::Bits(_)
            | View::Pid(_)
            | View::Port(_)
            | View::Ref(_) => (),
        }
    }

    /// Returns how many cells the object of this value has; 0 for immediates.
    pub(super) fn object_len(&self, value: Value) -> usize {
        let at = value.address();
        match value.view() {
            View::Cons(_) | View::Bits(_) => 2,
            View::Tuple(_, arity) => arity as usize,
            View::Map(_) => self.map_object_len(at),
            View::Fun(_) => match self.fun_kind(at) {
                FunKind::Closure { n_free, .. } => 1 + n_free,
                FunKind::External { .. } => 4,
            },
            View::Int(_)
            | View::Big(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Nil
            | View::Pid(_)
            | View::Port(_)
            | View::Ref(_) => 0,
        }
    }

    // Accounting

    /// Counts work inside one operation: the cells, digits or words of bytes that it processes.
    #[inline]
    pub fn count_steps(&self, n: usize) {
        if self.effort.count(n as u64) {
            self.next_safe_point.set(0);
        }
    }

    /// Counts work like [`Heap::count_steps`], and returns an error if the run is out of reductions or interrupted.
    pub fn spend_steps(&self, n: usize) -> Result<(), Exhausted> {
        self.count_steps(n);
        self.effort.check()
    }

    /// Whether enough steps are counted to be charged.
    pub fn has_uncharged_work(&self) -> bool {
        self.effort.is_due()
    }

    /// Takes the counted work, in reductions.
    pub fn take_work(&mut self) -> u64 {
        self.next_safe_point.set(self.next_minor);
        self.effort.take_calls()
    }

    pub fn mark(&self) -> Mark {
        Mark {
            cells: self.cells.len(),
            bigs: self.bigs.len(),
            buffers: self.buffers.len(),
            identities: self.nodes.n_identities(),
        }
    }

    pub fn bytes_used(&self) -> usize {
        self.cells.len() * size_of::<Value>()
            + self.outside_bytes
            + self.nodes.bytes()
            + self.beside_bytes
    }
}

#[inline]
pub(super) fn index(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

pub(super) fn big_bytes(value: &BigInt) -> usize {
    usize::try_from(value.bits() / 8).unwrap_or(usize::MAX) + 32
}
