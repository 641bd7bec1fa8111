//! A value in a register: one tagged word and an optional symbolic shadow, 16 bytes, copied freely.
//!
//! Anything larger than a word lies in the [`Heap`](crate::Heap); the value's payload is then its address there.

use crate::AtomId;
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Value {
    payload: u64,
    shadow: Shadow,
    tag: Tag,
}

/// The number of the symbolic expression that a value has as a function of the input, plus 1. [`Shadow::NONE`] marks a
/// value that does not depend on the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shadow(pub u32);

impl Shadow {
    pub const NONE: Shadow = Shadow(0);

    #[inline]
    pub fn is_some(self) -> bool {
        self != Shadow::NONE
    }

    #[inline]
    pub fn is_none(self) -> bool {
        self == Shadow::NONE
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Tag {
    Int,
    Float,
    Atom,
    Nil,
    Cons,
    Tuple,
    Map,
    Bits,
    Fun,
    Pid,
    Port,
    Ref,
    Big,
    /// Only in the heap: raw data of an object (a header, a length), not a value of the program.
    Raw,
    /// Only in the heap and only during a collection: a forwarding pointer to the new address of the object that began
    /// here.
    Moved,
}

/// A value taken apart by its tag. The contents of an object are read through the heap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    Int(i64),
    Big(BigAt),
    Float(f64),
    Atom(AtomId),
    Nil,
    Cons(At),
    Tuple(At, u32),
    Map(At),
    Bits(At),
    Fun(At),
    Pid(PidId),
    Port(PortId),
    Ref(RefId),
}

/// The address of an object: the index of its first cell in the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At(pub u64);

/// The index of a big integer in the heap's table of big integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BigAt(pub u32);

/// The identity of a process. A process has the same identity in every interleaving of a program.
///
/// The upper 4 bits are the number of its node, the lower 28 its number on that node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PidId(pub u32);

/// The number of a node of the machine. Node 0 runs the unit; [`NodeId::ELSEWHERE`] stands for all nodes that the
/// machine does not run, whose names [`Nodes`](crate::Nodes) keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u8);

impl NodeId {
    pub const FIRST: NodeId = NodeId(0);
    pub const ELSEWHERE: NodeId = NodeId(15);
}

impl PidId {
    /// The id (15 bits) and the serial (13 bits) with which BEAM prints the process as `<0.Id.Serial>`.
    pub fn parts(self) -> (u32, u32) {
        (self.0 & MAX_ID, self.number() >> ID_BITS)
    }

    pub fn from_parts(id: u32, serial: u32) -> Option<PidId> {
        (id <= MAX_ID && serial <= MAX_SERIAL).then_some(PidId(serial << ID_BITS | id))
    }

    #[inline]
    pub const fn node(self) -> NodeId {
        NodeId((self.0 >> NUMBER_BITS) as u8)
    }

    /// The number of the process on its node.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0 & ((1 << NUMBER_BITS) - 1)
    }

    /// The process with the same number on another node.
    pub const fn on(self, node: NodeId) -> PidId {
        PidId((node.0 as u32) << NUMBER_BITS | self.number())
    }
}

const NUMBER_BITS: u32 = 28;
const ID_BITS: u32 = 15;
const MAX_ID: u32 = (1 << ID_BITS) - 1;
const MAX_SERIAL: u32 = (1 << 13) - 1;

/// A reference: the `n`-th one that the process `owner` made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RefId {
    pub owner: PidId,
    pub n: u32,
}

/// A port: its node in the upper 4 bits, its number on that node in the lower 60.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PortId(pub u64);

impl PortId {
    const NODE_SHIFT: u32 = 60;
    /// The largest number of a port on BEAM.
    pub const MAX_NUMBER: u64 = (1 << NUMBER_BITS) - 1;

    pub const fn node(self) -> NodeId {
        NodeId((self.0 >> PortId::NODE_SHIFT) as u8)
    }

    pub const fn number(self) -> u64 {
        self.0 & ((1 << PortId::NODE_SHIFT) - 1)
    }

    pub const fn on(self, node: NodeId) -> PortId {
        PortId((node.0 as u64) << PortId::NODE_SHIFT | self.number())
    }
}

/// The payload of a tuple holds its arity from this bit on and its address below.
const ARITY_SHIFT: u32 = 40;
const AT_MASK: u64 = (1 << ARITY_SHIFT) - 1;
/// The largest arity of a tuple, as on BEAM.
pub const MAX_ARITY: usize = (1 << 24) - 1;

impl Value {
    pub const NIL: Value = Value::plain(Tag::Nil, 0);
    pub const EMPTY_TUPLE: Value = Value::plain(Tag::Tuple, 0);
    pub const TRUE: Value = Value::atom(AtomId::TRUE);
    pub const FALSE: Value = Value::atom(AtomId::FALSE);

    const fn plain(tag: Tag, payload: u64) -> Value {
        Value { payload, shadow: Shadow::NONE, tag }
    }

    #[inline]
    pub const fn int(value: i64) -> Value {
        Value::plain(Tag::Int, value.cast_unsigned())
    }

    #[inline]
    pub const fn float(value: f64) -> Value {
        Value::plain(Tag::Float, value.to_bits())
    }

    #[inline]
    pub const fn atom(atom: AtomId) -> Value {
        Value::plain(Tag::Atom, atom.0 as u64)
    }

    #[inline]
    pub const fn bool(value: bool) -> Value {
        if value { Value::TRUE } else { Value::FALSE }
    }

    #[inline]
    pub const fn pid(pid: PidId) -> Value {
        Value::plain(Tag::Pid, pid.0 as u64)
    }

    pub const fn port(port: PortId) -> Value {
        Value::plain(Tag::Port, port.0)
    }

