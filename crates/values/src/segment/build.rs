//! Builds a bitstring segment by segment, as the expression `<<…>>` does.

use super::{Endian, half, is_code_point};
use crate::AtomId;
use crate::bits::{BitsView, Buffer};
use crate::heap::{Heap, index};
use crate::value::{At, Value, View};
use num_bigint::{BigInt, Sign as BigSign};
use num_traits::ToPrimitive;
use std::borrow::Cow;

/// The bits built so far. A first segment that is a whole bitstring is not copied but appended to, so that building a
/// binary piece by piece in a loop takes linear time, as on BEAM.
#[derive(Debug)]
pub struct BitsBuilder {
    first: Option<At>,
    rest: Buffer,
    max_bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError {
    Badarg,
    SystemLimit,
    /// The bitstring exceeds the memory budget of the run, where BEAM would try to go on.
    OutOfMemory,
}

impl BitsBuilder {
    /// Returns how many bytes were added after the first segment, which may be appended to in place.
    pub fn added_bytes(&self) -> u64 {
        self.rest.bit_len / 8
    }
}

impl BuildError {
    /// Returns the reason of the program's `error` exception; `None` if the run ends instead.
    pub fn reason(self) -> Option<Value> {
        match self {
            BuildError::Badarg => Some(Value::atom(AtomId::BADARG)),
            BuildError::SystemLimit => Some(Value::atom(AtomId::SYSTEM_LIMIT)),
            BuildError::OutOfMemory => None,
        }
    }
}

impl Heap {
    /// Evaluates the size of a segment that is built, in bits.
    ///
    /// BEAM checks all sizes of a construction in order before it checks any value.
    #[inline]
    pub fn built_bits(&self, size: Value, unit: u16) -> Result<u64, BuildError> {
        match size.view() {
            View::Int(size) => {
                let size = u64::try_from(size).map_err(|_| BuildError::Badarg)?;
                if size >= BIG_FROM {
                    return Err(BuildError::SystemLimit);
                }
                let n_bits = size.checked_mul(u64::from(unit)).filter(|it| *it < TOO_MANY_BITS);
                n_bits.ok_or(BuildError::SystemLimit)
            }
            View::Big(at) if self.big(at).sign() == BigSign::Plus => Err(BuildError::SystemLimit),
            View::Big(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Nil
            | View::Cons(_)
            | View::Tuple(..)
            | View::Map(_)
            | View::Bits(_)
            | View::Fun(_)
            | View::Pid(_)
            | View::Port(_)
            | View::Ref(_) => Err(BuildError::Badarg),
        }
    }
}

/// The smallest big integer on BEAM. A size that is a big integer raises `system_limit`.
const BIG_FROM: u64 = 1 << 59;
/// Sizes from this number of bits on raise `system_limit`: no machine has the memory.
const TOO_MANY_BITS: u64 = 1 << 63;

impl BitsBuilder {
    /// Makes an empty builder that refuses to grow beyond `max_bytes`.
    pub fn new(max_bytes: usize) -> BitsBuilder {
        BitsBuilder { first: None, rest: Buffer::default(), max_bytes }
    }

    /// Appends the low `n_bits` bits of an integer.
    #[inline]
    pub fn push_integer(
        &mut self,
        heap: &Heap,
        value: Value,
        n_bits: u64,
        endian: Endian,
    ) -> Result<(), BuildError> {
        match value.view() {
            View::Int(small) if n_bits <= 64 => {
                self.push_word(small.cast_unsigned(), n_bits, endian)
            }
            View::Int(small) => self.push_big(&BigInt::from(small), n_bits, endian),
            View::Big(at) => self.push_big(heap.big(at), n_bits, endian),
            View::Float(_)
            | View::Atom(_)
            | View::Nil
            | View::Cons(_)
            | View::Tuple(..)
            | View::Map(_)
            | View::Bits(_)
            | View::Fun(_)
            | View::Pid(_)
            | View::Port(_)
            | View::Ref(_) => Err(BuildError::Badarg),
        }
    }

    /// Appends a float, or an integer converted to one. A number too large for 16 or 32 bits becomes infinite.
    pub fn push_float(
        &mut self,
        heap: &Heap,
        value: Value,
        n_bits: u64,
        endian: Endian,
    ) -> Result<(), BuildError> {
        let float = to_float(heap, value).ok_or(BuildError::Badarg)?;
        let word = match n_bits {
            16 => u64::from(half::to_half(float)),
            #[expect(clippy::cast_possible_truncation, reason = "rounds to nearest, as BEAM does")]
            32 => u64::from((float as f32).to_bits()),
            64 => float.to_bits(),
            _ => return Err(BuildError::Badarg),
        };
        self.push_word(word, n_bits, endian)
    }

    /// Appends a whole bitstring. Its size must be a multiple of `unit` bits.
    #[inline]
    pub fn push_all_bits(
        &mut self,
        heap: &Heap,
        value: Value,
        unit: u16,
    ) -> Result<(), BuildError> {
        let View::Bits(at) = value.view() else { return Err(BuildError::Badarg) };
        let n_bits = heap.bit_len(at);
        if !n_bits.is_multiple_of(u64::from(unit.max(1))) {
            return Err(BuildError::Badarg);
        }
        if self.first.is_none() && self.rest.bit_len == 0 {
            self.first = Some(at);
            return Ok(());
        }
        self.push_view(heap.bits(at))
    }

