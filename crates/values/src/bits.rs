//! Bitstrings: windows of bits onto byte buffers that they share.
//!
//! A buffer only grows at its end, so appending to a bitstring that ends where its buffer ends
//! costs no copy, and everyone else who looks at the buffer sees what they saw before.

use crate::heap::{Heap, index};
use crate::value::{At, Tag, Value, View};

#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// How many bits are in use; a last partial byte has zeros below.
    pub(super) bit_len: u64,
    /// Small binaries of many owners lie here: not to be appended to in place.
    is_chunk: bool,
    /// How many bytes a comprehension expected to fill, which BEAM allocates at once.
    planned: u64,
}

/// A bitstring's bits, where they lie.
#[derive(Clone, Copy, Debug)]
pub struct BitsView<'a> {
    pub bytes: &'a [u8],
    /// Where the first bit is, counted from the high end of `bytes[0]`.
    pub bit_offset: u64,
    pub bit_len: u64,
}

/// Binaries up to this size are packed together.
const SMALL_BYTES: usize = 64;
const CHUNK_BYTES: usize = 1 << 16;

impl BitsView<'_> {
    /// The eight bits from bit `at` on, padded with zeros at the end.
    #[inline]
    pub fn byte_at(&self, at: u64) -> u8 {
        let bit = self.bit_offset + at;
        let byte = index(bit / 8);
        let shift = bit % 8;
        let high = self.bytes.get(byte).copied().unwrap_or(0);
        let res = if shift == 0 {
            high
        } else {
            let low = self.bytes.get(byte + 1).copied().unwrap_or(0);
            (high << shift) | (low >> (8 - shift))
        };
        let left = self.bit_len.saturating_sub(at);
        if left >= 8 { res } else { res & !(0xffu8.checked_shr(low_u32(left)).unwrap_or(0)) }
    }

    /// The bytes, if they are whole and aligned in their buffer.
    #[inline]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        if !self.bit_offset.is_multiple_of(8) || !self.bit_len.is_multiple_of(8) {
            return None;
        }
        let from = index(self.bit_offset / 8);
        self.bytes.get(from..from + index(self.bit_len / 8))
    }

    /// All bytes, aligned, the last one padded with zero bits.
    pub fn to_padded_bytes(&self) -> Vec<u8> {
        if let Some(bytes) = self.as_bytes() {
            return bytes.to_vec();
        }
        (0..self.bit_len.div_ceil(8)).map(|it| self.byte_at(it * 8)).collect()
    }

    pub fn is_binary(&self) -> bool {
        self.bit_len.is_multiple_of(8)
    }

    pub fn slice(&self, from: u64, len: u64) -> Option<BitsView<'_>> {
        let end = from.checked_add(len)?;
        (end <= self.bit_len).then_some(BitsView {
            bytes: self.bytes,
            bit_offset: self.bit_offset + from,
            bit_len: len,
        })
    }
}

