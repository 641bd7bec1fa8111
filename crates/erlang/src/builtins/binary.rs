//! Sizes and parts of bitstrings, and conversions between binaries and unsigned integers.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside, on_host, pure};
use crate::lift;
use crate::machine::World;
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;
use std::borrow::Cow;
use values::{At, Heap, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "byte_size", 1, |w, args| byte_size(w, arg(args, 0))).own(lift::bits::byte_size),
    pure("erlang", "bit_size", 1, |w, args| bit_size(w, arg(args, 0))).own(lift::bits::bit_size),
    pure("erlang", "size", 1, |w, args| size(w, arg(args, 0))).own(lift::bits::size),
    pure("erlang", "split_binary", 2, |w, args| split(w, arg(args, 0), arg(args, 1)))
        .own(lift::bits::split),
    pure("erlang", "binary_part", 2, |w, args| {
        let (start, len) = pair(&w.heap, arg(args, 1))?;
        part(w, arg(args, 0), start, len)
    })
    .own(lift::bits::part_of),
    pure("erlang", "binary_part", 3, |w, args| part(w, arg(args, 0), arg(args, 1), arg(args, 2)))
        .own(lift::bits::part),
    pure("erlang", "bitstring_to_list", 1, |w, args| to_list(w, arg(args, 0))),
    // Parses network protocols, most of them HTTP; the real runtime's parser is used instead of a second one.
    on_host("erlang", "decode_packet", 3),
    pure("binary", "part", 2, |w, args| {
        let (start, len) = pair(&w.heap, arg(args, 1))?;
        part(w, arg(args, 0), start, len)
    })
    .own(lift::bits::part_of),
    pure("binary", "part", 3, |w, args| part(w, arg(args, 0), arg(args, 1), arg(args, 2)))
        .own(lift::bits::part),
    pure("binary", "at", 2, |w, args| {
        byte_at(w, arg(args, 0), |_| badarg(arg(args, 1).as_usize()))
    })
    .own(lift::bits::at),
    pure("binary", "first", 1, |w, args| byte_at(w, arg(args, 0), |_| Ok(0)))
        .own(lift::bits::first),
    pure("binary", "last", 1, |w, args| byte_at(w, arg(args, 0), |len| badarg(len.checked_sub(1))))
        .own(lift::bits::last),
    pure("binary", "copy", 1, |w, args| copy(w, arg(args, 0), Value::int(1)))
        .own(lift::bits::copied),
    pure("binary", "copy", 2, |w, args| copy(w, arg(args, 0), arg(args, 1)))
        .own(lift::bits::repeated),
    pure("binary", "decode_unsigned", 1, |w, args| decode(w, arg(args, 0), ByteOrder::BigEndian))
        .own(lift::bits::decoded),
    pure("binary", "decode_unsigned", 2, |w, args| {
        let first = ByteOrder::named(w, arg(args, 1))?;
        decode(w, arg(args, 0), first)
    })
    .own(lift::bits::decoded),
    pure("binary", "encode_unsigned", 1, |w, args| encode(w, arg(args, 0), ByteOrder::BigEndian))
        .own(lift::bits::encoded),
    pure("binary", "encode_unsigned", 2, |w, args| {
        let first = ByteOrder::named(w, arg(args, 1))?;
        encode(w, arg(args, 0), first)
    })
    .own(lift::bits::encoded),
    pure("binary", "longest_common_prefix", 1, |w, args| {
        common(w, arg(args, 0), |bytes, n| bytes.get(n))
    }),
    pure("binary", "longest_common_suffix", 1, |w, args| {
        common(w, arg(args, 0), |bytes, n| bytes.iter().nth_back(n))
    }),
    // Not pure: the result depends on the buffer of the binary, not on its contents alone.
    inside("binary", "referenced_byte_size", 1, Shares::Nothing, OnBeam::Alike, |w, args| {
        let View::Bits(at) = arg(args, 0).view() else { return Err(Fault::BADARG) };
        Ok(count(w.heap.referenced_bytes(at)))
    }),
];

/// Returns the bytes of an argument, or `badarg` if it is not a binary.
pub(super) fn bytes(heap: &Heap, value: Value) -> Result<Cow<'_, [u8]>, Fault> {
    badarg(heap.as_binary_bytes(value))
}

fn bits_at(value: Value) -> Result<At, Fault> {
    if let View::Bits(at) = value.view() { Ok(at) } else { Err(Fault::BADARG) }
}

pub(super) fn count(n: u64) -> Value {
    Value::int(i64::try_from(n).unwrap_or(i64::MAX))
}

pub(crate) fn byte_size(w: &World, value: Value) -> Result<Value, Fault> {
    Ok(count(w.heap.bit_len(bits_at(value)?).div_ceil(8)))
}

pub(crate) fn bit_size(w: &World, value: Value) -> Result<Value, Fault> {
    Ok(count(w.heap.bit_len(bits_at(value)?)))
}

/// Returns the size of a tuple or bitstring; of a bitstring in whole bytes, rounded down unlike `byte_size`.
fn size(w: &World, value: Value) -> Result<Value, Fault> {
    match value.view() {
        View::Tuple(_, arity) => Ok(Value::int(i64::from(arity))),
        View::Bits(at) => Ok(count(w.heap.bit_len(at) / 8)),
        _ => Err(Fault::BADARG),
    }
}

