//! The text of bitstrings: `<<1, 2:4, "abc", X/utf8>>` with literal segments.

use super::read::{Problem, ReadError, Reader};
use super::scan::Token;
use crate::bits::Bits;
use crate::ground::Term;
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// Reads from `<<` to `>>`.
pub(super) fn bitstring(reader: &mut Reader<'_>) -> Result<Term, ReadError> {
    if MAX_NESTED < reader.n_nested {
        return Err(ReadError { offset: reader.offset, problem: Problem::TooDeep(MAX_NESTED) });
    }
    reader.n_nested += 1;
    reader.advance()?;
    let mut out = Writer::default();
    if !reader.accept(">>")? {
        loop {
            segment(reader, &mut out)?;
            if !reader.accept(",")? {
                break;
            }
        }
        reader.expect(">>", "`,` or `>>`")?;
    }
    reader.n_nested -= 1;
    Ok(Term::Bits(Bits::new(out.bytes, out.n_bits).unwrap_or_default()))
}

pub(super) const MAX_NESTED: usize = 100;

/// The maximal size, 128 MiB: a size is a single number in the text and must not exhaust the memory.
const MAX_BITS: usize = 1 << 30;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Float,
    Bytes,
    Bits,
    Utf8,
    Utf16,
    Utf32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Endian {
    Big,
    Little,
}

struct Spec {
    kind: Kind,
    endian: Endian,
    size: Option<usize>,
    unit: Option<usize>,
}

fn segment(reader: &mut Reader<'_>, out: &mut Writer) -> Result<(), ReadError> {
    let start = reader.offset;
    let values = if matches!(reader.token, Token::Str(_)) {
        let text = reader.strings()?;
        text.chars().map(|it| Term::Int(i64::from(u32::from(it)))).collect()
    } else if reader.accept("(")? {
        // The parentheses of a nested bitstring: `<<(<<1>>)/binary>>`.
        let value = reader.term()?;
        reader.expect(")", "`)`")?;
        vec![value]
    } else if reader.token == Token::Mark("<<") {
        vec![bitstring(reader)?]
    } else {
        vec![reader.number()?]
    };
    let spec = spec(reader)?;
    for value in &values {
        write(out, value, &spec)
            .map_err(|why| ReadError { offset: start, problem: Problem::BadSegment(why) })?;
    }
    Ok(())
}

/// Reads `:Size/type-sign-endian-unit:N`, each part of which is optional.
fn spec(reader: &mut Reader<'_>) -> Result<Spec, ReadError> {
    let mut res = Spec { kind: Kind::Integer, endian: Endian::Big, size: None, unit: None };
    if reader.accept(":")? {
        res.size = Some(reader.small_integer("a size")?);
    }
    if !reader.accept("/")? {
        return Ok(res);
    }
    loop {
        let start = reader.offset;
        let name = reader.atom("a segment type")?;
        match name.as_str() {
            "integer" => res.kind = Kind::Integer,
            "float" => res.kind = Kind::Float,
            "binary" | "bytes" => res.kind = Kind::Bytes,
            "bitstring" | "bits" => res.kind = Kind::Bits,
            "utf8" => res.kind = Kind::Utf8,
            "utf16" => res.kind = Kind::Utf16,
            "utf32" => res.kind = Kind::Utf32,
            "big" => res.endian = Endian::Big,
            "little" => res.endian = Endian::Little,
            "native" if cfg!(target_endian = "little") => res.endian = Endian::Little,
            "native" => res.endian = Endian::Big,
            // The sign matters only when a segment is matched.
            "signed" | "unsigned" => (),
            "unit" => {
                reader.expect(":", "`:` and a unit")?;
                res.unit = Some(reader.small_integer("a unit from 1 to 256")?);
            }
            _ => {
                let why = "not a type of a bitstring segment";
                return Err(ReadError { offset: start, problem: Problem::BadSegment(why) });
            }
        }
        if !reader.accept("-")? {
            return Ok(res);
        }
    }
}

fn write(out: &mut Writer, value: &Term, spec: &Spec) -> Result<(), &'static str> {
    match spec.kind {
        Kind::Integer => {
            let value = big(value).ok_or("an integer segment needs an integer")?;
            out.integer(&value, n_bits(spec, 8, 1)?, spec.endian)
        }
        Kind::Float => {
            let value = if let Term::Float(value) = value {
                *value
            } else {
                let whole = big(value).and_then(|it| it.to_f64()).filter(|it| it.is_finite());
                whole.ok_or("a float segment needs a number that fits a float")?
            };
            out.float(value, n_bits(spec, 64, 1)?, spec.endian)
        }
        Kind::Bytes | Kind::Bits => {
            let Term::Bits(bits) = value else {
                return Err("a binary segment needs a bitstring in parentheses");
            };
            let unit = spec.unit.unwrap_or(if spec.kind == Kind::Bytes { 8 } else { 1 });
            let n_bits = match spec.size {
                Some(size) => size.checked_mul(unit).ok_or("this segment is too long")?,
                None if bits.bit_len().is_multiple_of(unit.max(1)) => bits.bit_len(),
                None => return Err("the bitstring is no multiple of the segment's unit"),
            };
            out.bits(bits, n_bits)
        }
        Kind::Utf8 | Kind::Utf16 | Kind::Utf32 => {
            let code = value.as_int().and_then(|it| u32::try_from(it).ok());
            let c = code.and_then(char::from_u32).ok_or("not a Unicode character")?;
            out.character(c, spec.kind, spec.endian)
        }
    }
}

