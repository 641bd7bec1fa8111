//! Bitstrings: windows of bits onto shared byte buffers.
//!
//! A buffer only grows at its end. Appending to a bitstring that ends where its buffer ends therefore copies nothing,
//! and other windows onto the buffer stay valid.

use crate::heap::{Heap, index};
use crate::value::{At, Tag, Value, View};
use term::fit_u32;

#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// The number of bits in use. The unused low bits of a partial last byte are zero.
    pub(super) bit_len: u64,
    /// Whether small binaries of many owners are packed into this buffer, so that no owner may append in place.
    is_chunk: bool,
    /// The size in bytes that a binary comprehension asked for in advance, which BEAM allocates at once.
    planned: u64,
}

/// A window onto the bits of a bitstring, in their buffer.
#[derive(Clone, Copy, Debug)]
pub struct BitsView<'a> {
    pub bytes: &'a [u8],
    /// The position of the first bit, counted from the high end of `bytes[0]`.
    pub bit_offset: u64,
    pub bit_len: u64,
}

/// Binaries of at most this many bytes are packed into a shared buffer, the chunk.
const SMALL_BYTES: usize = 64;
const CHUNK_BYTES: usize = 1 << 16;

impl BitsView<'_> {
    /// Returns the eight bits from bit `at` on, padded with zero bits beyond the end.
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

    /// Returns the bytes without copying, or `None` if the bitstring is not byte-aligned or not a whole number of
    /// bytes.
    #[inline]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        if !self.bit_offset.is_multiple_of(8) || !self.bit_len.is_multiple_of(8) {
            return None;
        }
        let from = index(self.bit_offset / 8);
        self.bytes.get(from..from + index(self.bit_len / 8))
    }

    /// Copies the bits into bytes, the last byte padded with zero bits.
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

    /// Makes a bitstring of the first `bit_len` bits of `bytes`.
    ///
    /// The bits of the last byte beyond `bit_len` must be zero.
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
            // The first chunk is small because most runs make few binaries.
            let capacity = if self.chunk.is_none() { 256 } else { CHUNK_BYTES };
            self.add_outside(CHUNK_BYTES);
            let bytes = Vec::with_capacity(capacity);
            let id = self.new_buffer(Buffer { bytes, is_chunk: true, ..Buffer::default() });
            self.chunk = Some(id);
            id
        })
    }

    /// Makes an empty binary to append to, for which BEAM would allocate `planned` bytes.
    pub fn writable(&mut self, planned: u64) -> Value {
        let buffer = self.new_buffer(Buffer { planned, ..Buffer::default() });
        self.window(buffer, 0, 0)
    }

    /// Returns how many bytes BEAM uses and how many it allocates for the buffer of a bitstring, or `None` if BEAM
    /// would keep the bitstring on the process heap.
    pub fn allocated_bytes(&self, at: At) -> Option<(u64, u64)> {
        let buffer = self.buffers.get(self.cell(at.0).shadow().0 as usize)?;
        let used = buffer.bit_len.div_ceil(8);
        let is_apart = buffer.planned > 0 || (SMALL_BYTES as u64) < used;
        (is_apart && !buffer.is_chunk).then_some((used, used.max(buffer.planned)))
    }

    /// Returns the buffer, and its size in bytes, of a binary that BEAM keeps outside the process heaps; otherwise
    /// `None`.
    pub fn outside_binary(&self, at: At) -> Option<(u32, u64)> {
        let buffer = self.cell(at.0).shadow().0;
        self.allocated_bytes(at).map(|(used, _)| (buffer, used))
    }

    fn new_buffer(&mut self, buffer: Buffer) -> u32 {
        let id = fit_u32(self.buffers.len());
        self.buffers.push(buffer);
        id
    }

    pub(super) fn window(&mut self, buffer: u32, bit_offset: u64, bit_len: u64) -> Value {
        let at = self.next_at();
        self.cells.extend_from_slice(&[Value::raw(bit_offset, buffer), Value::raw(bit_len, 0)]);
        Value::at(Tag::Bits, at)
    }

    /// Returns the value of the bitstring at an address.
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

    /// Returns how many bytes a bitstring keeps alive: its whole buffer, or only its own bytes if it is packed into a
    /// chunk.
    pub fn referenced_bytes(&self, at: At) -> u64 {
        let own = self.bit_len(at);
        let buffer = self.buffers.get(self.cell(at.0).shadow().0 as usize);
        buffer.filter(|it| !it.is_chunk).map_or(own, |it| it.bit_len).div_ceil(8)
    }

    /// Returns a view of the bits, or `None` if the value is not a bitstring.
    #[inline]
    pub fn as_bits(&self, value: Value) -> Option<BitsView<'_>> {
        if let View::Bits(at) = value.view() { Some(self.bits(at)) } else { None }
    }

    #[inline]
    pub fn bit_len(&self, at: At) -> u64 {
        self.cell(at.0 + 1).payload()
    }

    /// Returns the bytes of a binary, copied only if they are not aligned, or `None` if the value is not a binary.
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

    /// Makes a window onto part of a bitstring that shares its buffer. The part must lie inside the bitstring.
    #[inline]
    pub fn sub_bits(&mut self, of: At, from: u64, len: u64) -> Value {
        let first = self.cell(of.0);
        debug_assert!(from + len <= self.bit_len(of), "a part outside its bitstring");
        self.window(first.shadow().0, first.payload() + from, len)
    }

    /// Makes the bitstring `left` followed by the first `bit_len` bits of `bytes`. Appends in place if `left` ends at
    /// the end of its buffer, and copies `left` otherwise.
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
