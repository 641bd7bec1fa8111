//! Conversion of UTF-16 and UTF-32 in lists and binaries to UTF-8.
//!
//! BEAM implements these in Erlang (`characters_to_binary_int` in stdlib's unicode.erl) but calls them from a native
//! function, so they are builtins here. The rest after an error has BEAM's shape.

use crate::builtins::unicode::Outcome;
use crate::builtins::{Fault, Stop};
use crate::machine::World;
use values::{AtomId, Heap, Value, View};

#[derive(Clone, Copy)]
pub(super) struct Wide {
    unit: Unit,
    order: Order,
}

#[derive(Clone, Copy)]
enum Unit {
    Utf16,
    Utf32,
}

#[derive(Clone, Copy)]
enum Order {
    Big,
    Little,
}

impl Wide {
    /// Reads `utf16`, `{utf16,little}` and the like; `None` for other terms.
    pub(super) fn read(heap: &Heap, value: Value) -> Option<Wide> {
        let (unit, order) = match heap.elements(value) {
            None => (value, Order::Big),
            Some([unit, order]) if order.is_atom(AtomId::BIG) => (*unit, Order::Big),
            Some([unit, order]) if order.is_atom(AtomId::LITTLE) => (*unit, Order::Little),
            Some(_) => return None,
        };
        let unit = match unit.as_atom()? {
            AtomId::UTF16 => Unit::Utf16,
            AtomId::UTF32 => Unit::Utf32,
            _ => return None,
        };
        Some(Wide { unit, order })
    }
}

/// Larger binaries are converted in parts of this many bytes, which is visible in the rest after an error.
const PART: usize = 8_192;

/// The first bytes of a character, and the minimum number of bytes that it lacks.
struct Pending {
    bytes: Vec<u8>,
    n_missing: usize,
}

pub(super) fn convert(w: &mut World, data: Value, wide: Wide) -> Result<(Vec<u8>, Outcome), Fault> {
    let mut out = String::new();
    let mut pending: Option<Pending> = None;
    // The stack of the enclosing lists, each from the cell where it continues.
    let mut around: Vec<Value> = Vec::new();
    let room = w.room();
    let mut at = data;
    let mut rest = loop {
        if out.len() > room {
            return Err(Stop::OutOfMemory.into());
        }
        w.spend_steps(1)?;
        if at.is_nil() {
            match (around.pop(), pending) {
                (Some(next), kept) => (at, pending) = (next, kept),
                (None, None) => return Ok((out.into_bytes(), Outcome::Complete)),
                (None, Some(kept)) => {
                    let kept = w.heap.binary(&kept.bytes);
                    return Ok((out.into_bytes(), Outcome::Incomplete(kept)));
                }
            }
            continue;
        }
        // A binary as tail, or as the whole data, is treated like a binary followed by `[]`.
        let cell = w.heap.uncons(at);
        let (head, tail) = cell.unwrap_or((at, Value::NIL));
        if cell.is_some() && (head.is_cons() || head.is_nil()) {
            around.push(tail);
            at = head;
            continue;
        }
        if cell.is_some() && head.is_integer() {
            if let Some(kept) = pending {
                let kept = w.heap.binary(&kept.bytes);
                break w.heap.cons(kept, at);
            }
            let Some(char) = as_char(head) else {
                let bad = w.heap.list(&[head]);
                break w.heap.cons(bad, tail);
            };
            out.push(char);
            at = tail;
            continue;
        }
        let bytes = w.heap.as_binary_bytes(head).ok_or(Fault::BADARG)?.into_owned();
        if let Some(mut kept) = pending.take() {
            if bytes.len() < kept.n_missing {
                kept.n_missing -= bytes.len();
                kept.bytes.extend(bytes);
                pending = Some(kept);
                at = tail;
            } else {
                let (filling, others) = bytes.split_at(kept.n_missing);
                kept.bytes.extend_from_slice(filling);
                at = two_parts(w, &kept.bytes, others, tail);
            }
            continue;
        }
        if bytes.len() > PART {
            let (first, others) = bytes.split_at(PART);
            at = two_parts(w, first, others, tail);
            continue;
        }
        let n_good = take(&mut out, &bytes, wide);
        let bad = bytes.get(n_good..).unwrap_or_default();
        at = tail;
        if bad.is_empty() {
            continue;
        }
        match n_missing(bad, wide) {
            Some(n_missing) => pending = Some(Pending { bytes: bad.to_vec(), n_missing }),
            None => {
                let bad = w.heap.binary(bad);
                break if cell.is_some() { w.heap.cons(bad, tail) } else { bad };
            }
        }
    };
    while let Some(tail) = around.pop() {
        rest = w.heap.cons(rest, tail);
    }
    Ok((out.into_bytes(), Outcome::Error(rest)))
}

