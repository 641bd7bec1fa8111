//! Bitstrings: sizes, parts, matching and construction.

use crate::code::{BitsSegment, PatternPart};
use crate::lift::{Lifting, arg, own_expr, shadow};
use term::{Conversion, Expr, ExprId, Kind, Op};
use values::{AtomId, Endian, SegmentSpec, SegmentType, Sign, Value, View};

/// A position in a bitstring, symbolic and concrete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) expr: ExprId,
    pub(crate) bits: u64,
}

impl Lifting<'_> {
    fn is_bits(&mut self, site_index: u32, value: Value) -> bool {
        self.test_kind(site_index, value, Kind::Bitstring, matches!(value.view(), View::Bits(_)))
    }

    fn bits_number(&mut self, bits: u64) -> ExprId {
        self.int(i64::try_from(bits).unwrap_or(i64::MAX))
    }

    // Matching

    /// The position at the start of a match.
    pub(crate) fn start_match(&mut self) -> Position {
        self.position(0)
    }

    /// A position that does not depend on the input.
    pub(crate) fn position(&mut self, bits: u64) -> Position {
        Position { expr: self.bits_number(bits), bits }
    }

    /// The size of a segment in bits, according to its size expression and unit; `None` if the size is not a natural
    /// number.
    pub(crate) fn segment_bits(&mut self, size: Value, unit: u16) -> Option<ExprId> {
        if !self.test_kind(1, size, Kind::Integer, size.is_integer()) {
            return None;
        }
        let expr = self.expr(size)?;
        if own_expr(size).is_some() {
            let zero = self.int(0);
            let test = self.apply(Op::LessEqual, &[zero, expr]);
            let holds = self.is_natural(size);
            self.test(2, test, holds);
            if !holds {
                return None;
            }
        }
        if unit == 1 {
            return Some(expr);
        }
        let unit = self.int(i64::from(unit));
        Some(match (self.number(expr), self.number(unit)) {
            (Some(size), Some(unit)) => self.int(size.checked_mul(unit)?),
            _ => self.apply(Op::Multiply, &[expr, unit]),
        })
    }

    fn is_natural(&self, value: Value) -> bool {
        self.heap.to_big(value).is_some_and(|it| it.sign() != num_bigint::Sign::Minus)
    }

    fn number(&self, expr: ExprId) -> Option<i64> {
        self.record.exprs.as_constant(expr).and_then(term::Term::as_int)
    }

    pub(crate) fn sum(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.number(a), self.number(b)) {
            (Some(a), Some(b)) => self.int(a.saturating_add(b)),
            _ => self.apply(Op::Add, &[a, b]),
        }
    }

    /// A segment of known size. Whether the bitstring is long enough is a choice. `next` is the segment's concrete end
    /// in bits, or `None` if the bitstring is too short.
    pub(crate) fn sized_segment(
        &mut self,
        value: Value,
        at: Position,
        n_bits: ExprId,
        next: Option<u64>,
    ) -> Option<(ExprId, Position)> {
        let whole = self.expr(value)?;
        let end = self.sum(at.expr, n_bits);
        let size = self.apply(Op::BitSize, &[whole]);
        let fits = self.apply(Op::LessEqual, &[end, size]);
        if self.number(end) != Some(0) && !self.both_known(end, size) {
            self.test(3, fits, next.is_some());
        }
        let slice = self.apply(Op::Slice, &[whole, at.expr, n_bits]);
        Some((slice, Position { expr: end, bits: next? }))
    }

    fn both_known(&self, a: ExprId, b: ExprId) -> bool {
        self.number(a).is_some() && self.number(b).is_some()
    }

    /// A segment that takes all remaining bits. Whether their number is a multiple of the unit is a choice.
    pub(crate) fn last_segment(
        &mut self,
        value: Value,
        at: Position,
        unit: u16,
        fits: bool,
    ) -> Option<ExprId> {
        let whole = self.expr(value)?;
        let size = self.apply(Op::BitSize, &[whole]);
        let left = if self.number(at.expr) == Some(0) {
            size
        } else {
            self.apply(Op::Subtract, &[size, at.expr])
        };
        if unit > 1 {
            let unit = self.int(i64::from(unit));
            let zero = self.int(0);
            let rest = self.apply(Op::Remainder, &[left, unit]);
            let test = self.apply(Op::Same, &[rest, zero]);
            self.test(4, test, fits);
        }
        Some(self.apply(Op::Slice, &[whole, at.expr, left]))
    }

    /// Records the choice whether a match consumed all bits.
    pub(crate) fn end_match(&mut self, value: Value, at: Position, holds: bool) {
        if let Some(whole) = self.expr(value) {
            let size = self.apply(Op::BitSize, &[whole]);
            let test = self.apply(Op::Same, &[size, at.expr]);
            self.test(5, test, holds);
        }
    }

    /// The value of a segment's bits; `None` if it is not followed symbolically.
    pub(crate) fn meaning(&mut self, spec: SegmentSpec, slice: ExprId) -> Option<ExprId> {
        match spec.ty {
            SegmentType::Integer => {
                let is_signed = spec.sign == Sign::Signed;
                let is_little = spec.endian == Endian::Little;
                Some(self.apply(Op::BitsToInteger { is_signed, is_little }, &[slice]))
            }
            SegmentType::Binary => Some(slice),
            SegmentType::Float if self.has_size_of_float(slice) => {
                let is_little = spec.endian == Endian::Little;
                Some(self.apply(Op::Convert(Conversion::BitsToFloat { is_little }), &[slice]))
            }
            SegmentType::Float | SegmentType::Utf8 | SegmentType::Utf16 | SegmentType::Utf32 => {
                None
            }
        }
    }

    /// Whether the slice has a size of floats that are followed symbolically: 32 or 64 bits.
    fn has_size_of_float(&self, slice: ExprId) -> bool {
        let Some(Expr::Apply(Op::Slice, args)) = self.record.exprs.get(slice) else { return false };
        args.get(2).and_then(|it| self.number(*it)).is_some_and(|it| it == 32 || it == 64)
    }

    /// Records the choice whether the bits of a float segment encode a number.
    pub(crate) fn choose_float(&mut self, spec: SegmentSpec, slice: ExprId, is_found: bool) {
        if spec.ty == SegmentType::Float && self.has_size_of_float(slice) {
            let is_little = spec.endian == Endian::Little;
            let conversion = Conversion::BitsToFloat { is_little };
            let test = self.apply(Op::Converts(conversion), &[slice]);
            self.test(9, test, is_found);
        }
    }

    /// The value of a matched segment with its shadow; it is compared with a literal or stored in a register.
    pub(crate) fn segment_value(
        &mut self,
        part: &PatternPart,
        slice: Option<ExprId>,
        found: Value,
    ) -> Value {
        let Some(slice) = slice else { return found };
        match self.meaning(part.spec, slice) {
            Some(expr) => found.with_shadow(shadow(expr)),
            None => {
                self.lose("a segment of floats or code points");
                found
            }
        }
    }

    // Construction

    /// The bits of a constructed segment; `None` if they are not followed symbolically, or the construction fails.
    pub(crate) fn built_segment(
        &mut self,
        segment: &BitsSegment,
        value: Value,
        size: Option<Value>,
    ) -> Option<ExprId> {
        let n_bits = match size {
            Some(size) => Some(self.segment_bits(size, segment.spec.unit)?),
            None => None,
        };
        match segment.spec.ty {
            SegmentType::Integer => {
                if !self.test_kind(6, value, Kind::Integer, value.is_integer()) {
                    return None;
                }
                let is_little = segment.spec.endian == Endian::Little;
                let n_bits = n_bits.unwrap_or_else(|| self.int(8));
                let value = self.expr(value)?;
                Some(self.apply(Op::IntegerToBits { is_little }, &[value, n_bits]))
            }
            SegmentType::Binary => {
                if !self.is_bits(7, value) {
                    return None;
                }
                let bits = self.expr(value)?;
                let Some(n_bits) = n_bits else {
                    return self.is_whole(value, segment.spec.unit).then_some(bits);
                };
                if own_expr(value).is_some() || self.number(n_bits).is_none() {
                    let size = self.apply(Op::BitSize, &[bits]);
                    let test = self.apply(Op::LessEqual, &[n_bits, size]);
                    let holds = self.concrete_fits(value, n_bits);
                    self.test(8, test, holds);
                }
                let zero = self.int(0);
                Some(self.apply(Op::Slice, &[bits, zero, n_bits]))
            }
            SegmentType::Utf8 => self.utf8_segment(value),
            SegmentType::Float | SegmentType::Utf16 | SegmentType::Utf32 => {
                self.concretise("a segment of floats or code points", &[value], |_| true);
                None
            }
        }
    }

    /// Whether the bitstring's size is a multiple of the unit.
    fn is_whole(&mut self, value: Value, unit: u16) -> bool {
        let View::Bits(at) = value.view() else { return false };
        let holds = self.heap.bit_len(at).is_multiple_of(u64::from(unit));
        match (own_expr(value), unit) {
            (None, _) | (_, 1) => holds,
            (Some(_), 8) => self.test_kind(9, value, Kind::Binary, holds),
            (Some(bits), _) => {
                let (unit, zero) = (self.int(i64::from(unit)), self.int(0));
                let size = self.apply(Op::BitSize, &[bits]);
                let left = self.apply(Op::Remainder, &[size, unit]);
                let test = self.apply(Op::Same, &[left, zero]);
                self.test(9, test, holds);
                holds
            }
        }
    }

    fn concrete_fits(&self, value: Value, n_bits: ExprId) -> bool {
        let View::Bits(at) = value.view() else { return false };
        let len = self.heap.bit_len(at);
        self.number(n_bits).is_some_and(|it| u64::try_from(it).is_ok_and(|it| it <= len))
    }
}

