//! Bitstrings: a byte vector whose last byte may be used partly, from its high end.

use serde::{Deserialize, Serialize};

/// A bitstring. Invariant: `bytes.len() == bit_len.div_ceil(8)`, and the unused low bits of the last byte are zero, so
/// that equal bitstrings are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bits {
    bytes: Vec<u8>,
    bit_len: usize,
}

/// The maximal size of a generated bitstring, in bits.
const MAX_MADE_UP: usize = 1 << 23;

impl Bits {
    pub fn from_bytes(bytes: Vec<u8>) -> Bits {
        let bit_len = bytes.len() * 8;
        Bits { bytes, bit_len }
    }

    /// Returns the first `bit_len` bits of `bytes`; `None` if there are fewer.
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

    /// Returns zero bits for a generated value; `None` beyond a million bytes, since such values are useless.
    pub fn made_up(bit_len: u64) -> Option<Bits> {
        let bit_len = usize::try_from(bit_len).ok().filter(|it| *it <= MAX_MADE_UP)?;
        Some(Bits::zeros(bit_len))
    }

    pub fn bit_len(&self) -> usize {
        self.bit_len
    }

    /// Returns all bytes, the last one padded with zero bits.
    pub fn padded_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes of a binary; `None` for other bitstrings.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        self.bit_len.is_multiple_of(8).then_some(self.bytes.as_slice())
    }

    /// Returns `len` bits from an offset on; `None` if there are fewer.
    pub fn slice(&self, offset: usize, len: usize) -> Option<Bits> {
        if offset.checked_add(len)? > self.bit_len {
            return None;
        }
        let (first, shift) = (offset / 8, offset % 8);
        let from = self.bytes.get(first..)?;
        let next = from.iter().skip(1).copied().chain([0]);
        let bytes = from.iter().zip(next).take(len.div_ceil(8)).map(|(high, low)| {
            let pair = u16::from_be_bytes([*high, low]) << shift;
            pair.to_be_bytes()[0]
        });
        Bits::new(bytes.collect(), len)
    }

    pub fn append(&mut self, other: &Bits) {
        let used = self.bit_len % 8;
        for byte in &other.bytes {
            if used == 0 {
                self.bytes.push(*byte);
                continue;
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= byte >> used;
            }
            self.bytes.push(byte << (8 - used));
        }
        self.bit_len += other.bit_len;
        self.bytes.truncate(self.bit_len.div_ceil(8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_appended_to_the_whole() {
        let whole = Bits::new(vec![0b1010_0110, 0b0101_1100, 0b1110_1000], 21).expect("enough");
        for offset in 0..=21 {
            for len in 0..=21 - offset {
                let mut joined = whole.slice(0, offset).expect("a part");
                joined.append(&whole.slice(offset, len).expect("a part"));
                let end = whole.slice(offset + len, 21 - offset - len).expect("a part");
                joined.append(&end);
                assert_eq!(joined, whole, "{offset} {len}");
            }
        }
        assert_eq!(whole.slice(3, 19), None);
        assert_eq!(whole.slice(5, 6), Bits::new(vec![0b1100_1000], 6));
    }
}