fn split(w: &mut World, value: Value, place: Value) -> Result<Value, Fault> {
    let at = bits_at(value)?;
    let len = w.heap.bit_len(at);
    let place = badarg(place.as_int().and_then(|it| u64::try_from(it).ok()))?;
    let place = badarg(place.checked_mul(8).filter(|it| *it <= len))?;
    let left = w.heap.sub_bits(at, 0, place);
    let right = w.heap.sub_bits(at, place, len - place);
    Ok(w.heap.tuple(&[left, right]))
}

pub(super) fn pair(heap: &Heap, value: Value) -> Result<(Value, Value), Fault> {
    match heap.elements(value) {
        Some([first, second]) => Ok((*first, *second)),
        _ => Err(Fault::BADARG),
    }
}

/// Returns a part of a bitstring that consists of whole bytes.
fn part(w: &mut World, value: Value, start: Value, len: Value) -> Result<Value, Fault> {
    let at = bits_at(value)?;
    let (from, len) = range(w.heap.bit_len(at) / 8, start, len)?;
    Ok(w.heap.sub_bits(at, from * 8, len * 8))
}

/// Normalises a start and a length, which counts backwards if it is negative, to the first byte and a non-negative
/// length.
pub(super) fn range(n_bytes: u64, start: Value, len: Value) -> Result<(u64, u64), Fault> {
    let (start, len) = badarg(start.as_int().zip(len.as_int()))?;
    let end = badarg(start.checked_add(len))?;
    let (from, to) = (start.min(end), start.max(end));
    let (from, to) = badarg(u64::try_from(from).ok().zip(u64::try_from(to).ok()))?;
    if to <= n_bytes { Ok((from, to - from)) } else { Err(Fault::BADARG) }
}

/// Returns the bytes as a list, which ends with the bitstring of the remaining bits if there are any.
fn to_list(w: &mut World, value: Value) -> Result<Value, Fault> {
    let at = bits_at(value)?;
    let bits = w.heap.bits(at);
    let whole = bits.bit_len / 8;
    w.check_room_for_list(usize::try_from(whole).unwrap_or(usize::MAX))?;
    let mut items: Vec<Value> =
        (0..whole).map(|it| Value::int(i64::from(bits.byte_at(it * 8)))).collect();
    let left = bits.bit_len % 8;
    if left != 0 {
        items.push(w.heap.sub_bits(at, whole * 8, left));
    }
    Ok(w.heap.list(&items))
}

fn byte_at(
    w: &World,
    value: Value,
    place: impl Fn(usize) -> Result<usize, Fault>,
) -> Result<Value, Fault> {
    let bytes = bytes(&w.heap, value)?;
    let byte = badarg(bytes.get(place(bytes.len())?))?;
    Ok(Value::int(i64::from(*byte)))
}

fn copy(w: &mut World, value: Value, times: Value) -> Result<Value, Fault> {
    let times = badarg(times.as_usize())?;
    if times == 0 && w.heap.as_bits(value).is_some() {
        // BEAM checks for whole bytes only if there is something to copy.
        return Ok(w.heap.binary(&[]));
    }
    let bytes = bytes(&w.heap, value)?;
    let n_bytes = bytes.len().saturating_mul(times);
    w.check_room(n_bytes)?;
    let copied = if bytes.is_empty() { Vec::new() } else { bytes.repeat(times) };
    Ok(w.heap.bits_from(copied, n_bytes as u64 * 8))
}

#[derive(Clone, Copy)]
enum ByteOrder {
    BigEndian,
    LittleEndian,
}

impl ByteOrder {
    fn named(w: &World, value: Value) -> Result<ByteOrder, Fault> {
        match w.atoms.name(badarg(value.as_atom())?) {
            "big" => Ok(ByteOrder::BigEndian),
            "little" => Ok(ByteOrder::LittleEndian),
            _ => Err(Fault::BADARG),
        }
    }
}

fn decode(w: &mut World, value: Value, first: ByteOrder) -> Result<Value, Fault> {
    let bytes = bytes(&w.heap, value)?;
    w.limits.check_integer(bytes.len() as u64 * 8)?;
    let res = match first {
        ByteOrder::BigEndian => BigInt::from_bytes_be(Sign::Plus, &bytes),
        ByteOrder::LittleEndian => BigInt::from_bytes_le(Sign::Plus, &bytes),
    };
    Ok(w.heap.integer(res))
}

fn encode(w: &mut World, value: Value, first: ByteOrder) -> Result<Value, Fault> {
    let number = badarg(w.heap.to_big(value))?;
    let number = badarg(number.to_biguint())?;
    let bytes = match first {
        ByteOrder::BigEndian => number.to_bytes_be(),
        ByteOrder::LittleEndian => number.to_bytes_le(),
    };
    Ok(w.heap.binary(&bytes))
}

/// Returns how many bytes all binaries of a list have in common at one end.
fn common(
    w: &World,
    list: Value,
    nth: impl Fn(&[u8], usize) -> Option<&u8>,
) -> Result<Value, Fault> {
    let items = badarg(w.heap.list_items(list))?;
    let items: Vec<Cow<'_, [u8]>> =
        items.iter().map(|it| bytes(&w.heap, *it)).collect::<Result<_, Fault>>()?;
    let (first, others) = badarg(items.split_first())?;
    let shared = |n: &usize| others.iter().all(|it| nth(it, *n) == nth(first, *n));
    let len = (0..first.len()).take_while(shared).count();
    Ok(count(len.to_u64().unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests;
