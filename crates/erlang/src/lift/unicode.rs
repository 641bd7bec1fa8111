//! Unicode: code points in bitstrings, and character data as nested lists and binaries.

use crate::lift::bits::Position;
use crate::lift::{Lifting, arg, own_expr, shadow};
use term::{ExprId, Kind, Op, Term};
use trace::Head;
use values::{At, AtomId, Endian, SegmentSpec, SegmentType, Sign, Value, View, to_term};

/// A number, symbolic and concrete.
#[derive(Clone, Copy, Debug)]
struct SymbolicInt {
    expr: ExprId,
    value: i64,
}

impl Lifting<'_> {
    /// The UTF-8 code point that begins at a position of a bitstring, and the position after it; `None` if there is no
    /// valid one.
    pub(crate) fn code_point(
        &mut self,
        value: Value,
        bits: At,
        at: Position,
    ) -> Option<(ExprId, Position)> {
        let first = self.byte(value, bits, at)?;
        let mut end = self.after(at);
        if self.is_below(11, first, 0x80) {
            return Some((first.expr, end));
        }
        if self.is_below(12, first, 0xc2) {
            return None;
        }
        let (n_more, lead) = if self.is_below(12, first, 0xe0) {
            (1, 0xc0)
        } else if self.is_below(12, first, 0xf0) {
            (2, 0xe0)
        } else if self.is_below(12, first, 0xf5) {
            (3, 0xf0)
        } else {
            return None;
        };
        let mut point = self.plus(first, -lead);
        for _ in 0..n_more {
            let next = self.byte(value, bits, end)?;
            end = self.after(end);
            if self.is_below(13, next, 0x80) || !self.is_below(13, next, 0xc0) {
                return None;
            }
            point = self.shifted(point, next);
        }
        let is_valid = match n_more {
            1 => true,
            2 => !self.is_below(14, point, 0x800) && !self.is_surrogate(point),
            _ => !self.is_below(14, point, 0x1_0000) && self.is_below(14, point, 0x11_0000),
        };
        is_valid.then_some((point.expr, end))
    }

    /// As [`Lifting::code_point`], in the encoding of a segment.
    pub(crate) fn code_point_of(
        &mut self,
        spec: SegmentSpec,
        value: Value,
        bits: At,
        at: Position,
    ) -> Option<(ExprId, Position)> {
        match spec.ty {
            SegmentType::Utf16 => self.utf16(value, bits, at, spec.endian),
            SegmentType::Utf32 => self.utf32(value, bits, at, spec.endian),
            SegmentType::Utf8 | SegmentType::Integer | SegmentType::Float | SegmentType::Binary => {
                self.code_point(value, bits, at)
            }
        }
    }

    fn utf16(
        &mut self,
        value: Value,
        bits: At,
        at: Position,
        endian: Endian,
    ) -> Option<(ExprId, Position)> {
        let high = self.word(value, bits, at, (16, endian))?;
        let at = self.after_bits(at, 16);
        if self.is_below(11, high, 0xd800) || !self.is_below(12, high, 0xe000) {
            return Some((high.expr, at));
        }
        if !self.is_below(12, high, 0xdc00) {
            return None;
        }
        let low = self.word(value, bits, at, (16, endian))?;
        if self.is_below(13, low, 0xdc00) || !self.is_below(13, low, 0xe000) {
            return None;
        }
        let (high, low) = (self.plus(high, -0xd800), self.plus(low, 0x1_0000 - 0xdc00));
        let factor = self.int(0x400);
        let high = self.apply(Op::Multiply, &[high.expr, factor]);
        let point = self.apply(Op::Add, &[high, low.expr]);
        Some((point, self.after_bits(at, 16)))
    }

    fn utf32(
        &mut self,
        value: Value,
        bits: At,
        at: Position,
        endian: Endian,
    ) -> Option<(ExprId, Position)> {
        let point = self.word(value, bits, at, (32, endian))?;
        let is_one = self.is_below(11, point, 0xd800)
            || !self.is_below(12, point, 0xe000) && self.is_below(13, point, 0x11_0000);
        is_one.then_some((point.expr, self.after_bits(at, 32)))
    }

    /// The byte at a position. Whether it exists is a choice.
    fn byte(&mut self, value: Value, bits: At, at: Position) -> Option<SymbolicInt> {
        self.word(value, bits, at, (8, Endian::Big))
    }

    fn word(
        &mut self,
        value: Value,
        bits: At,
        at: Position,
        (n_bits, endian): (u64, Endian),
    ) -> Option<SymbolicInt> {
        let size = self.int(i64::try_from(n_bits).ok()?);
        let end = (at.bits + n_bits <= self.heap.bit_len(bits)).then_some(at.bits + n_bits);
        let (slice, _) = self.sized_segment(value, at, size, end)?;
        let spec = SegmentSpec { endian, ..BYTE };
        let (word, _) = self.heap.match_segment(bits, at.bits, spec, Some(n_bits))?;
        let op = Op::BitsToInteger { is_signed: false, is_little: endian == Endian::Little };
        Some(SymbolicInt { expr: self.apply(op, &[slice]), value: word.as_int()? })
    }

    fn after(&mut self, at: Position) -> Position {
        self.after_bits(at, 8)
    }

    fn after_bits(&mut self, at: Position, n_bits: u64) -> Position {
        let size = self.int(i64::try_from(n_bits).unwrap_or(0));
        Position { expr: self.sum(at.expr, size), bits: at.bits + n_bits }
    }

    fn is_below(&mut self, site_index: u32, number: SymbolicInt, bound: i64) -> bool {
        let holds = number.value < bound;
        let bound = self.int(bound);
        let test = self.apply(Op::Less, &[number.expr, bound]);
        self.test(site_index, test, holds);
        holds
    }

    fn is_surrogate(&mut self, point: SymbolicInt) -> bool {
        !self.is_below(14, point, 0xd800) && self.is_below(14, point, 0xe000)
    }

    fn plus(&mut self, number: SymbolicInt, offset: i64) -> SymbolicInt {
        let by = self.int(offset);
        SymbolicInt { expr: self.sum(number.expr, by), value: number.value + offset }
    }

    /// Appends the six low bits of a continuation byte to a code point.
    fn shifted(&mut self, point: SymbolicInt, next: SymbolicInt) -> SymbolicInt {
        let (factor, low) = (self.int(64), self.plus(next, -0x80));
        let high = self.apply(Op::Multiply, &[point.expr, factor]);
        let expr = self.apply(Op::Add, &[high, low.expr]);
        SymbolicInt { expr, value: point.value * 64 + low.value }
    }

    /// Collects all characters of nested lists and binaries of text. `None` if the data is invalid or not followed
    /// symbolically.
    fn characters(&mut self, data: Value, found: &mut Vec<Value>, depth: usize) -> Option<()> {
        let is_bits = matches!(data.view(), View::Bits(_));
        self.test_kind(2, data, Kind::Bitstring, is_bits);
        if let View::Bits(bits) = data.view() {
            return self.decoded(data, bits, found);
        }
        let mut rest = data;
        while let Some((item, tail)) = self.uncons(0, rest) {
            if self.test_kind(1, item, Kind::Integer, item.is_integer()) {
                self.character(item)?;
                found.push(item);
            } else if depth < MAX_NESTED {
                self.characters(item, found, depth + 1)?;
            } else {
                return None;
            }
            rest = tail;
        }
        if rest.is_nil() {
            return Some(());
        }
        // The tail of a list of text may be a binary.
        let is_bits = matches!(rest.view(), View::Bits(_));
        self.test_kind(2, rest, Kind::Bitstring, is_bits);
        let View::Bits(bits) = rest.view() else { return None };
        self.decoded(rest, bits, found)
    }

    /// Records the choices whether a number is a code point; `None` if it is not.
    fn character(&mut self, item: Value) -> Option<()> {
        let Some(expr) = own_expr(item) else { return Some(()) };
        // A bignum is greater than all code points, or negative.
        let is_negative =
            || self.heap.to_big(item).is_some_and(|it| it.sign() == num_bigint::Sign::Minus);
        let beyond = || if is_negative() { i64::MIN } else { i64::MAX };
        let number = SymbolicInt { expr, value: item.as_int().unwrap_or_else(beyond) };
        let is_one = !self.is_below(3, number, 0)
            && (self.is_below(4, number, 0xd800)
                || !self.is_below(5, number, 0xe000) && self.is_below(6, number, 0x11_0000));
        is_one.then_some(())
    }

    fn decoded(&mut self, data: Value, bits: At, found: &mut Vec<Value>) -> Option<()> {
        let mut at = self.position(0);
        loop {
            let is_end = at.bits == self.heap.bit_len(bits);
            if own_expr(data).is_some() {
                self.end_match(data, at, is_end);
            }
            if is_end {
                return Some(());
            }
            let point = self.heap.match_segment(bits, at.bits, UTF8, None);
            if own_expr(data).is_none() {
                let (point, next) = point?;
                at = self.position(next);
                found.push(point);
                continue;
            }
            // If there is no code point here, the choices of `code_point` find that out as well.
            let (expr, next) = self.code_point(data, bits, at)?;
            at = next;
            found.push(point?.0.with_shadow(shadow(expr)));
        }
    }

    /// The result for invalid text. That the text is invalid was determined by choices; the rest of an error tuple's
    /// contents is not followed symbolically.
    fn bad_text(
        &mut self,
        what: &str,
        data: Value,
        is_unicode: bool,
        found: Option<Value>,
    ) -> Option<Value> {
        if found.is_some() || !is_unicode {
            self.concretise(what, &[data], |_| true);
        }
        found
    }

    /// A constructed UTF-8 segment; `None` if the value is not a character.
    pub(crate) fn utf8_segment(&mut self, value: Value) -> Option<ExprId> {
        self.test_kind(2, value, Kind::Integer, value.is_integer());
        value.as_int()?;
        self.character(value)?;
        let bytes = self.encoded(value)?;
        Some(self.apply(Op::Concat, &bytes))
    }

    /// The bytes of a character in UTF-8.
    fn encoded(&mut self, character: Value) -> Option<Vec<ExprId>> {
        let expr = self.expr(character)?;
        let number = SymbolicInt { expr, value: character.as_int()? };
        if self.is_below(11, number, 0x80) {
            return Some(vec![self.as_byte(number.expr)]);
        }
        let (n_more, lead) = if self.is_below(12, number, 0x800) {
            (1, 0xc0)
        } else if self.is_below(13, number, 0x1_0000) {
            (2, 0xe0)
        } else {
            (3, 0xf0)
        };
        let sixty_four = self.int(64);
        let mut bytes = Vec::new();
        let mut left = number.expr;
        for _ in 0..n_more {
            let mark = self.int(0x80);
            let low = self.apply(Op::Remainder, &[left, sixty_four]);
            let byte = self.apply(Op::Add, &[low, mark]);
            bytes.push(self.as_byte(byte));
            left = self.apply(Op::Quotient, &[left, sixty_four]);
        }
        let lead = self.int(lead);
        let byte = self.apply(Op::Add, &[left, lead]);
        bytes.push(self.as_byte(byte));
        bytes.reverse();
        Some(bytes)
    }

    fn as_byte(&mut self, expr: ExprId) -> ExprId {
        let eight = self.int(8);
        self.apply(Op::IntegerToBits { is_little: false }, &[expr, eight])
    }
}

