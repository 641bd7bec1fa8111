//! Bitstrings: slices, concatenation, and the numbers encoded in them.

use super::numbers::to_big;
use crate::bits::Bits;
use crate::ground::Term;
use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed};

/// The maximal size of a result in bits.
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
        // The used bits of a partial last byte are the highest of the number.
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

/// Decodes a float of 32 or 64 bits; some bit patterns are not a float.
pub(super) fn to_float(term: &Term, is_little: bool) -> Option<Term> {
    let bits = of(term)?;
    let mut bytes = bits.padded_bytes().to_vec();
    if is_little {
        bytes.reverse();
    }
    let float = match bits.bit_len() {
        32 => f64::from(f32::from_be_bytes(bytes.try_into().ok()?)),
        64 => f64::from_be_bytes(bytes.try_into().ok()?),
        _ => return None,
    };
    float.is_finite().then_some(Term::Float(float))
}

/// Returns the bits of a float; `None` if it has no encoding of this size.
pub fn float_bits(float: f64, n_bits: u64, is_little: bool) -> Option<Term> {
    let mut bytes = match n_bits {
        32 => {
            #[expect(clippy::cast_possible_truncation, reason = "what does not fit is refused")]
            let short = float as f32;
            (f64::from(short).to_bits() == float.to_bits()).then(|| short.to_be_bytes().to_vec())?
        }
        64 => float.to_be_bytes().to_vec(),
        _ => return None,
    };
    if is_little {
        bytes.reverse();
    }
    Some(Term::binary(bytes))
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