fn big(term: &Term) -> Option<BigInt> {
    if let Term::Big(value) = term {
        return Some((**value).clone());
    }
    term.as_int().map(BigInt::from)
}

fn n_bits(spec: &Spec, size: usize, unit: usize) -> Result<usize, &'static str> {
    let size = spec.size.unwrap_or(size);
    let n_bits = size.checked_mul(spec.unit.unwrap_or(unit));
    n_bits.filter(|it| *it <= MAX_BITS).ok_or("this segment is too long")
}

/// A writer of bits from left to right; the last byte is padded with zeros.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    n_bits: usize,
}

impl Writer {
    /// Appends the first `n_bits` bits of some bytes.
    fn push(&mut self, bytes: &[u8], n_bits: usize) -> Result<(), &'static str> {
        if MAX_BITS < self.n_bits + n_bits {
            return Err("this bitstring is too long");
        }
        let shift = self.n_bits % 8;
        for byte in bytes.iter().take(n_bits.div_ceil(8)) {
            if shift != 0
                && let Some(last) = self.bytes.last_mut()
            {
                *last |= byte >> shift;
                self.bytes.push(byte << (8 - shift));
            } else {
                self.bytes.push(*byte);
            }
        }
        self.n_bits += n_bits;
        self.bytes.truncate(self.n_bits.div_ceil(8));
        // Bits of the last byte beyond the end would be or-ed into the next ones.
        let used = self.n_bits % 8;
        if used != 0
            && let Some(last) = self.bytes.last_mut()
        {
            *last &= 0xff << (8 - used);
        }
        Ok(())
    }

    fn bits(&mut self, bits: &Bits, n_bits: usize) -> Result<(), &'static str> {
        if bits.bit_len() < n_bits {
            return Err("the bitstring is shorter than the segment's size");
        }
        self.push(bits.padded_bytes(), n_bits)
    }

    /// Appends the low `n_bits` bits of an integer in two's complement.
    fn integer(
        &mut self,
        value: &BigInt,
        n_bits: usize,
        endian: Endian,
    ) -> Result<(), &'static str> {
        let fill = if value.sign() == num_bigint::Sign::Minus { 0xff } else { 0 };
        let mut bytes = value.to_signed_bytes_le();
        bytes.resize(n_bits.div_ceil(8), fill);
        let used = n_bits % 8;
        match endian {
            // The most significant byte comes last and contributes its low bits.
            Endian::Little => {
                if used != 0
                    && let Some(last) = bytes.last_mut()
                {
                    *last <<= 8 - used;
                }
                self.push(&bytes, n_bits)
            }
            Endian::Big => {
                bytes.reverse();
                if used == 0 {
                    return self.push(&bytes, n_bits);
                }
                let Some((first, rest)) = bytes.split_first() else { return Ok(()) };
                self.push(&[first << (8 - used)], used)?;
                self.push(rest, n_bits - used)
            }
        }
    }

    fn float(&mut self, value: f64, n_bits: usize, endian: Endian) -> Result<(), &'static str> {
        let mut bytes = match n_bits {
            64 => value.to_be_bytes().to_vec(),
            32 => {
                #[expect(clippy::cast_possible_truncation, reason = "rounding is what is asked")]
                let narrow = value as f32;
                if !narrow.is_finite() {
                    return Err("this float does not fit 32 bits");
                }
                narrow.to_be_bytes().to_vec()
            }
            16 => half(value).ok_or("this float does not fit 16 bits")?.to_be_bytes().to_vec(),
            _ => return Err("a float segment has 16, 32 or 64 bits"),
        };
        if endian == Endian::Little {
            bytes.reverse();
        }
        self.push(&bytes, n_bits)
    }

    fn character(&mut self, c: char, kind: Kind, endian: Endian) -> Result<(), &'static str> {
        let code = u32::from(c);
        let bytes = match kind {
            Kind::Utf16 => {
                let units = c.encode_utf16(&mut [0; 2]).to_vec();
                let bytes = units.iter().map(|it| match endian {
                    Endian::Big => it.to_be_bytes(),
                    Endian::Little => it.to_le_bytes(),
                });
                bytes.flatten().collect()
            }
            Kind::Utf32 if endian == Endian::Little => code.to_le_bytes().to_vec(),
            Kind::Utf32 => code.to_be_bytes().to_vec(),
            Kind::Utf8 | Kind::Integer | Kind::Float | Kind::Bytes | Kind::Bits => {
                c.encode_utf8(&mut [0; 4]).as_bytes().to_vec()
            }
        };
        self.push(&bytes, bytes.len() * 8)
    }
}

/// Converts to IEEE 754 binary16, rounded to nearest even; `None` if it overflows.
fn half(value: f64) -> Option<u16> {
    const SMALLEST: f64 = 1.0 / 16_777_216.0; // 2^-24, the step of subnormals
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    // Each binade has 1024 steps; the first normal one starts at 2^-14.
    let mut step = SMALLEST;
    let mut base: u16 = 0;
    while 2048.0 <= (magnitude / step).round_ties_even() {
        step *= 2.0;
        base += 0x400;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 0 to 2048"
    )]
    let steps = (magnitude / step).round_ties_even() as u16;
    let res = base + steps;
    (res < 0x7c00).then_some(sign | res)
}