pub(crate) fn bit_size(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let value = arg(args, 0);
    let Some(expr) = own_expr(value) else { return found };
    l.is_bits(0, value);
    Some(l.result(Op::BitSize, &[expr], found?))
}

/// `byte_size/1`, which rounds up to whole bytes.
pub(crate) fn byte_size(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let value = arg(args, 0);
    let Some(expr) = own_expr(value) else { return found };
    l.is_bits(0, value);
    let found = found?;
    let (seven, eight) = (l.int(7), l.int(8));
    let bits = l.apply(Op::BitSize, &[expr]);
    let rounded = l.apply(Op::Add, &[bits, seven]);
    Some(l.result(Op::Quotient, &[rounded, eight], found))
}

/// `size/1` of a tuple, or of a bitstring, where it counts whole bytes only.
pub(crate) fn size(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let value = arg(args, 0);
    let Some(expr) = own_expr(value) else { return found };
    if l.test_kind(2, value, Kind::Tuple, matches!(value.view(), View::Tuple(..))) {
        return Some(l.result(Op::TupleSize, &[expr], found?));
    }
    l.is_bits(0, value);
    let found = found?;
    let eight = l.int(8);
    let bits = l.apply(Op::BitSize, &[expr]);
    Some(l.result(Op::Quotient, &[bits, eight], found))
}

