//! The decoding of terms from bytes.
//!
//! A loop over an explicit stack of unfinished containers. Every container lacks some parts, each at least one byte
//! long; if all containers together lack more parts than the input has bytes left, the input is refused before memory
//! is reserved. So memory stays in proportion to the input.

use super::{
    FLOAT_TEXT_BYTES, MAX_ATOM_CHARS, MAX_DEPTH, MAX_INFLATED, MAX_KEY_DEPTH, VERSION, tag,
};
use crate::{Atom, Bits, Fun, Pid, Port, Reference, Term};
use flate2::read::ZlibDecoder;
use num_bigint::{BigInt, Sign};
use std::fmt;
use std::io::Read;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The first byte is not the format's version.
    Version(Option<u8>),
    Truncated,
    TooDeep,
    /// A tag that is unknown, or that occurs only inside distribution channels.
    Tag(u8),
    Invalid(&'static str),
    Trailing(usize),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Version(Some(byte)) => {
                write!(f, "a term starts with byte {VERSION}, not {byte}")
            }
            DecodeError::Version(None) => write!(f, "a term cannot be empty"),
            DecodeError::Truncated => write!(f, "the term ends too early"),
            DecodeError::TooDeep => write!(f, "the term is nested too deeply"),
            DecodeError::Tag(tag::LOCAL) => {
                write!(f, "the term was made for its own runtime only (`local`)")
            }
            DecodeError::Tag(tag::ATOM_CACHE_REF) => {
                write!(f, "the term refers to a distribution channel's atom cache")
            }
            DecodeError::Tag(tag::FUN) => write!(f, "the term holds a fun from before OTP 23"),
            DecodeError::Tag(byte) => write!(f, "no term has the tag {byte}"),
            DecodeError::Invalid(what) => write!(f, "not a valid {what}"),
            DecodeError::Trailing(count) => write!(f, "{count} bytes follow the term"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Decodes a term that takes up all bytes.
pub fn decode(bytes: &[u8]) -> Result<Term, DecodeError> {
    let (term, used) = decode_prefix(bytes)?;
    match bytes.len() - used {
        0 => Ok(term),
        more => Err(DecodeError::Trailing(more)),
    }
}

/// Decodes the term at the start of `bytes`; returns it with the number of bytes it took.
pub fn decode_prefix(bytes: &[u8]) -> Result<(Term, usize), DecodeError> {
    let mut reader = Reader { rest: bytes, owed: 1 };
    match reader.byte() {
        Ok(VERSION) => (),
        other => return Err(DecodeError::Version(other.ok())),
    }
    if reader.rest.first() == Some(&tag::COMPRESSED) {
        reader.byte()?;
        let (inflated, used) = inflate(&mut reader)?;
        let term = decode_whole(&inflated)?;
        return Ok((term, bytes.len() - reader.rest.len() + used));
    }
    let term = reader.term()?;
    Ok((term, bytes.len() - reader.rest.len()))
}

fn decode_whole(bytes: &[u8]) -> Result<Term, DecodeError> {
    let mut reader = Reader { rest: bytes, owed: 1 };
    let term = reader.term()?;
    match reader.rest.len() {
        0 => Ok(term),
        more => Err(DecodeError::Trailing(more)),
    }
}

/// Returns the uncompressed bytes, and how many compressed ones were read.
fn inflate(reader: &mut Reader<'_>) -> Result<(Vec<u8>, usize), DecodeError> {
    let declared = reader.len32()?;
    if declared > MAX_INFLATED {
        return Err(DecodeError::Invalid("size of a compressed term"));
    }
    let mut zlib = ZlibDecoder::new(reader.rest);
    let mut inflated = Vec::new();
    let limit = u64::try_from(declared).unwrap_or(u64::MAX).saturating_add(1);
    let read = zlib.by_ref().take(limit).read_to_end(&mut inflated);
    if read.is_err() || inflated.len() != declared {
        return Err(DecodeError::Invalid("compressed term"));
    }
    Ok((inflated, usize::try_from(zlib.total_in()).unwrap_or(reader.rest.len())))
}

struct Reader<'a> {
    rest: &'a [u8],
    /// The number of terms that must still begin, each with at least one byte.
    owed: usize,
}

/// The kind of an unfinished container.
enum Open {
    Tuple,
    /// The last part is the tail.
    List,
    /// Keys and values alternate.
    Map,
    Closure(Box<Closure>),
}

/// A closure whose environment is incomplete.
struct Closure {
    module: Atom,
    arity: u8,
    index: u32,
    uniq: [u8; 16],
    old_index: i64,
    old_uniq: i64,
    pid: Pid,
}

/// A container whose parts are being read.
struct Frame {
    open: Open,
    parts: Vec<Term>,
    /// The number of missing parts; never zero.
    missing: usize,
    /// The nesting of the parts read so far.
    height: usize,
}

/// The result of reading one tag.
enum Begun {
    Done(Term),
    Open(Frame),
}

impl<'a> Reader<'a> {
    fn term(&mut self) -> Result<Term, DecodeError> {
        let mut stack: Vec<Frame> = Vec::new();
        loop {
            if self.continues_list(&mut stack)? {
                continue;
            }
            let mut done = match self.begin()? {
                Begun::Done(term) => term,
                Begun::Open(frame) => {
                    if stack.len() == MAX_DEPTH {
                        return Err(DecodeError::TooDeep);
                    }
                    stack.push(frame);
                    continue;
                }
            };
            let mut height = 0;
            loop {
                let Some(frame) = stack.last_mut() else { return Ok(done) };
                frame.rise(height)?;
                if frame.missing > 1 {
                    frame.missing -= 1;
                    frame.parts.push(done);
                    break;
                }
                height = frame.height;
                let Some(frame) = stack.pop() else { return Ok(done) };
                done = frame.close(done)?;
            }
        }
    }

    /// A list in the tail of a list continues it in place: joining them afterwards would take quadratic time for a long
    /// chain.
    fn continues_list(&mut self, stack: &mut [Frame]) -> Result<bool, DecodeError> {
        let Some(frame) = stack.last_mut() else { return Ok(false) };
        let at_tail = frame.missing == 1 && matches!(frame.open, Open::List);
        if !at_tail || self.rest.first() != Some(&tag::LIST) {
            return Ok(false);
        }
        self.byte()?;
        let len = self.len32()?;
        self.owe(len)?;
        frame.missing += len;
        Ok(true)
    }

    /// Reads one tag with its data, up to the first nested term.
    fn begin(&mut self) -> Result<Begun, DecodeError> {
        let byte = self.byte()?;
        self.owed -= 1;
        let term = match byte {
            tag::SMALL_INTEGER => Term::Int(i64::from(self.byte()?)),
            tag::INTEGER => Term::Int(i64::from(i32::from_be_bytes(self.array()?))),
            tag::SMALL_TUPLE => {
                let arity = usize::from(self.byte()?);
                return self.open_tuple(arity);
            }
            tag::LARGE_TUPLE => {
                let arity = self.len32()?;
                return self.open_tuple(arity);
            }
            tag::NIL => Term::Nil,
            tag::STRING => {
                let len = usize::from(self.u16()?);
                let items = self.bytes(len)?.iter().map(|it| Term::Int(i64::from(*it))).collect();
                Term::proper_list(items)
            }
            tag::LIST => return self.open_list(),
            tag::MAP => return self.open_map(),
            tag::BINARY => {
                let len = self.len32()?;
                Term::binary(self.bytes(len)?.to_vec())
            }
            tag::BIT_BINARY => self.bit_binary()?,
            tag::NEW_FLOAT => float(f64::from_be_bytes(self.array()?))?,
            tag::FLOAT => self.old_float()?,
            tag::SMALL_BIG => {
                let len = usize::from(self.byte()?);
                self.big(len)?
            }
            tag::LARGE_BIG => {
                let len = self.len32()?;
                self.big(len)?
            }
            tag::PID => Term::Pid(self.pid(Creation::Byte)?),
            tag::NEW_PID => Term::Pid(self.pid(Creation::Word)?),
            tag::PORT => {
                let (node, id) = (self.atom()?, u64::from(self.u32()?));
                Term::Port(Port { node, id, creation: self.creation(Creation::Byte)? })
            }
            tag::NEW_PORT => {
                let (node, id) = (self.atom()?, u64::from(self.u32()?));
                Term::Port(Port { node, id, creation: self.u32()? })
            }
            tag::V4_PORT => {
                let (node, id) = (self.atom()?, u64::from_be_bytes(self.array()?));
                Term::Port(Port { node, id, creation: self.u32()? })
            }
            tag::REFERENCE => {
                let (node, id) = (self.atom()?, self.u32()?);
                let creation = self.creation(Creation::Byte)?;
                old_word(id)?;
                Term::Ref(Reference { node, creation, words: vec![id] })
            }
            tag::NEW_REFERENCE => {
                let reference = self.reference(Creation::Byte)?;
                old_word(reference.words.first().copied().unwrap_or(0))?;
                Term::Ref(reference)
            }
            tag::NEWER_REFERENCE => Term::Ref(self.reference(Creation::Word)?),
            tag::EXPORT => self.export()?,
            tag::NEW_FUN => return self.open_fun(),
            other => Term::Atom(self.atom_after(other)?),
        };
        Ok(Begun::Done(term))
    }

    fn open_tuple(&mut self, arity: usize) -> Result<Begun, DecodeError> {
        if arity == 0 {
            return Ok(Begun::Done(Term::Tuple(Vec::new())));
        }
        self.open(Open::Tuple, arity, arity)
    }

    fn open_list(&mut self) -> Result<Begun, DecodeError> {
        let len = self.len32()?;
        self.open(Open::List, len.saturating_add(1), len)
    }

    fn open_map(&mut self) -> Result<Begun, DecodeError> {
        let size = self.len32()?;
        if size == 0 {
            return Ok(Begun::Done(Term::Map(Vec::new())));
        }
        let parts = size.saturating_mul(2);
        self.open(Open::Map, parts, parts)
    }

    fn open_fun(&mut self) -> Result<Begun, DecodeError> {
        let _size = self.u32()?;
        let arity = self.byte()?;
        let uniq = self.array()?;
        let index = self.u32()?;
        let free = self.len32()?;
        // No function of BEAM has more free variables.
        if free > usize::from(u8::MAX) {
            return Err(DecodeError::Invalid("fun"));
        }
        let module = self.atom()?;
        let old_index = self.small_integer()?;
        let old_uniq = self.small_integer()?;
        let pid = match self.byte()? {
            tag::PID => self.pid(Creation::Byte)?,
            tag::NEW_PID => self.pid(Creation::Word)?,
            _ => return Err(DecodeError::Invalid("fun")),
        };
        let closure = Box::new(Closure { module, arity, index, uniq, old_index, old_uniq, pid });
        if free == 0 {
            return Ok(Begun::Done(closure.with_env(Vec::new())));
        }
        self.open(Open::Closure(closure), free, free)
    }

    fn open(&mut self, open: Open, missing: usize, reserve: usize) -> Result<Begun, DecodeError> {
        self.owe(missing)?;
        let parts = Vec::with_capacity(reserve);
        Ok(Begun::Open(Frame { open, parts, missing, height: 0 }))
    }

    fn owe(&mut self, parts: usize) -> Result<(), DecodeError> {
        let owed = self.owed.saturating_add(parts);
        if owed > self.rest.len() {
            return Err(DecodeError::Truncated);
        }
        self.owed = owed;
        Ok(())
    }

    fn bit_binary(&mut self) -> Result<Term, DecodeError> {
        let len = self.len32()?;
        let used = usize::from(self.byte()?);
        let bytes = self.bytes(len)?.to_vec();
        if used > 8 || (used == 0) != (len == 0) {
            return Err(DecodeError::Invalid("bitstring"));
        }
        let bit_len = (len * 8).saturating_sub(8 - used);
        Bits::new(bytes, if len == 0 { 0 } else { bit_len })
            .map(Term::Bits)
            .ok_or(DecodeError::Invalid("bitstring"))
    }

    /// Reads the form of `"~.20e"` in 31 bytes, padded with zero bytes.
    fn old_float(&mut self) -> Result<Term, DecodeError> {
        let field = self.bytes(FLOAT_TEXT_BYTES)?;
        let text = field.split(|it| *it == 0).next().unwrap_or_default();
        std::str::from_utf8(text)
            .ok()
            .and_then(|it| it.trim().parse::<f64>().ok())
            .ok_or(DecodeError::Invalid("float"))
            .and_then(float)
    }

    fn big(&mut self, len: usize) -> Result<Term, DecodeError> {
        let sign = match self.byte()? {
            0 => Sign::Plus,
            _ => Sign::Minus,
        };
        Ok(Term::integer(BigInt::from_bytes_le(sign, self.bytes(len)?)))
    }

    fn pid(&mut self, creation: Creation) -> Result<Pid, DecodeError> {
        let (node, id, serial) = (self.atom()?, self.u32()?, self.u32()?);
        Ok(Pid { node, id, serial, creation: self.creation(creation)? })
    }

    fn reference(&mut self, creation: Creation) -> Result<Reference, DecodeError> {
        let len = usize::from(self.u16()?);
        let node = self.atom()?;
        let creation = self.creation(creation)?;
        let words = self.bytes(len * 4)?.chunks_exact(4).map(word).collect();
        Ok(Reference { node, creation, words })
    }

    fn creation(&mut self, creation: Creation) -> Result<u32, DecodeError> {
        match creation {
            Creation::Byte => match self.byte()? {
                creation @ 0..=3 => Ok(u32::from(creation)),
                _ => Err(DecodeError::Invalid("creation")),
            },
            Creation::Word => self.u32(),
        }
    }

    fn export(&mut self) -> Result<Term, DecodeError> {
        let (module, function) = (self.atom()?, self.atom()?);
        let arity = u8::try_from(self.small_integer()?);
        let arity = arity.map_err(|_| DecodeError::Invalid("arity"))?;
        Ok(Term::Fun(Box::new(Fun::External { module, function, arity })))
    }

    /// Reads an integer inside another term's header.
    fn small_integer(&mut self) -> Result<i64, DecodeError> {
        let value = match self.byte()? {
            tag::SMALL_INTEGER => Some(i64::from(self.byte()?)),
            tag::INTEGER => Some(i64::from(i32::from_be_bytes(self.array()?))),
            tag::SMALL_BIG => {
                let len = usize::from(self.byte()?);
                self.big(len)?.as_int()
            }
            _ => None,
        };
        value.ok_or(DecodeError::Invalid("integer"))
    }

    fn atom(&mut self) -> Result<Atom, DecodeError> {
        let byte = self.byte()?;
        self.atom_after(byte)
    }

    fn atom_after(&mut self, byte: u8) -> Result<Atom, DecodeError> {
        let (len, latin1) = match byte {
            tag::SMALL_ATOM_UTF8 => (usize::from(self.byte()?), false),
            tag::ATOM_UTF8 => (usize::from(self.u16()?), false),
            tag::SMALL_ATOM => (usize::from(self.byte()?), true),
            tag::ATOM => (usize::from(self.u16()?), true),
            other => return Err(DecodeError::Tag(other)),
        };
        let bytes = self.bytes(len)?;
        let atom = if latin1 && !bytes.is_ascii() {
            Atom::new(&bytes.iter().copied().map(char::from).collect::<String>())
        } else {
            Atom::new(std::str::from_utf8(bytes).map_err(|_| DecodeError::Invalid("atom"))?)
        };
        if len > MAX_ATOM_CHARS && atom.as_str().chars().count() > MAX_ATOM_CHARS {
            return Err(DecodeError::Invalid("atom"));
        }
        Ok(atom)
    }

    fn byte(&mut self) -> Result<u8, DecodeError> {
        let (first, rest) = self.rest.split_first().ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(*first)
    }

    fn u16(&mut self) -> Result<u16, DecodeError> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32, DecodeError> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    fn len32(&mut self) -> Result<usize, DecodeError> {
        usize::try_from(self.u32()?).map_err(|_| DecodeError::Truncated)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (first, rest) = self.rest.split_first_chunk().ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(*first)
    }

    fn bytes(&mut self, len: usize) -> Result<&'a [u8], DecodeError> {
        let (first, rest) = self.rest.split_at_checked(len).ok_or(DecodeError::Truncated)?;
        self.rest = rest;
        Ok(first)
    }
}

