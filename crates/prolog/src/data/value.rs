//! A value in a slot: a tagged word and a symbolic shadow, 16 bytes together, copied freely.
//!
//! Objects larger than a word are in the [`Heap`](crate::data::Heap); the value has only their address.

use crate::data::{AtomId, FunctorId};
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Value {
    payload: u64,
    shadow: Shadow,
    tag: Tag,
}

/// The number of the symbolic expression that a value has over the input. [`Shadow::NONE`]: the value does
/// not depend on the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shadow(pub u32);

impl Shadow {
    pub const NONE: Shadow = Shadow(0);

    #[inline]
    pub fn is_some(self) -> bool {
        self != Shadow::NONE
    }
}

/// The kind of a value. Tags of variables come first, so that one comparison tells whether a value must be
/// dereferenced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Tag {
    /// A reference to a cell of the heap. An unbound variable is a cell that refers to itself.
    Ref,
    /// A variable with attributes, which are in the next cell.
    Attr,
    Int,
    Atom,
    Struct,
    Float,
    Big,
    Rational,
    Text,
}

/// A value decoded into a Rust enum. Numbers in `Var`, `Big`, `Rational` and `Text` are addresses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// An unbound variable, if the value was dereferenced.
    Var(usize),
    Int(i64),
    Big(usize),
    Rational(usize),
    Float(f64),
    Atom(AtomId),
    /// A string.
    Text(usize),
    /// The functor, and the address of the first argument.
    Struct(FunctorId, usize),
}

/// The bit at which the payload of a structure is split: above it the functor, below it the address of the
/// arguments.
const FUNCTOR_SHIFT: u32 = 40;
const AT_MASK: u64 = (1 << FUNCTOR_SHIFT) - 1;

impl Value {
    pub const NIL: Value = Value::atom(AtomId::NIL);
    pub const TRUE: Value = Value::atom(AtomId::TRUE);
    pub const FALSE: Value = Value::atom(AtomId::FALSE);

    const fn plain(tag: Tag, payload: u64) -> Value {
        Value { payload, shadow: Shadow::NONE, tag }
    }

    #[inline]
    pub const fn int(value: i64) -> Value {
        Value::plain(Tag::Int, value.cast_unsigned())
    }

    /// Returns an integer for a count or size of something in memory.
    #[inline]
    pub const fn size(value: usize) -> Value {
        Value::plain(Tag::Int, value as u64)
    }

    #[inline]
    pub const fn float(value: f64) -> Value {
        Value::plain(Tag::Float, value.to_bits())
    }

    #[inline]
    pub const fn atom(atom: AtomId) -> Value {
        Value::plain(Tag::Atom, atom.0 as u64)
    }

    pub const fn bool(value: bool) -> Value {
        if value { Value::TRUE } else { Value::FALSE }
    }

    #[inline]
    pub const fn reference(at: usize) -> Value {
        Value::plain(Tag::Ref, at as u64)
    }

    pub const fn attributed(at: usize) -> Value {
        Value::plain(Tag::Attr, at as u64)
    }

    #[inline]
    pub const fn structure(functor: FunctorId, at: usize) -> Value {
        Value::plain(Tag::Struct, (functor.0 as u64) << FUNCTOR_SHIFT | at as u64)
    }

    /// Returns a value that refers to a blob of the heap by its index.
    pub(crate) const fn blob(tag: Tag, at: usize) -> Value {
        Value::plain(tag, at as u64)
    }

    #[inline]
    pub const fn tag(self) -> Tag {
        self.tag
    }

    #[inline]
    pub const fn payload(self) -> u64 {
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

    /// Whether the words are equal, whatever the shadows. That is identity for immediate values, variables
    /// and shared objects.
    #[inline]
    pub fn same_word(self, other: Value) -> bool {
        self.payload == other.payload && self.tag == other.tag
    }

    /// Returns the address of the cell or of the arguments.
    #[inline]
    pub const fn address(self) -> usize {
        (self.payload & AT_MASK) as usize
    }

    /// Returns the same structure or variable at another address.
    #[inline]
    pub(crate) const fn moved_to(self, at: usize) -> Value {
        Value { payload: self.payload & !AT_MASK | at as u64, shadow: self.shadow, tag: self.tag }
    }

    #[inline]
    pub const fn functor(self) -> FunctorId {
        FunctorId((self.payload >> FUNCTOR_SHIFT) as u32)
    }

    #[inline]
    pub const fn is_struct(self, functor: FunctorId) -> bool {
        matches!(self.tag, Tag::Struct) && self.functor().0 == functor.0
    }

    #[inline]
    pub const fn is_cons(self) -> bool {
        self.is_struct(FunctorId::CONS)
    }

    #[inline]
    pub const fn is_nil(self) -> bool {
        matches!(self.tag, Tag::Atom) && self.payload == AtomId::NIL.0 as u64
    }

    /// Whether a dereferenced value is an unbound variable.
    #[inline]
    pub const fn is_var(self) -> bool {
        matches!(self.tag, Tag::Ref | Tag::Attr)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "made from an id of that width")]
    pub const fn view(self) -> View {
        match self.tag {
            Tag::Ref | Tag::Attr => View::Var(self.address()),
            Tag::Int => View::Int(self.payload.cast_signed()),
            Tag::Float => View::Float(f64::from_bits(self.payload)),
            Tag::Atom => View::Atom(AtomId(self.payload as u32)),
            Tag::Struct => View::Struct(self.functor(), self.address()),
            Tag::Big => View::Big(self.address()),
            Tag::Rational => View::Rational(self.address()),
            Tag::Text => View::Text(self.address()),
        }
    }

    #[inline]
    pub const fn as_int(self) -> Option<i64> {
        if matches!(self.tag, Tag::Int) { Some(self.payload.cast_signed()) } else { None }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "made from an id of that width")]
    pub const fn as_atom(self) -> Option<AtomId> {
        if matches!(self.tag, Tag::Atom) { Some(AtomId(self.payload as u32)) } else { None }
    }

    #[inline]
    pub const fn is_atom(self, atom: AtomId) -> bool {
        matches!(self.tag, Tag::Atom) && self.payload == atom.0 as u64
    }

    pub const fn is_integer(self) -> bool {
        matches!(self.tag, Tag::Int | Tag::Big)
    }

    pub const fn is_number(self) -> bool {
        matches!(self.tag, Tag::Int | Tag::Big | Tag::Rational | Tag::Float)
    }

    pub const fn is_callable(self) -> bool {
        matches!(self.tag, Tag::Atom | Tag::Struct)
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

const _: () = assert!(size_of::<Value>() == 16, "slots and heap cells are 16 bytes");
