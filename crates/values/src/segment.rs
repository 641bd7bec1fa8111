//! The bit syntax: reading one segment of a bitstring, and building a bitstring segment by segment.
//!
//! Knows the types, sizes, units, endianness and signs of segments. Knows no patterns: the caller decides which
//! segments there are and evaluates their sizes.

mod build;
mod half;
mod read;

pub use build::{BitsBuilder, BuildError};

/// The type specification of a segment: everything but its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentSpec {
    pub ty: SegmentType,
    /// How many bits one unit of the size has: 1 to 256.
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

/// The byte order of an integer or float. `native` is little-endian.
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

/// Whether an integer is a Unicode scalar value: a code point that is not a surrogate.
fn is_code_point(value: u64) -> bool {
    matches!(value, 0..=0xd7ff | 0xe000..=0x10_ffff)
}

#[cfg(test)]
mod tests;