/// `binary_part/3`
pub(crate) fn part(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (value, start, len) = (arg(args, 0), arg(args, 1), arg(args, 2));
    slice(l, value, start, len, found)
}

/// `binary_part/2`
pub(crate) fn part_of(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (value, pair) = (arg(args, 0), arg(args, 1));
    if own_expr(pair).is_some() {
        l.concretise("binary_part/2", args, |_| true);
        return found;
    }
    let Some([start, len]) =
        l.heap.elements(pair).map(<[Value]>::to_vec).as_deref().map(|it| [arg(it, 0), arg(it, 1)])
    else {
        return found;
    };
    slice(l, value, start, len, found)
}

fn slice(
    l: &mut Lifting<'_>,
    value: Value,
    start: Value,
    len: Value,
    found: Option<Value>,
) -> Option<Value> {
    if [value, start, len].iter().all(|it| own_expr(*it).is_none()) {
        return found;
    }
    let is_bits = matches!(value.view(), View::Bits(_));
    if !l.test_kind(0, value, Kind::Bitstring, is_bits)
        || !l.test_kind(1, start, Kind::Integer, start.is_integer())
        || !l.test_kind(2, len, Kind::Integer, len.is_integer())
    {
        return found;
    }
    let (Some(at), Some(n)) = (start.as_int(), len.as_int()) else { return found };
    let (whole, at_expr, n_expr) = (l.expr(value)?, l.expr(start)?, l.expr(len)?);
    // A negative length extends backwards from the start.
    let zero = l.int(0);
    let is_backwards = l.apply(Op::Less, &[n_expr, zero]);
    if own_expr(len).is_some() {
        l.test(3, is_backwards, n < 0);
    }
    let end = l.sum(at_expr, n_expr);
    let (first, last) = if n < 0 { (end, at_expr) } else { (at_expr, end) };
    let eight = l.int(8);
    let first_bit = l.times(first, eight);
    let last_bit = l.times(last, eight);
    let size = l.apply(Op::BitSize, &[whole]);
    let not_before = l.apply(Op::LessEqual, &[zero, first]);
    let is_inside = at.min(at.saturating_add(n)) >= 0;
    if l.number(first).is_none() {
        l.test(4, not_before, is_inside);
    }
    if !is_inside {
        return found;
    }
    let fits = l.apply(Op::LessEqual, &[last_bit, size]);
    l.test(5, fits, found.is_some());
    let found = found?;
    let n_bits = match (l.number(first_bit), l.number(last_bit)) {
        (Some(first), Some(last)) => l.int(last - first),
        _ => l.apply(Op::Subtract, &[last_bit, first_bit]),
    };
    Some(l.result(Op::Slice, &[whole, first_bit, n_bits], found))
}