    /// Appends the first `n_bits` of a bitstring, which must be at least that long.
    pub fn push_bits(&mut self, heap: &Heap, value: Value, n_bits: u64) -> Result<(), BuildError> {
        let whole = heap.as_bits(value).ok_or(BuildError::Badarg)?;
        self.push_view(whole.slice(0, n_bits).ok_or(BuildError::Badarg)?)
    }

    pub fn push_utf8(&mut self, value: Value) -> Result<(), BuildError> {
        let point = code_point(value)?;
        let text = char::from_u32(point).ok_or(BuildError::Badarg)?;
        let mut bytes = [0; 4];
        let bytes = text.encode_utf8(&mut bytes).as_bytes();
        self.push_bytes(bytes, bytes.len() as u64 * 8)
    }

    pub fn push_utf16(&mut self, value: Value, endian: Endian) -> Result<(), BuildError> {
        let point = code_point(value)?;
        let text = char::from_u32(point).ok_or(BuildError::Badarg)?;
        let mut words = [0; 2];
        for word in text.encode_utf16(&mut words) {
            self.push_word(u64::from(*word), 16, endian)?;
        }
        Ok(())
    }

    pub fn push_utf32(&mut self, value: Value, endian: Endian) -> Result<(), BuildError> {
        let point = code_point(value)?;
        self.push_word(u64::from(point), 32, endian)
    }

    /// Appends the first `n_bits` of some bytes.
    #[inline]
    pub fn push_bytes(&mut self, bytes: &[u8], n_bits: u64) -> Result<(), BuildError> {
        self.reserve(n_bits)?;
        self.rest.push_bits(bytes, n_bits);
        Ok(())
    }

    pub fn finish(self, heap: &mut Heap) -> Value {
        let Buffer { bytes, bit_len, .. } = self.rest;
        match self.first {
            None => heap.bits_from(bytes, bit_len),
            Some(first) if bit_len == 0 => heap.bits_value(first),
            Some(first) => heap.append_bits(first, &bytes, bit_len),
        }
    }

    fn reserve(&self, n_bits: u64) -> Result<(), BuildError> {
        let end = self.rest.bit_len.checked_add(n_bits).ok_or(BuildError::SystemLimit)?;
        if index(end / 8) < self.max_bytes { Ok(()) } else { Err(BuildError::OutOfMemory) }
    }

    /// Appends the low `n_bits` bits of a word.
    #[inline]
    fn push_word(&mut self, word: u64, n_bits: u64, endian: Endian) -> Result<(), BuildError> {
        match endian {
            _ if n_bits == 0 => Ok(()),
            Endian::Big => self.push_bytes(&(word << (64 - n_bits)).to_be_bytes(), n_bits),
            Endian::Little => self.push_little(&mut word.to_le_bytes(), n_bits),
        }
    }

    fn push_big(&mut self, value: &BigInt, n_bits: u64, endian: Endian) -> Result<(), BuildError> {
        self.reserve(n_bits)?;
        if n_bits == 0 {
            return Ok(());
        }
        let mut bytes = value.to_signed_bytes_le();
        let filler = if value.sign() == BigSign::Minus { 0xff } else { 0 };
        bytes.resize(index(n_bits.div_ceil(8)), filler);
        if endian == Endian::Little {
            return self.push_little(&mut bytes, n_bits);
        }
        bytes.reverse();
        // In `bytes` the number is right-aligned with padding in front; in the segment its first bit comes first.
        let padding = bytes.len() as u64 * 8 - n_bits;
        let view = BitsView { bytes: &bytes, bit_offset: padding, bit_len: n_bits };
        self.push_view(view)
    }

    /// Appends little-endian bytes. Of a partial last byte, the low bits count.
    fn push_little(&mut self, bytes: &mut [u8], n_bits: u64) -> Result<(), BuildError> {
        let part = n_bits % 8;
        if part != 0
            && let Some(last) = bytes.get_mut(index(n_bits / 8))
        {
            *last <<= 8 - part;
        }
        self.push_bytes(bytes, n_bits)
    }

    fn push_view(&mut self, view: BitsView<'_>) -> Result<(), BuildError> {
        self.reserve(view.bit_len)?;
        let bytes = if view.bit_offset.is_multiple_of(8) {
            Cow::Borrowed(view.bytes.get(index(view.bit_offset / 8)..).unwrap_or_default())
        } else {
            Cow::Owned(view.to_padded_bytes())
        };
        self.push_bytes(&bytes, view.bit_len)
    }
}

fn to_float(heap: &Heap, value: Value) -> Option<f64> {
    if let View::Float(float) = value.view() {
        return Some(float);
    }
    heap.to_big(value)?.to_f64().filter(|it| it.is_finite())
}

fn code_point(value: Value) -> Result<u32, BuildError> {
    let point = value.as_int().and_then(|it| u32::try_from(it).ok());
    point.filter(|it| is_code_point(u64::from(*it))).ok_or(BuildError::Badarg)
}
