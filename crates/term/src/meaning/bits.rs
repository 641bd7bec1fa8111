//! Bitstrings: parts, joining, and the numbers in them.

use super::numbers::to_big;
use crate::bits::Bits;
use crate::ground::Term;
use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed};

/// Longer ones are refused.
const MAX_BITS: usize = 1 << 23;

pub(super) fn of(term: &Term) -> Option<&Bits> {
    if let Term::Bits(bits) = term { Some(bits) } else { None }
}

pub(super) fn slice(term: &Term, offset: &Term, len: &Term) -> Option<Term> {
    let (offset, len) = (to_size(offset)?, to_size(len)?);
    of(term)?.slice(offset, len).map(Term::Bits)
}

pub(super) fn concat(parts: &[&Term]) -> Option<Term> {
    let mut res = Bits::default();
    for part in parts {
        res.append(of(part)?);
        if res.bit_len() > MAX_BITS {
            return None;
        }
    }
    Some(Term::Bits(res))
}

pub(super) fn to_integer(term: &Term, is_signed: bool, is_little: bool) -> Option<Term> {
    let bits = of(term)?;
    let len = bits.bit_len();
    let value = if is_little {
        let mut bytes = bits.padded_bytes().to_vec();
        // The last byte in part: its bits are the highest of the number.
        if let (Some(last), used @ 1..) = (bytes.last_mut(), len % 8) {
            *last >>= 8 - used;
        }
        BigInt::from_bytes_le(Sign::Plus, &bytes)
    } else {
        BigInt::from_bytes_be(Sign::Plus, bits.padded_bytes()) >> ((8 - len % 8) % 8)
    };
    let is_negative = is_signed && len > 0 && value.bit(len as u64 - 1);
    Some(Term::integer(if is_negative { value - (BigInt::one() << len) } else { value }))
}

pub(super) fn from_integer(value: &Term, size: &Term, is_little: bool) -> Option<Term> {
    let (value, len) = (to_big(value)?, to_size(size)?);
    if len > MAX_BITS {
        return None;
    }
    let unused = (8 - len % 8) % 8;
    let mut low = &*value & ((BigInt::one() << len) - 1u8);
    debug_assert!(!low.is_negative(), "a mask is not negative");
    if !is_little {
        low <<= unused;
    }
    let (_, mut bytes) = low.to_bytes_le();
    bytes.resize(len.div_ceil(8), 0);
    if is_little {
        if let Some(last) = bytes.last_mut() {
            *last <<= unused;
        }
    } else {
        bytes.reverse();
    }
    Bits::new(bytes, len).map(Term::Bits)
}

fn to_size(term: &Term) -> Option<usize> {
    usize::try_from(term.as_int()?).ok()
}
