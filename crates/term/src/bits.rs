//! Bitstrings: a byte vector whose last byte may be used in part, from its high end.

/// Invariant: `bytes.len() == bit_len.div_ceil(8)` and unused low bits of the last byte are zero,
/// so equal bitstrings are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bits {
    bytes: Vec<u8>,
    bit_len: usize,
}

impl Bits {
    pub fn from_bytes(bytes: Vec<u8>) -> Bits {
        let bit_len = bytes.len() * 8;
        Bits { bytes, bit_len }
    }

    /// The first `bit_len` bits of `bytes`; `None` if there are not that many.
    pub fn new(mut bytes: Vec<u8>, bit_len: usize) -> Option<Bits> {
        let n_bytes = bit_len.div_ceil(8);
        if bytes.len() < n_bytes {
            return None;
        }
        bytes.truncate(n_bytes);
        let used = bit_len % 8;
        if used != 0
            && let Some(last) = bytes.last_mut()
        {
            *last &= 0xff << (8 - used);
        }
        Some(Bits { bytes, bit_len })
    }

    pub fn zeros(bit_len: usize) -> Bits {
        Bits { bytes: vec![0; bit_len.div_ceil(8)], bit_len }
    }

    pub fn bit_len(&self) -> usize {
        self.bit_len
    }

    /// All bytes, the last one padded with zero bits.
    pub fn padded_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, if this is a binary.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        self.bit_len.is_multiple_of(8).then_some(self.bytes.as_slice())
    }
}
