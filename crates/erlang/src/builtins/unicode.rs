//! `unicode`: conversions of character data (lists and binaries) to UTF-8 and to code points.
//!
//! The rest after an error has a documented meaning but an undocumented shape. Programs match on it, so the shape is
//! BEAM's (erts/emulator/beam/erl_unicode.c).

use crate::builtins::arithmetic::arg;
use crate::builtins::unicode_wide::{self, Wide};
use crate::builtins::{Builtin, Fault, Stop, pure};
use crate::lift;
use crate::machine::World;
use values::{AtomId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    pure("unicode", "characters_to_binary", 2, |w, args| {
        let (text, end) = convert(w, arg(args, 0), arg(args, 1))?;
        let text = w.heap.binary(&text);
        Ok(answer(w, text, end))
    })
    .own(lift::unicode::to_binary),
    pure("unicode", "characters_to_list", 2, |w, args| {
        let (text, end) = convert(w, arg(args, 0), arg(args, 1))?;
        let chars = String::from_utf8_lossy(&text);
        w.check_room_for_list(chars.len())?;
        let chars: Vec<Value> =
            chars.chars().map(|it| Value::int(i64::from(u32::from(it)))).collect();
        let text = w.heap.list(&chars);
        Ok(answer(w, text, end))
    })
    .own(lift::unicode::to_list),
    pure("unicode", "bin_is_7bit", 1, |w, args| {
        let bytes = w.heap.as_binary_bytes(arg(args, 0));
        Ok(Value::bool(bytes.is_some_and(|it| it.is_ascii())))
    }),
];

/// The result of a conversion, with the data that was not converted.
#[derive(Clone, Copy)]
pub(super) enum Outcome {
    Complete,
    Incomplete(Value),
    Error(Value),
}

fn answer(w: &mut World, converted: Value, end: Outcome) -> Value {
    let (tag, rest) = match end {
        Outcome::Complete => return converted,
        Outcome::Incomplete(rest) => (AtomId::INCOMPLETE, rest),
        Outcome::Error(rest) => (AtomId::ERROR, rest),
    };
    w.heap.tuple(&[Value::atom(tag), converted, rest])
}

#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Latin1,
    Utf8,
}

/// Converts `data` to UTF-8, up to the first error.
fn convert(w: &mut World, data: Value, encoding: Value) -> Result<(Vec<u8>, Outcome), Fault> {
    let encoding = match encoding.as_atom() {
        Some(AtomId::LATIN1) => Encoding::Latin1,
        Some(AtomId::UTF8 | AtomId::UNICODE) => Encoding::Utf8,
        _ => {
            let wide = Wide::read(&w.heap, encoding).ok_or(Fault::BADARG)?;
            return unicode_wide::convert(w, data, wide);
        }
    };
    check_shape(w, data)?;
    // A list of a single binary is treated as the binary, so the rest after an error is no list.
    let subject = match w.heap.uncons(data) {
        Some((head, tail)) if tail.is_nil() && matches!(head.view(), View::Bits(_)) => head,
        _ => data,
    };
    let room = w.room();
    let mut state = State { encoding, out: Vec::new(), pending: Vec::new(), room };
    let end = match state.walk(w, subject)? {
        Some(rest) if state.pending.is_empty() => Outcome::Error(rest),
        Some(rest) => {
            let pending = w.heap.binary(&state.pending);
            Outcome::Error(w.heap.list(&[pending, rest]))
        }
        None if state.pending.is_empty() => Outcome::Complete,
        None => {
            let rest = w.heap.binary(&state.pending);
            if may_go_on(&state.pending) { Outcome::Incomplete(rest) } else { Outcome::Error(rest) }
        }
    };
    Ok((state.out, end))
}

/// Refuses data of the wrong types before any of it is converted.
fn check_shape(w: &World, data: Value) -> Result<(), Fault> {
    let is_binary = |value| w.heap.as_bits(value).is_some_and(|it| it.is_binary());
    let mut rest = vec![data];
    while let Some(mut at) = rest.pop() {
        while let Some((head, tail)) = w.heap.uncons(at) {
            w.spend_steps(1)?;
            at = tail;
            match head.view() {
                // BEAM stops checking at the first integer that is not small, which is no character.
                View::Int(_) | View::Big(_) if !head.is_small_on_beam() => return Ok(()),
                View::Int(_) | View::Nil => (),
                View::Cons(_) => {
                    rest.push(tail);
                    at = head;
                }
                _ if is_binary(head) => (),
                _ => return Err(Fault::BADARG),
            }
        }
        if !at.is_nil() && !is_binary(at) {
            return Err(Fault::BADARG);
        }
    }
    Ok(())
}

