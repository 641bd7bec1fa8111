//! Reads one segment of a bitstring, as a binary pattern does.

use super::{Endian, SegmentSpec, SegmentType, Sign, half, is_code_point};
use crate::bits::BitsView;
use crate::heap::{Heap, MAX_INTEGER_BITS, index};
use crate::value::{At, Value, View};
use num_bigint::{BigInt, Sign as BigSign};

impl Heap {
    /// Reads one segment at bit `at`. Returns its value and the bit where the next segment begins, or `None` if it does
    /// not match.
    ///
    /// `size` is the number of units. `None` stands for all remaining bits, and for the UTF types, whose encoding tells
    /// their size.
    #[inline]
    pub fn match_segment(
        &mut self,
        bits: At,
        at: u64,
        spec: SegmentSpec,
        size: Option<u64>,
    ) -> Option<(Value, u64)> {
        let left = self.bit_len(bits).checked_sub(at)?;
        let unit = u64::from(spec.unit);
        match spec.ty {
            SegmentType::Integer => {
                let n_bits = sized(size?, unit, left)?;
                let integer = if n_bits > 64 {
                    let big = read_big(self.bits(bits), at, n_bits, spec);
                    // An integer beyond BEAM's maximum size does not match.
                    (big.bits() <= MAX_INTEGER_BITS).then(|| self.integer(big))?
                } else {
                    self.read_small(bits, at, n_bits, spec)
                };
                Some((integer, at + n_bits))
            }
            SegmentType::Binary => {
                let n_bits = match size {
                    Some(size) => sized(size, unit, left)?,
                    None if left.is_multiple_of(unit.max(1)) => left,
                    None => return None,
                };
                Some((self.sub_bits(bits, at, n_bits), at + n_bits))
            }
            SegmentType::Float => {
                let n_bits = sized(size?, unit, left)?;
                let float = read_float(self.bits(bits), at, n_bits, spec.endian)?;
                Some((Value::float(float), at + n_bits))
            }
            SegmentType::Utf8 => code_point(read_utf8(self.bits(bits), at, left)?, at),
            SegmentType::Utf16 => {
                code_point(read_utf16(self.bits(bits), at, left, spec.endian)?, at)
            }
            SegmentType::Utf32 => {
                code_point(read_utf32(self.bits(bits), at, left, spec.endian)?, at)
            }
        }
    }

    /// Evaluates the size of a segment in a pattern, as a number of units; `None` if the match fails.
    ///
    /// A size that is a big integer fails as well, because no bitstring is that long.
    #[inline]
    pub fn matched_size(size: Value) -> Option<u64> {
        if let View::Int(size) = size.view() { u64::try_from(size).ok() } else { None }
    }

    /// Reads an integer of up to 64 bits.
    #[inline]
    fn read_small(&mut self, bits: At, at: u64, n_bits: u64, spec: SegmentSpec) -> Value {
        let view = self.bits(bits);
        let word = match spec.endian {
            Endian::Big => read_word(view, at, n_bits),
            Endian::Little => read_little_word(view, at, n_bits),
        };
        match spec.sign {
            Sign::Signed if n_bits > 0 => {
                let unused = 64 - n_bits;
                Value::int((word << unused).cast_signed() >> unused)
            }
            Sign::Signed | Sign::Unsigned => match i64::try_from(word) {
                Ok(small) => Value::int(small),
                Err(_) => self.integer(BigInt::from(word)),
            },
        }
    }
}

/// Returns the size in bits, or `None` if fewer bits are left.
#[inline]
fn sized(size: u64, unit: u64, left: u64) -> Option<u64> {
    size.checked_mul(unit).filter(|it| *it <= left)
}

/// Reads up to 64 bits, the first one most significant.
#[inline]
fn read_word(view: BitsView<'_>, at: u64, n_bits: u64) -> u64 {
    let from = view.bit_offset + at;
    let end = from + n_bits;
    let last = end.div_ceil(8);
    let bytes = view.bytes.get(index(from / 8)..index(last)).unwrap_or_default();
    if let ([byte], 8) = (bytes, n_bits) {
        return u64::from(*byte);
    }
    // 64 unaligned bits touch nine bytes.
    let all = bytes.iter().fold(0u128, |acc, byte| acc << 8 | u128::from(*byte));
    low_u64(all >> (last * 8 - end)) & low_mask(n_bits)
}