fn two_parts(w: &mut World, first: &[u8], second: &[u8], tail: Value) -> Value {
    let (first, second) = (w.heap.binary(first), w.heap.binary(second));
    w.heap.list_with_tail(&[first, second], tail)
}

fn as_char(value: Value) -> Option<char> {
    let View::Int(int) = value.view() else { return None };
    u32::try_from(int).ok().and_then(char::from_u32)
}

/// Converts characters up to the first incomplete or invalid one. Returns how many bytes were converted.
fn take(out: &mut String, bytes: &[u8], wide: Wide) -> usize {
    let mut n_taken = 0;
    while let Some((char, n)) = first_char(bytes.get(n_taken..).unwrap_or_default(), wide) {
        out.push(char);
        n_taken += n;
    }
    n_taken
}

fn first_char(bytes: &[u8], wide: Wide) -> Option<(char, usize)> {
    match wide.unit {
        Unit::Utf32 => {
            let word = *bytes.first_chunk::<4>()?;
            let code = match wide.order {
                Order::Big => u32::from_be_bytes(word),
                Order::Little => u32::from_le_bytes(word),
            };
            Some((char::from_u32(code)?, 4))
        }
        Unit::Utf16 => {
            let units = bytes.chunks_exact(2).take(2).map(|it| {
                let unit: [u8; 2] = it.try_into().unwrap_or_default();
                match wide.order {
                    Order::Big => u16::from_be_bytes(unit),
                    Order::Little => u16::from_le_bytes(unit),
                }
            });
            let char = char::decode_utf16(units).next()?.ok()?;
            Some((char, 2 * char.len_utf16()))
        }
    }
}

/// Returns how many bytes at least would complete a character; `None` if no bytes would.
fn n_missing(bytes: &[u8], wide: Wide) -> Option<usize> {
    const HIGH_SURROGATE: std::ops::RangeInclusive<u8> = 0xd8..=0xdb;
    const LOW_SURROGATE: std::ops::RangeInclusive<u8> = 0xdc..=0xdf;
    let is_plane = |plane: u8, row: u8| match plane {
        0 => !(0xd8..=0xdf).contains(&row),
        plane => plane <= 16,
    };
    match (wide.unit, wide.order, bytes) {
        (Unit::Utf16, Order::Big, [a]) if HIGH_SURROGATE.contains(a) => Some(3),
        (Unit::Utf16, Order::Big, [a]) if !LOW_SURROGATE.contains(a) => Some(1),
        (Unit::Utf16, Order::Big, [a, _]) if HIGH_SURROGATE.contains(a) => Some(2),
        (Unit::Utf16, Order::Big, [a, _, b])
            if HIGH_SURROGATE.contains(a) && LOW_SURROGATE.contains(b) =>
        {
            Some(1)
        }
        (Unit::Utf16, Order::Little, [_]) => Some(1),
        (Unit::Utf16, Order::Little, [_, a]) if HIGH_SURROGATE.contains(a) => Some(2),
        (Unit::Utf16, Order::Little, [_, a, _]) if HIGH_SURROGATE.contains(a) => Some(1),
        (Unit::Utf32, Order::Big, [0]) => Some(3),
        (Unit::Utf32, Order::Big, [0, plane]) if *plane <= 16 => Some(2),
        (Unit::Utf32, Order::Big, [0, plane, row]) if is_plane(*plane, *row) => Some(1),
        (Unit::Utf32, Order::Little, [_]) => Some(3),
        (Unit::Utf32, Order::Little, [_, _]) => Some(2),
        (Unit::Utf32, Order::Little, [0xfe | 0xff, 0xff, 0]) => None,
        (Unit::Utf32, Order::Little, [_, row, plane]) if is_plane(*plane, *row) => Some(1),
        _ => None,
    }
}