struct State {
    encoding: Encoding,
    out: Vec<u8>,
    /// The first bytes of a character that continues in the next binary.
    pending: Vec<u8>,
    room: usize,
}

impl State {
    /// Converts the data. Returns the unconverted rest after an error, or `None` if everything was converted.
    fn walk(&mut self, w: &mut World, data: Value) -> Result<Option<Value>, Fault> {
        // The stack of the enclosing lists, each from the cell where it continues.
        let mut around = Vec::new();
        let mut at = data;
        let mut rest = loop {
            if self.out.len() > self.room {
                return Err(Stop::OutOfMemory.into());
            }
            w.spend_steps(1)?;
            let Some((head, tail)) = w.heap.uncons(at) else {
                if let Some(rest) = self.binary(w, at) {
                    break rest;
                }
                match around.pop() {
                    Some(next) => at = next,
                    None => return Ok(None),
                }
                continue;
            };
            match head.view() {
                View::Nil => at = tail,
                View::Cons(_) => {
                    around.push(tail);
                    at = head;
                }
                View::Bits(_) => match self.binary(w, head) {
                    Some(rest) => break w.heap.cons(rest, tail),
                    None => at = tail,
                },
                _ => match self.char(head) {
                    Some(char) => {
                        self.out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                        at = tail;
                    }
                    None => break at,
                },
            }
        };
        while let Some(tail) = around.pop() {
            rest = w.heap.cons(rest, tail);
        }
        Ok(Some(rest))
    }

    fn char(&self, value: Value) -> Option<char> {
        if !self.pending.is_empty() {
            return None;
        }
        let code = value.as_int().and_then(|it| u32::try_from(it).ok())?;
        if self.encoding == Encoding::Latin1 && code > 0xff {
            return None;
        }
        char::from_u32(code)
    }

    /// Converts a binary. Returns its unconverted rest after an error, or `None`.
    fn binary(&mut self, w: &mut World, binary: Value) -> Option<Value> {
        let View::Bits(at) = binary.view() else { return None };
        let bytes = w.heap.bits(at).to_padded_bytes();
        w.heap.count_steps(bytes.len() / 8);
        if self.encoding == Encoding::Latin1 {
            let text: String = bytes.iter().map(|it| char::from(*it)).collect();
            self.out.extend_from_slice(text.as_bytes());
            return None;
        }
        let n_good = self.utf8(&bytes)?;
        let (from, len) = (n_good as u64 * 8, (bytes.len() - n_good) as u64 * 8);
        Some(w.heap.sub_bits(at, from, len))
    }

    /// Converts UTF-8 bytes. Returns the position of the first error, or `None`.
    fn utf8(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut rest = bytes;
        if let Some(first) = self.pending.first() {
            let n_missing = utf8_len(*first).saturating_sub(self.pending.len());
            let Some((filling, others)) = rest.split_at_checked(n_missing) else {
                self.pending.extend_from_slice(rest);
                return None;
            };
            let char = [&self.pending, filling].concat();
            if str::from_utf8(&char).is_err() {
                return Some(0);
            }
            self.out.extend(char);
            self.pending.clear();
            rest = others;
        }
        let n_good = str::from_utf8(rest).map_or_else(|it| it.valid_up_to(), |_| rest.len());
        let (good, bad) = rest.split_at(n_good);
        self.out.extend_from_slice(good);
        // A truncated character is checked when its remaining bytes arrive, or at the end.
        if bad.first().is_some_and(|it| bad.len() < utf8_len(*it)) {
            self.pending = bad.to_vec();
            return None;
        }
        (!bad.is_empty()).then_some(bytes.len() - bad.len())
    }
}

/// Returns the length of a character with this first byte; 0 if no character begins with it.
fn utf8_len(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => 0,
    }
}

/// Whether further bytes could complete a character. BEAM checks only the continuation bits.
fn may_go_on(pending: &[u8]) -> bool {
    pending.iter().skip(1).all(|it| it & 0xc0 == 0x80)
}
