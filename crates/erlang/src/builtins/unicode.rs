//! `unicode`: characters in lists and binaries to UTF-8 and to code points.
//!
//! What is left over after an error has a documented meaning and an undocumented shape; programs
//! match on it, so the shape is BEAM's (erts/emulator/beam/erl_unicode.c).

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

/// How a conversion ended. Values are what was not converted.
#[derive(Clone, Copy)]
pub(super) enum End {
    Complete,
    Incomplete(Value),
    Error(Value),
}

fn answer(w: &mut World, converted: Value, end: End) -> Value {
    let (tag, rest) = match end {
        End::Complete => return converted,
        End::Incomplete(rest) => (AtomId::INCOMPLETE, rest),
        End::Error(rest) => (AtomId::ERROR, rest),
    };
    w.heap.tuple(&[Value::atom(tag), converted, rest])
}

#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Latin1,
    Utf8,
}

/// The UTF-8 of `data`, as far as it could be converted.
fn convert(w: &mut World, data: Value, encoding: Value) -> Result<(Vec<u8>, End), Fault> {
    let encoding = match encoding.as_atom() {
        Some(AtomId::LATIN1) => Encoding::Latin1,
        Some(AtomId::UTF8 | AtomId::UNICODE) => Encoding::Utf8,
        _ => {
            let wide = Wide::read(&w.heap, encoding).ok_or(Fault::BADARG)?;
            return unicode_wide::convert(w, data, wide);
        }
    };
    check_shape(w, data)?;
    // A list of one binary is taken for the binary: an error then leaves no list.
    let subject = match w.heap.uncons(data) {
        Some((head, tail)) if tail.is_nil() && matches!(head.view(), View::Bits(_)) => head,
        _ => data,
    };
    let room = w.room();
    let mut state = State { encoding, out: Vec::new(), pending: Vec::new(), room };
    let end = match state.walk(w, subject)? {
        Some(rest) if state.pending.is_empty() => End::Error(rest),
        Some(rest) => {
            let pending = w.heap.binary(&state.pending);
            End::Error(w.heap.list(&[pending, rest]))
        }
        None if state.pending.is_empty() => End::Complete,
        None => {
            let rest = w.heap.binary(&state.pending);
            if may_go_on(&state.pending) { End::Incomplete(rest) } else { End::Error(rest) }
        }
    };
    Ok((state.out, end))
}

/// What can't be text at all is refused before any of it is converted.
fn check_shape(w: &World, data: Value) -> Result<(), Fault> {
    let is_binary = |value| w.heap.as_bits(value).is_some_and(|it| it.is_binary());
    let mut rest = vec![data];
    while let Some(mut at) = rest.pop() {
        while let Some((head, tail)) = w.heap.uncons(at) {
            w.spend_steps(1)?;
            at = tail;
            match head.view() {
                // BEAM looks no further than the first large integer, which is no character.
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
    /// The beginning of a character whose other bytes are in the next binary.
    pending: Vec<u8>,
    room: usize,
}

impl State {
    /// Converts all of it; what is left after an error otherwise.
    fn walk(&mut self, w: &mut World, data: Value) -> Result<Option<Value>, Fault> {
        // The lists around the present one, each from where it goes on.
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

    /// Converts a binary; what is left of it after an error otherwise.
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

    /// Takes UTF-8; the place of the error if there is one.
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
        // Whether the bytes of a character that is cut off are right is asked at the end.
        if bad.first().is_some_and(|it| bad.len() < utf8_len(*it)) {
            self.pending = bad.to_vec();
            return None;
        }
        (!bad.is_empty()).then_some(bytes.len() - bad.len())
    }
}

/// How long a character with this first byte is; 0 if there is none.
fn utf8_len(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => 0,
    }
}

/// Whether more bytes might make these a character. BEAM looks at no more than this.
fn may_go_on(pending: &[u8]) -> bool {
    pending.iter().skip(1).all(|it| it & 0xc0 == 0x80)
}