impl Lifting<'_> {
    fn times(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.number(a), self.number(b)) {
            (Some(a), Some(b)) => self.int(a.saturating_mul(b)),
            _ => self.apply(Op::Multiply, &[a, b]),
        }
    }
}

/// `split_binary/2`
pub(crate) fn split(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (value, at) = (arg(args, 0), arg(args, 1));
    if own_expr(value).is_none() && own_expr(at).is_none() {
        return found;
    }
    let is_bits = matches!(value.view(), View::Bits(_));
    if !l.test_kind(0, value, Kind::Bitstring, is_bits)
        || !l.test_kind(1, at, Kind::Integer, at.is_integer())
    {
        return found;
    }
    let (whole, at_expr, zero, eight) = (l.expr(value)?, l.expr(at)?, l.int(0), l.int(8));
    let is_inside = l.is_natural(at);
    if own_expr(at).is_some() {
        let test = l.apply(Op::LessEqual, &[zero, at_expr]);
        l.test(2, test, is_inside);
    }
    if !is_inside {
        return found;
    }
    let n_bits = l.times(at_expr, eight);
    let size = l.apply(Op::BitSize, &[whole]);
    let fits = l.apply(Op::LessEqual, &[n_bits, size]);
    l.test(3, fits, found.is_some());
    let halves = l.heap.elements(found?).map(<[Value]>::to_vec)?;
    let rest = l.apply(Op::Subtract, &[size, n_bits]);
    let left = l.result(Op::Slice, &[whole, zero, n_bits], arg(&halves, 0));
    let right = l.result(Op::Slice, &[whole, n_bits, rest], arg(&halves, 1));
    Some(l.heap.tuple(&[left, right]))
}

/// `binary:at/2`
pub(crate) fn at(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let one = Value::int(1);
    let (value, place) = (arg(args, 0), arg(args, 1));
    byte(l, value, place, one, found)
}

/// `binary:first/1`
pub(crate) fn first(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    byte(l, arg(args, 0), Value::int(0), Value::int(1), found)
}

fn byte(
    l: &mut Lifting<'_>,
    value: Value,
    place: Value,
    len: Value,
    found: Option<Value>,
) -> Option<Value> {
    if own_expr(value).is_none() && own_expr(place).is_none() {
        return found;
    }
    let is_binary = l.heap.as_bits(value).is_some_and(|it| it.is_binary());
    if !l.test_kind(6, value, Kind::Binary, is_binary) {
        return found;
    }
    let sliced = slice(l, value, place, len, found)?;
    let Some(bits) = own_expr(sliced) else { return found };
    Some(l.result(Op::BitsToInteger { is_signed: false, is_little: false }, &[bits], found?))
}

/// `binary:last/1`
pub(crate) fn last(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let value = arg(args, 0);
    let Some(expr) = own_expr(value) else { return found };
    let is_binary = l.heap.as_bits(value).is_some_and(|it| it.is_binary());
    if !l.test_kind(0, value, Kind::Binary, is_binary) {
        return found;
    }
    let (size, eight) = (l.apply(Op::BitSize, &[expr]), l.int(8));
    let has_one = l.apply(Op::LessEqual, &[eight, size]);
    l.test(1, has_one, found.is_some());
    let found = found?;
    let start = l.apply(Op::Subtract, &[size, eight]);
    let byte = l.apply(Op::Slice, &[expr, start, eight]);
    Some(l.result(Op::BitsToInteger { is_signed: false, is_little: false }, &[byte], found))
}