impl Frame {
    /// Records the nesting of the next part.
    fn rise(&mut self, height: usize) -> Result<(), DecodeError> {
        let is_key = matches!(self.open, Open::Map) && self.missing.is_multiple_of(2);
        if height > MAX_KEY_DEPTH && is_key {
            return Err(DecodeError::TooDeep);
        }
        self.height = self.height.max(height + 1);
        Ok(())
    }

    fn close(self, last: Term) -> Result<Term, DecodeError> {
        let Frame { open, parts, .. } = self;
        Ok(match open {
            Open::List => Term::list(parts, last),
            Open::Tuple => Term::Tuple(with(parts, last)),
            Open::Map => map(with(parts, last))?,
            Open::Closure(closure) => closure.with_env(with(parts, last)),
        })
    }
}

fn with(mut parts: Vec<Term>, last: Term) -> Vec<Term> {
    parts.push(last);
    parts
}

/// Checks the first word of a reference in the older forms, which has 18 bits.
fn old_word(word: u32) -> Result<(), DecodeError> {
    if word >> 18 == 0 { Ok(()) } else { Err(DecodeError::Invalid("reference")) }
}

/// The width of the creation field of a pid, port or reference.
#[derive(Clone, Copy)]
enum Creation {
    Byte,
    Word,
}

impl Closure {
    fn with_env(self, env: Vec<Term>) -> Term {
        let Closure { module, arity, index, uniq, old_index, old_uniq, pid } = self;
        let fun = Fun::Closure { module, arity, index, uniq, old_index, old_uniq, pid, env };
        Term::Fun(Box::new(fun))
    }
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// Checks a float: no runtime has infinite floats or NaN.
fn float(value: f64) -> Result<Term, DecodeError> {
    if value.is_finite() { Ok(Term::Float(value)) } else { Err(DecodeError::Invalid("float")) }
}

/// Makes a map of alternating keys and values. No runtime sends a key twice.
fn map(parts: Vec<Term>) -> Result<Term, DecodeError> {
    let mut pairs = Vec::with_capacity(parts.len() / 2);
    let mut parts = parts.into_iter();
    while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
        pairs.push((key, value));
    }
    let size = pairs.len();
    let map = Term::map(pairs);
    if matches!(&map, Term::Map(pairs) if pairs.len() == size) {
        Ok(map)
    } else {
        Err(DecodeError::Invalid("map"))
    }
}
