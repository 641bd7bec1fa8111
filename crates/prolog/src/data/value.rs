//! A value in a slot: one tagged word and an optional symbolic shadow, 16 bytes, copied freely.
//!
//! Anything larger than a word lies in the [`Heap`](crate::data::Heap); a value knows only where.

use crate::data::{AtomId, FunctorId};
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Value {
    payload: u64,
    shadow: Shadow,
    tag: Tag,
}

/// The expression that a value has as a function of the input. [`Shadow::NONE`]: it is a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shadow(pub u32);

impl Shadow {
    pub const NONE: Shadow = Shadow(0);

    #[inline]
    pub fn is_some(self) -> bool {
        self != Shadow::NONE
    }
}

/// The order puts what may be unbound first, so that one comparison finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Tag {
    /// A cell of the heap. A variable is a cell that refers to itself.
    Ref,
    /// A variable with attributes: they lie in the cell after it.
    Attr,
    Int,
    Atom,
    Struct,
    Float,
    Big,
    Rational,
    Text,
}

/// A value taken apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// Unbound, if the value was dereferenced.
    Var(usize),
    Int(i64),
    Big(usize),
    Rational(usize),
    Float(f64),
    Atom(AtomId),
    /// A string.
    Text(usize),
    /// The functor and where the arguments begin.
    Struct(FunctorId, usize),
}

/// A structure's payload has its functor above this bit and the address of its arguments below.
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

    /// A number of something that is in memory.
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

    /// One of the heap's larger objects, by its number.
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

    /// Same word, whatever the shadows: identity for immediates, variables and shared objects.
    #[inline]
    pub fn same_word(self, other: Value) -> bool {
        self.payload == other.payload && self.tag == other.tag
    }

    /// Where the cell or the arguments lie.
    #[inline]
    pub const fn address(self) -> usize {
        (self.payload & AT_MASK) as usize
    }

    /// The same structure or variable at another place.
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

    /// Of a dereferenced value: whether it is unbound.
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