    pub const fn reference(id: RefId) -> Value {
        Value::plain(Tag::Ref, (id.owner.0 as u64) << 32 | id.n as u64)
    }

    #[inline]
    pub(crate) const fn at(tag: Tag, at: At) -> Value {
        Value::plain(tag, at.0)
    }

    #[inline]
    pub(crate) const fn tuple_at(at: At, arity: usize) -> Value {
        Value::plain(Tag::Tuple, (arity as u64) << ARITY_SHIFT | at.0)
    }

    pub(crate) const fn big_at(at: BigAt) -> Value {
        Value::plain(Tag::Big, at.0 as u64)
    }

    /// A cell of raw data inside an object.
    pub(crate) const fn raw(payload: u64, extra: u32) -> Value {
        Value { payload, shadow: Shadow(extra), tag: Tag::Raw }
    }

    pub(crate) const fn moved(to: At) -> Value {
        Value::plain(Tag::Moved, to.0)
    }

    #[inline]
    pub const fn tag(self) -> Tag {
        self.tag
    }

    #[inline]
    pub(crate) const fn payload(self) -> u64 {
        self.payload
    }

    #[inline]
    pub const fn shadow(self) -> Shadow {
        self.shadow
    }

    #[inline]
    pub const fn with_shadow(self, shadow: Shadow) -> Value {
        Value { payload: self.payload, shadow, tag: self.tag }
    }

    /// The same value without its shadow.
    #[inline]
    pub const fn concrete(self) -> Value {
        self.with_shadow(Shadow::NONE)
    }

    /// Whether payload and tag are equal, whatever the shadows. This is term equality for immediates and identity for
    /// objects in the heap.
    #[inline]
    pub fn same_word(self, other: Value) -> bool {
        self.payload == other.payload && self.tag == other.tag
    }

    #[inline]
    pub const fn address(self) -> At {
        At(self.payload & AT_MASK)
    }

    /// The value with another address, arity and shadow unchanged: the object was moved there.
    #[inline]
    pub(crate) const fn moved_to(self, at: At) -> Value {
        Value { payload: self.payload & !AT_MASK | at.0, shadow: self.shadow, tag: self.tag }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "made from an id of that width")]
    pub fn view(self) -> View {
        match self.tag {
            Tag::Int => View::Int(self.payload.cast_signed()),
            Tag::Float => View::Float(f64::from_bits(self.payload)),
            Tag::Atom => View::Atom(AtomId(self.payload as u32)),
            // Raw and forwarding cells are never handed out as values.
            Tag::Nil | Tag::Raw | Tag::Moved => View::Nil,
            Tag::Cons => View::Cons(self.address()),
            Tag::Tuple => View::Tuple(self.address(), (self.payload >> ARITY_SHIFT) as u32),
            Tag::Map => View::Map(self.address()),
            Tag::Bits => View::Bits(self.address()),
            Tag::Fun => View::Fun(self.address()),
            Tag::Pid => View::Pid(PidId(self.payload as u32)),
            Tag::Port => View::Port(PortId(self.payload)),
            Tag::Ref => View::Ref(RefId {
                owner: PidId((self.payload >> 32) as u32),
                n: self.payload as u32,
            }),
            Tag::Big => View::Big(BigAt(self.payload as u32)),
        }
    }

    #[inline]
    pub const fn as_int(self) -> Option<i64> {
        if matches!(self.tag, Tag::Int) { Some(self.payload.cast_signed()) } else { None }
    }

    #[inline]
    pub const fn as_float(self) -> Option<f64> {
        if matches!(self.tag, Tag::Float) { Some(f64::from_bits(self.payload)) } else { None }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "made from an id of that width")]
    pub const fn as_atom(self) -> Option<AtomId> {
        if matches!(self.tag, Tag::Atom) { Some(AtomId(self.payload as u32)) } else { None }
    }

    pub fn as_bool(self) -> Option<bool> {
        match self.as_atom() {
            Some(AtomId::TRUE) => Some(true),
            Some(AtomId::FALSE) => Some(false),
            _ => None,
        }
    }

    #[inline]
    pub fn as_usize(self) -> Option<usize> {
        self.as_int().and_then(|it| usize::try_from(it).ok())
    }

    /// Whether BEAM keeps this integer in a word (a *small*: 60 bits with the sign). Our words hold 64 bits.
    pub fn is_small_on_beam(self) -> bool {
        const SMALL: i64 = 1 << 59;
        self.as_int().is_some_and(|it| (-SMALL..SMALL).contains(&it))
    }

    pub fn as_pid(self) -> Option<PidId> {
        if let View::Pid(pid) = self.view() { Some(pid) } else { None }
    }

    pub fn as_ref(self) -> Option<RefId> {
        if let View::Ref(id) = self.view() { Some(id) } else { None }
    }

    #[inline]
    pub const fn is_nil(self) -> bool {
        matches!(self.tag, Tag::Nil)
    }

    #[inline]
    pub const fn is_cons(self) -> bool {
        matches!(self.tag, Tag::Cons)
    }

    #[inline]
    pub fn is_atom(self, atom: AtomId) -> bool {
        self.as_atom() == Some(atom)
    }

    pub const fn is_integer(self) -> bool {
        matches!(self.tag, Tag::Int | Tag::Big)
    }

    pub const fn is_number(self) -> bool {
        matches!(self.tag, Tag::Int | Tag::Big | Tag::Float)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.view())?;
        if self.shadow.is_some() {
            write!(f, "~{}", self.shadow.0)?;
        }
        Ok(())
    }
}

const _: () = assert!(size_of::<Value>() == 16, "registers and heap cells are 16 bytes");
