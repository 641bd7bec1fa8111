//! The external term format: terms as bytes, as every Erlang runtime reads and writes them.
//!
//! Reads everything that OTP 25 to 29 emit. Arbitrary bytes are safe: no panic, memory in proportion to the input, no
//! recursion. Knows nothing of processes or files.

mod decode;
mod encode;

pub use decode::{DecodeError, decode, decode_prefix};
pub use encode::{AtomForm, FloatForm, Form, TooLarge, encode, encode_as};

/// The maximal nesting of a term that is read.
///
/// Reading and writing use explicit stacks, but terms are dropped recursively: a thread's default stack of 2 MiB
/// suffices for some 18,000 levels in a debug build.
pub const MAX_DEPTH: usize = 10_000;

/// The maximal nesting of a map's key. Keys are compared while they are read, and comparing takes more stack than
/// dropping: 2 MiB suffice for some 3,000 levels.
pub const MAX_KEY_DEPTH: usize = 1_000;

/// The maximal size of an uncompressed term in bytes. A few bytes of deflate can expand to gigabytes.
pub const MAX_INFLATED: usize = 256 << 20;

/// The maximal length of an atom in characters.
const MAX_ATOM_CHARS: usize = 255;

/// The size of the field of a float in text form, in bytes.
const FLOAT_TEXT_BYTES: usize = 31;

const VERSION: u8 = 131;

/// The tags in the order of the format's documentation ("External Term Format", ERTS user's guide).
mod tag {
    pub(super) const NEW_FLOAT: u8 = 70;
    pub(super) const BIT_BINARY: u8 = 77;
    pub(super) const COMPRESSED: u8 = 80;
    pub(super) const ATOM_CACHE_REF: u8 = 82;
    pub(super) const NEW_PID: u8 = 88;
    pub(super) const NEW_PORT: u8 = 89;
    pub(super) const NEWER_REFERENCE: u8 = 90;
    pub(super) const SMALL_INTEGER: u8 = 97;
    pub(super) const INTEGER: u8 = 98;
    pub(super) const FLOAT: u8 = 99;
    pub(super) const ATOM: u8 = 100;
    pub(super) const REFERENCE: u8 = 101;
    pub(super) const PORT: u8 = 102;
    pub(super) const PID: u8 = 103;
    pub(super) const SMALL_TUPLE: u8 = 104;
    pub(super) const LARGE_TUPLE: u8 = 105;
    pub(super) const NIL: u8 = 106;
    pub(super) const STRING: u8 = 107;
    pub(super) const LIST: u8 = 108;
    pub(super) const BINARY: u8 = 109;
    pub(super) const SMALL_BIG: u8 = 110;
    pub(super) const LARGE_BIG: u8 = 111;
    pub(super) const NEW_FUN: u8 = 112;
    pub(super) const EXPORT: u8 = 113;
    pub(super) const NEW_REFERENCE: u8 = 114;
    pub(super) const SMALL_ATOM: u8 = 115;
    pub(super) const MAP: u8 = 116;
    pub(super) const FUN: u8 = 117;
    pub(super) const ATOM_UTF8: u8 = 118;
    pub(super) const SMALL_ATOM_UTF8: u8 = 119;
    pub(super) const V4_PORT: u8 = 120;
    pub(super) const LOCAL: u8 = 121;
}
