//! The bit syntax: reading one segment of a bitstring, and building a bitstring segment by segment.
//!
//! Knows what each type, size, unit, endianness and sign means. Knows nothing of patterns: which
//! segments there are, and what their sizes evaluate to, is the caller's business.

mod build;
mod half;
mod read;

pub use build::{BitsBuilder, BuildError};

/// What a segment says of its bits, besides how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentSpec {
    pub ty: SegmentType,
    /// The size counts units of this many bits: 1 to 256.
    pub unit: u16,
    pub endian: Endian,
    pub sign: Sign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentType {
    Integer,
    Float,
    /// Any bits: `binary` and `bitstring` differ only in their unit.
    Binary,
    Utf8,
    Utf16,
    Utf32,
}

/// Which end of an integer or float comes first. `native` is little, as on the machines of today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    Big,
    Little,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Unsigned,
    Signed,
}

/// Whether an integer is a Unicode code point that may be encoded.
fn is_code_point(value: u64) -> bool {
    matches!(value, 0..=0xd7ff | 0xe000..=0x10_ffff)
}

#[cfg(test)]
mod tests;