/// `binary:copy/1`: the result equals the argument.
pub(crate) fn copied(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let value = arg(args, 0);
    let Some(expr) = own_expr(value) else { return found };
    l.test_kind(0, value, Kind::Binary, found.is_some());
    Some(found?.with_shadow(shadow(expr)))
}

/// `binary:copy/2`: the number of copies is a choice with one alternative for each number.
pub(crate) fn repeated(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (value, times) = (arg(args, 0), arg(args, 1));
    if own_expr(value).is_none() && own_expr(times).is_none() {
        return found;
    }
    if !l.test_kind(0, times, Kind::Integer, times.is_integer()) {
        return found;
    }
    let Some(n) = l.natural(1, times, "binary:copy/2") else { return found };
    // With no copies, the argument may be any bitstring.
    let kind = if n == 0 { Kind::Bitstring } else { Kind::Binary };
    l.test_kind(3, value, kind, found.is_some());
    let found = found?;
    let Some(bits) = own_expr(value) else { return Some(found) };
    match n {
        0 => Some(found),
        1..=MAX_COPIES => Some(l.result(Op::Concat, &vec![bits; n], found)),
        _ => {
            l.concretise("binary:copy/2", &[value], |_| true);
            Some(found)
        }
    }
}

/// The maximum number of copies of a symbolic binary that are followed; for more copies the binary is pinned.
const MAX_COPIES: usize = 64;

/// `binary:encode_unsigned/1` and `/2`: the number of bytes is a choice.
pub(crate) fn encoded(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (number, end) = (arg(args, 0), args.get(1).copied());
    if end.is_some_and(|it| own_expr(it).is_some()) {
        l.concretise("an end that is an input", args, |_| true);
        return found;
    }
    let Some(expr) = own_expr(number) else { return found };
    if !l.test_kind(0, number, Kind::Integer, number.is_integer()) {
        return found;
    }
    let zero = l.int(0);
    let is_natural = l.apply(Op::LessEqual, &[zero, expr]);
    let holds = l.is_natural(number);
    l.test(1, is_natural, holds);
    let found = found?;
    let View::Bits(at) = found.view() else { return Some(found) };
    let n_bytes = l.heap.bit_len(at) / 8;
    for n in 1..=n_bytes {
        let limit = l.constant(term::Term::integer(num_bigint::BigInt::from(1) << (n * 8)));
        let fits = l.apply(Op::Less, &[expr, limit]);
        l.test(2, fits, n == n_bytes);
    }
    let is_little = end.is_some_and(|it| it.is_atom(AtomId::LITTLE));
    let n_bits = l.bits_number(n_bytes * 8);
    Some(l.result(Op::IntegerToBits { is_little }, &[expr, n_bits], found))
}

/// `binary:decode_unsigned/1` and `/2`: the integer that all bytes encode.
pub(crate) fn decoded(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let (value, end) = (arg(args, 0), args.get(1).copied());
    if end.is_some_and(|it| own_expr(it).is_some()) {
        l.concretise("an end that is an input", args, |_| true);
        return found;
    }
    let Some(expr) = own_expr(value) else { return found };
    let is_little = end.is_some_and(|it| it.is_atom(AtomId::LITTLE));
    let is_binary = l.heap.as_bits(value).is_some_and(|it| it.is_binary());
    l.test_kind(0, value, Kind::Binary, is_binary);
    Some(l.result(Op::BitsToInteger { is_signed: false, is_little }, &[expr], found?))
}

/// `binary_to_list/3`: the bytes between two positions, counted from 1, both included.
pub(crate) fn part_to_list(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let (value, first, last) = (arg(args, 0), arg(args, 1), arg(args, 2));
    l.concretise("erlang:binary_to_list/3", args, |it| it != 0);
    let (Some(from), Some(to)) = (first.as_int(), last.as_int()) else { return found };
    if own_expr(value).is_none() || from < 1 || to < from {
        return found;
    }
    // The bounds were pinned above, so only the binary is symbolic; it may be too short for them.
    let (start, len) = (Value::int(from - 1), Value::int(to - from + 1));
    let part = slice(l, value, start, len, found)?;
    let bytes = own_expr(part)?;
    Some(l.result(Op::Convert(Conversion::BinaryToList), &[bytes], found?))
}