/// Reads up to 64 bits, the first byte least significant. A partial last byte holds the most significant bits.
fn read_little_word(view: BitsView<'_>, at: u64, n_bits: u64) -> u64 {
    let (whole, part) = (n_bits / 8 * 8, n_bits % 8);
    let low = match whole {
        0 => 0,
        _ => read_word(view, at, whole).swap_bytes() >> (64 - whole),
    };
    if part == 0 { low } else { low | read_word(view, at + whole, part) << whole }
}

fn read_big(view: BitsView<'_>, at: u64, n_bits: u64, spec: SegmentSpec) -> BigInt {
    let mut bytes = view.slice(at, n_bits).map(|it| it.to_padded_bytes()).unwrap_or_default();
    let padding = bytes.len() as u64 * 8 - n_bits;
    let unsigned = match spec.endian {
        Endian::Big => BigInt::from_bytes_be(BigSign::Plus, &bytes) >> padding,
        Endian::Little => {
            if let Some(last) = bytes.last_mut() {
                *last >>= padding;
            }
            BigInt::from_bytes_le(BigSign::Plus, &bytes)
        }
    };
    match spec.sign {
        Sign::Signed if unsigned.bit(n_bits - 1) => unsigned - (BigInt::from(1) << n_bits),
        Sign::Signed | Sign::Unsigned => unsigned,
    }
}

/// Reads a float. Infinities and NaN do not match, because Erlang has neither.
#[expect(clippy::cast_possible_truncation, reason = "the word has n_bits significant bits")]
fn read_float(view: BitsView<'_>, at: u64, n_bits: u64, endian: Endian) -> Option<f64> {
    let word = || match endian {
        Endian::Big => read_word(view, at, n_bits),
        Endian::Little => read_little_word(view, at, n_bits),
    };
    let float = match n_bits {
        0 => 0.0,
        16 => half::from_half(word() as u16)?,
        32 => f64::from(f32::from_bits(word() as u32)),
        64 => f64::from_bits(word()),
        _ => return None,
    };
    float.is_finite().then_some(float)
}

fn code_point((code_point, n_bits): (u64, u64), at: u64) -> Option<(Value, u64)> {
    Some((Value::int(i64::try_from(code_point).ok()?), at + n_bits))
}

fn read_utf8(view: BitsView<'_>, at: u64, left: u64) -> Option<(u64, u64)> {
    if left < 8 {
        return None;
    }
    let first = read_word(view, at, 8);
    // The smallest code point of each encoded length: an overlong encoding is refused.
    let (n_more, high, smallest) = match first {
        0..=0x7f => return Some((first, 8)),
        0xc2..=0xdf => (1, first & 0x1f, 0x80),
        0xe0..=0xef => (2, first & 0x0f, 0x800),
        0xf0..=0xf4 => (3, first & 0x07, 0x1_0000),
        _ => return None,
    };
    let n_bits = 8 + 8 * n_more;
    if left < n_bits {
        return None;
    }
    let mut res = high;
    for n in 1..=n_more {
        let byte = read_word(view, at + 8 * n, 8);
        if byte & 0xc0 != 0x80 {
            return None;
        }
        res = res << 6 | byte & 0x3f;
    }
    (res >= smallest && is_code_point(res)).then_some((res, n_bits))
}

fn read_utf16(view: BitsView<'_>, at: u64, left: u64, endian: Endian) -> Option<(u64, u64)> {
    let word = |at, left: u64| match endian {
        _ if left < 16 => None,
        Endian::Big => Some(read_word(view, at, 16)),
        Endian::Little => Some(read_little_word(view, at, 16)),
    };
    match word(at, left)? {
        high @ 0xd800..=0xdbff => match word(at + 16, left - 16)? {
            low @ 0xdc00..=0xdfff => Some((0x1_0000 + ((high & 0x3ff) << 10 | low & 0x3ff), 32)),
            _ => None,
        },
        0xdc00..=0xdfff => None,
        single => Some((single, 16)),
    }
}

fn read_utf32(view: BitsView<'_>, at: u64, left: u64, endian: Endian) -> Option<(u64, u64)> {
    if left < 32 {
        return None;
    }
    let word = match endian {
        Endian::Big => read_word(view, at, 32),
        Endian::Little => read_little_word(view, at, 32),
    };
    is_code_point(word).then_some((word, 32))
}

#[expect(clippy::cast_possible_truncation, reason = "the rest is masked off")]
fn low_u64(value: u128) -> u64 {
    value as u64
}

fn low_mask(n_bits: u64) -> u64 {
    if n_bits >= 64 { u64::MAX } else { (1 << n_bits) - 1 }
}