const BYTE: SegmentSpec =
    SegmentSpec { ty: SegmentType::Integer, unit: 1, endian: Endian::Big, sign: Sign::Unsigned };

const UTF8: SegmentSpec = SegmentSpec { ty: SegmentType::Utf8, ..BYTE };

const MAX_NESTED: usize = 20;

/// Whether the encoding is UTF-8; which of the built-in encodings it is, is a choice.
fn is_unicode(l: &mut Lifting<'_>, encoding: Value) -> bool {
    if let (Some(expr), Ok(found)) = (own_expr(encoding), to_term(l.heap, l.atoms, encoding)) {
        let names = ["latin1", "unicode", "utf8"].map(|it| Head::Literal(Term::atom(it)));
        l.chooses(15, expr, &found, names.into());
    }
    encoding.is_atom(AtomId::UNICODE) || encoding.is_atom(AtomId::UTF8)
}

/// `unicode:characters_to_list/2`
pub(crate) fn to_list(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (data, is_unicode) = (arg(args, 0), is_unicode(l, arg(args, 1)));
    if !l.is_symbolic(data) {
        return found;
    }
    let mut characters = Vec::new();
    let is_text = is_unicode && l.characters(data, &mut characters, 0).is_some();
    let is_list = found.is_some_and(|it| it.is_cons() || it.is_nil());
    if is_text && is_list {
        return Some(l.heap.list(&characters));
    }
    l.bad_text("unicode:characters_to_list/2", data, is_unicode, found)
}

/// `unicode:characters_to_binary/2`
pub(crate) fn to_binary(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let (data, is_unicode) = (arg(args, 0), is_unicode(l, arg(args, 1)));
    if !l.is_symbolic(data) {
        return found;
    }
    let mut characters = Vec::new();
    let is_text = is_unicode && l.characters(data, &mut characters, 0).is_some();
    let is_binary = found.is_some_and(|it| matches!(it.view(), View::Bits(_)));
    if !(is_text && is_binary) {
        return l.bad_text("unicode:characters_to_binary/2", data, is_unicode, found);
    }
    if own_expr(data).is_some() && matches!(data.view(), View::Bits(_)) {
        return found.map(|it| it.with_shadow(data.shadow()));
    }
    let mut bytes = Vec::new();
    for character in characters {
        bytes.extend(l.encoded(character)?);
    }
    Some(l.result(Op::Concat, &bytes, found?))
}
