//! Conversions from iolists (nested lists of bytes and binaries) to bytes, and from binaries to lists.

use crate::builtins::arithmetic::arg;
use crate::builtins::text::{as_byte, byte_list};
use crate::builtins::{Builtin, Fault, Stop, pure};
use crate::lift;
use crate::machine::World;
use values::{BitsView, Heap, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "iolist_to_binary", 1, |w, args| to_binary(w, arg(args, 0)))
        .own(lift::iolist::to_binary),
    pure("erlang", "iolist_size", 1, size).own(lift::iolist::size),
    pure("erlang", "iolist_to_iovec", 1, to_vector),
    pure("erlang", "list_to_binary", 1, |w, args| list_to_binary(w, arg(args, 0)))
        .own(lift::iolist::to_binary),
    pure("binary", "list_to_bin", 1, |w, args| list_to_binary(w, arg(args, 0)))
        .own(lift::iolist::to_binary),
    pure("erlang", "list_to_bitstring", 1, to_bitstring),
    pure("erlang", "binary_to_list", 1, |w, args| {
        let bytes = w.heap.as_binary_bytes(arg(args, 0)).ok_or(Fault::BADARG)?;
        w.check_room_for_list(bytes.len())?;
        let bytes = bytes.into_owned();
        Ok(byte_list(&mut w.heap, &bytes))
    })
    .own(lift::text::binary_to_list),
    pure("erlang", "binary_to_list", 3, part_to_list).own(lift::bits::part_to_list),
];

/// One byte or bitstring in an iolist.
#[derive(Clone, Copy)]
pub(super) enum Piece<'a> {
    Byte(u8),
    Bits(Value, BitsView<'a>),
}

/// Returns the steps to count for copying `n_bits` bits.
fn words(n_bits: u64) -> usize {
    usize::try_from(n_bits / 64).unwrap_or(usize::MAX)
}

/// Passes the pieces of an iolist to `take`, in order. Iterative, so deep nesting needs no native stack.
pub(super) fn walk<'a>(
    heap: &'a Heap,
    value: Value,
    mut take: impl FnMut(Piece<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if let View::Bits(at) = value.view() {
        let bits = heap.bits(at);
        heap.spend_steps(words(bits.bit_len))?;
        return take(Piece::Bits(value, bits));
    }
    let mut rest = vec![value];
    while let Some(mut at) = rest.pop() {
        while let Some((head, tail)) = heap.uncons(at) {
            heap.spend_steps(1)?;
            at = tail;
            match head.view() {
                View::Nil => (),
                View::Cons(_) => {
                    rest.push(tail);
                    at = head;
                }
                View::Bits(bits) => {
                    let bits = heap.bits(bits);
                    heap.count_steps(words(bits.bit_len));
                    take(Piece::Bits(head, bits))?;
                }
                _ => take(Piece::Byte(as_byte(head).ok_or(Fault::BADARG)?))?,
            }
        }
        match at.view() {
            View::Nil => (),
            // A list may end with a binary, but not with a byte.
            View::Bits(bits) => take(Piece::Bits(at, heap.bits(bits)))?,
            _ => return Err(Fault::BADARG),
        }
    }
    Ok(())
}

/// Returns the bytes of an iolist of whole bytes. Checks the memory budget while collecting, because shared sublists
/// make the bytes many more than the cells.
pub(super) fn bytes(w: &World, value: Value) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::new();
    let room = w.room();
    walk(&w.heap, value, |piece| {
        match piece {
            Piece::Byte(byte) => out.push(byte),
            Piece::Bits(_, bits) if !bits.is_binary() => return Err(Fault::BADARG),
            Piece::Bits(_, bits) => match bits.as_bytes() {
                Some(bytes) => out.extend_from_slice(bytes),
                None => out.extend(bits.to_padded_bytes()),
            },
        }
        if out.len() > room { Err(Stop::OutOfMemory.into()) } else { Ok(()) }
    })?;
    Ok(out)
}

fn list_to_binary(w: &mut World, list: Value) -> Result<Value, Fault> {
    if list.is_cons() || list.is_nil() { to_binary(w, list) } else { Err(Fault::BADARG) }
}