fn low_u32(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

impl Heap {
    pub fn binary(&mut self, bytes: &[u8]) -> Value {
        if bytes.len() <= SMALL_BYTES {
            return self.packed_binary(bytes);
        }
        self.bits_from(bytes.to_vec(), bytes.len() as u64 * 8)
    }

    /// A bitstring of the first `bit_len` bits of `bytes`.
    ///
    /// Bits beyond it in the last byte must be zero.
    pub fn bits_from(&mut self, bytes: Vec<u8>, bit_len: u64) -> Value {
        debug_assert!(bytes.len() as u64 == bit_len.div_ceil(8), "length and bytes disagree");
        if bytes.len() <= SMALL_BYTES && bit_len.is_multiple_of(8) {
            return self.packed_binary(&bytes);
        }
        self.count_steps(bytes.len() / 64);
        self.add_outside(bytes.capacity());
        let buffer = self.new_buffer(Buffer { bytes, bit_len, ..Buffer::default() });
        self.window(buffer, 0, bit_len)
    }

    fn packed_binary(&mut self, bytes: &[u8]) -> Value {
        let chunk = self.chunk_for(bytes.len());
        let bit_len = bytes.len() as u64 * 8;
        let mut bit_offset = 0;
        if let Some(buffer) = self.buffers.get_mut(chunk as usize) {
            bit_offset = buffer.bit_len;
            buffer.bytes.extend_from_slice(bytes);
            buffer.bit_len += bit_len;
        }
        self.window(chunk, bit_offset, bit_len)
    }

    fn chunk_for(&mut self, n_bytes: usize) -> u32 {
        let open = self.chunk.filter(|it| {
            let buffer = self.buffers.get(*it as usize);
            buffer.is_some_and(|it| it.bytes.len() + n_bytes <= CHUNK_BYTES)
        });
        open.unwrap_or_else(|| {
            // The first chunk is small: most runs make few binaries.
            let capacity = if self.chunk.is_none() { 256 } else { CHUNK_BYTES };
            self.add_outside(CHUNK_BYTES);
            let bytes = Vec::with_capacity(capacity);
            let id = self.new_buffer(Buffer { bytes, is_chunk: true, ..Buffer::default() });
            self.chunk = Some(id);
            id
        })
    }

    /// An empty binary to append to, with room for this many bytes.
    pub fn writable(&mut self, planned: u64) -> Value {
        let buffer = self.new_buffer(Buffer { planned, ..Buffer::default() });
        self.window(buffer, 0, 0)
    }

    /// How many bytes BEAM has in use and allocated for what a bitstring lies in, if it does not
    /// lie among the terms.
    pub fn allocated_bytes(&self, at: At) -> Option<(u64, u64)> {
        let buffer = self.buffers.get(self.cell(at.0).shadow().0 as usize)?;
        let used = buffer.bit_len.div_ceil(8);
        let is_apart = buffer.planned > 0 || (SMALL_BYTES as u64) < used;
        (is_apart && !buffer.is_chunk).then_some((used, used.max(buffer.planned)))
    }

    /// The buffer of a binary that BEAM keeps outside its heaps, and its bytes.
    pub fn outside_binary(&self, at: At) -> Option<(u32, u64)> {
        let buffer = self.cell(at.0).shadow().0;
        self.allocated_bytes(at).map(|(used, _)| (buffer, used))
    }

    fn new_buffer(&mut self, buffer: Buffer) -> u32 {
        let id = u32::try_from(self.buffers.len()).unwrap_or(u32::MAX);
        self.buffers.push(buffer);
        id
    }

    pub(super) fn window(&mut self, buffer: u32, bit_offset: u64, bit_len: u64) -> Value {
        let at = self.next_at();
        self.cells.extend_from_slice(&[Value::raw(bit_offset, buffer), Value::raw(bit_len, 0)]);
        Value::at(Tag::Bits, at)
    }

    /// The bitstring that lies there, as a value.
    pub fn bits_value(&self, at: At) -> Value {
        debug_assert!(at.0 + 1 < self.next_at().0, "a bitstring is two cells");
        Value::at(Tag::Bits, at)
    }

    #[inline]
    pub fn bits(&self, at: At) -> BitsView<'_> {
        let first = self.cell(at.0);
        let bytes = self.buffers.get(first.shadow().0 as usize);
        BitsView {
            bytes: bytes.map_or(&[], |it| it.bytes.as_slice()),
            bit_offset: first.payload(),
            bit_len: self.cell(at.0 + 1).payload(),
        }
    }

    /// How many bytes a bitstring keeps alive. Small binaries lie together and count alone.
    pub fn referenced_bytes(&self, at: At) -> u64 {
        let own = self.bit_len(at);
        let buffer = self.buffers.get(self.cell(at.0).shadow().0 as usize);
        buffer.filter(|it| !it.is_chunk).map_or(own, |it| it.bit_len).div_ceil(8)
    }

    /// The bits, if the value is a bitstring.
    #[inline]
    pub fn as_bits(&self, value: Value) -> Option<BitsView<'_>> {
        if let View::Bits(at) = value.view() { Some(self.bits(at)) } else { None }
    }

    #[inline]
    pub fn bit_len(&self, at: At) -> u64 {
        self.cell(at.0 + 1).payload()
    }

    /// The bytes of a binary, copied only if they are not aligned.
    pub fn as_binary_bytes(&self, value: Value) -> Option<std::borrow::Cow<'_, [u8]>> {
        let View::Bits(at) = value.view() else { return None };
        let first = self.cell(at.0);
        let bit_len = self.bit_len(at);
        if !bit_len.is_multiple_of(8) {
            return None;
        }
        if first.payload().is_multiple_of(8) {
            let bytes = &self.buffers.get(first.shadow().0 as usize)?.bytes;
            let from = index(first.payload() / 8);
            return Some(bytes.get(from..from + index(bit_len / 8))?.into());
        }
        Some(self.bits(at).to_padded_bytes().into())
    }

    /// A window onto part of a bitstring, sharing its bytes. The part must lie inside.
    #[inline]
    pub fn sub_bits(&mut self, of: At, from: u64, len: u64) -> Value {
        let first = self.cell(of.0);
        debug_assert!(from + len <= self.bit_len(of), "a part outside its bitstring");
        self.window(first.shadow().0, first.payload() + from, len)
    }

    /// `left` followed by `bit_len` bits of `bytes`; copies `left` only if others might append too.
    pub fn append_bits(&mut self, left: At, bytes: &[u8], bit_len: u64) -> Value {
        let first = self.cell(left.0);
        let left_len = self.bit_len(left);
        let end = first.payload() + left_len;
        if let Some(buffer) = self.buffers.get_mut(first.shadow().0 as usize)
            && buffer.bit_len == end
            && !buffer.is_chunk
        {
            let before = buffer.bytes.capacity();
            buffer.push_bits(bytes, bit_len);
            let grown = buffer.bytes.capacity() - before;
            self.add_outside(grown);
            return self.window(first.shadow().0, first.payload(), left_len + bit_len);
        }
        let own = self.bits(left).to_padded_bytes();
        let mut buffer = Buffer {
            bytes: Vec::with_capacity((own.len() + bytes.len()) * 2),
            bit_len: left_len,
            ..Buffer::default()
        };
        buffer.bytes.extend_from_slice(&own);
        buffer.push_bits(bytes, bit_len);
        self.add_outside(buffer.bytes.capacity());
        let id = self.new_buffer(buffer);
        self.window(id, 0, left_len + bit_len)
    }
}

impl Buffer {
    pub(super) fn capacity(&self) -> usize {
        if self.is_chunk { CHUNK_BYTES } else { self.bytes.capacity() }
    }

    pub(super) fn push_bits(&mut self, bytes: &[u8], bit_len: u64) {
        let n_bytes = index(bit_len.div_ceil(8));
        let bytes = bytes.get(..n_bytes).unwrap_or(bytes);
        let used = self.bit_len % 8;
        if used == 0 {
            self.bytes.extend_from_slice(bytes);
        } else {
            for byte in bytes {
                if let Some(last) = self.bytes.last_mut() {
                    *last |= byte >> used;
                }
                self.bytes.push(byte << (8 - used));
            }
        }
        self.bit_len += bit_len;
        self.bytes.truncate(index(self.bit_len.div_ceil(8)));
        if let (Some(last), used @ 1..) = (self.bytes.last_mut(), self.bit_len % 8) {
            *last &= 0xff << (8 - used);
        }
    }
}