fn to_binary(w: &mut World, value: Value) -> Result<Value, Fault> {
    // A binary is returned as it is, so it keeps its buffer and its shadow.
    if w.heap.as_bits(value).is_some_and(|it| it.is_binary()) {
        return Ok(value);
    }
    let bytes = bytes(w, value)?;
    Ok(w.heap.binary(&bytes))
}

fn size(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let mut size = 0u64;
    walk(&w.heap, arg(args, 0), |piece| {
        size = size.saturating_add(match piece {
            Piece::Byte(_) => 1,
            Piece::Bits(_, bits) if !bits.is_binary() => return Err(Fault::BADARG),
            Piece::Bits(_, bits) => bits.bit_len / 8,
        });
        Ok(())
    })?;
    Ok(Value::int(i64::try_from(size).map_err(|_| Fault::SYSTEM_LIMIT)?))
}

fn to_bitstring(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let list = arg(args, 0);
    if !list.is_cons() && !list.is_nil() {
        return Err(Fault::BADARG);
    }
    let mut out: Vec<u8> = Vec::new();
    let mut bit_len = 0u64;
    let room = w.room();
    walk(&w.heap, list, |piece| {
        match piece {
            Piece::Byte(byte) => push_bits(&mut out, &mut bit_len, &[byte], 8),
            Piece::Bits(_, bits) => {
                push_bits(&mut out, &mut bit_len, &bits.to_padded_bytes(), bits.bit_len);
            }
        }
        if out.len() > room { Err(Stop::OutOfMemory.into()) } else { Ok(()) }
    })?;
    Ok(w.heap.bits_from(out, bit_len))
}

/// Appends the first `n` bits of `bytes`, whose last byte is padded with zeros.
fn push_bits(out: &mut Vec<u8>, bit_len: &mut u64, bytes: &[u8], n: u64) {
    let used = *bit_len % 8;
    *bit_len += n;
    if used == 0 {
        out.extend_from_slice(bytes);
        return;
    }
    for byte in bytes {
        if let Some(last) = out.last_mut() {
            *last |= byte >> used;
        }
        out.push(byte << (8 - used));
    }
    if out.len() as u64 > bit_len.div_ceil(8) {
        out.pop();
    }
}

/// Makes an I/O vector as BEAM does: large binaries are kept, and the smaller pieces between them are joined.
fn to_vector(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    /// Binaries smaller than this number of bits are copied.
    const LARGE_BITS: u64 = 64 * 4 * 8;
    enum Part {
        Joined(Vec<u8>),
        Whole(Value),
    }
    let mut parts = vec![Part::Joined(Vec::new())];
    let room = w.room();
    let mut n_bytes = 0;
    walk(&w.heap, arg(args, 0), |piece| {
        let bytes = match piece {
            Piece::Byte(byte) => vec![byte],
            Piece::Bits(_, bits) if !bits.is_binary() => return Err(Fault::BADARG),
            Piece::Bits(value, bits) if bits.bit_len >= LARGE_BITS => {
                parts.extend([Part::Whole(value), Part::Joined(Vec::new())]);
                return Ok(());
            }
            Piece::Bits(_, bits) => bits.to_padded_bytes(),
        };
        n_bytes += bytes.len();
        if let Some(Part::Joined(last)) = parts.last_mut() {
            last.extend(bytes);
        }
        if n_bytes > room { Err(Stop::OutOfMemory.into()) } else { Ok(()) }
    })?;
    let mut res = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Part::Joined(bytes) if bytes.is_empty() => (),
            Part::Joined(bytes) => res.push(w.heap.binary(&bytes)),
            Part::Whole(value) => res.push(value),
        }
    }
    Ok(w.heap.list(&res))
}

/// `binary_to_list/3`: the bytes between two positions, counted from 1, both included.
fn part_to_list(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let bytes = w.heap.as_binary_bytes(arg(args, 0)).ok_or(Fault::BADARG)?;
    let from = arg(args, 1).as_usize().filter(|it| *it > 0).ok_or(Fault::BADARG)?;
    let to = arg(args, 2).as_usize().filter(|it| *it >= from).ok_or(Fault::BADARG)?;
    let part = bytes.get(from - 1..to).ok_or(Fault::BADARG)?;
    w.check_room_for_list(part.len())?;
    let part = part.to_vec();
    Ok(byte_list(&mut w.heap, &part))
}
