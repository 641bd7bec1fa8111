//! Iolists: bytes, binaries and lists of them. Walking a symbolic iolist makes a choice at each cell.

use crate::lift::{Lifting, arg, own_expr};
use term::{Conversion, ExprId, Kind, Op};
use values::{Value, View};

/// The sites of the choices, distinguished by what they test.
const WHOLE: u32 = 0;
const FLAT: u32 = 1;
const CELL: u32 = 2;
const END: u32 = 3;
const ITEM: u32 = 4;
const BYTE: u32 = 5;

/// `list_to_binary/1`, `iolist_to_binary/1`
pub(crate) fn to_binary(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let value = arg(args, 0);
    if !l.is_symbolic(value) {
        return found;
    }
    match binary(l, value) {
        Some(bits) => found.map(|it| it.with_shadow(crate::lift::shadow(bits))),
        None => found,
    }
}

/// `iolist_size/1`
pub(crate) fn size(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let value = arg(args, 0);
    if !l.is_symbolic(value) {
        return found;
    }
    let Some(bits) = binary(l, value) else { return found };
    let (size, eight) = (l.apply(Op::BitSize, &[bits]), l.int(8));
    Some(l.result(Op::Quotient, &[size, eight], found?))
}

/// The binary that an iolist denotes; `None` if the value is not an iolist.
fn binary(l: &mut Lifting<'_>, value: Value) -> Option<ExprId> {
    if l.test_kind(WHOLE, value, Kind::Bitstring, matches!(value.view(), View::Bits(_))) {
        return is_binary(l, value).then(|| l.expr(value)).flatten();
    }
    // Most iolists are flat lists of bytes, for which one constraint suffices.
    let list = l.expr(value)?;
    let is_byte = |it: &Value| it.as_int().is_some_and(|it| (0..256).contains(&it));
    let is_flat = l.heap.list_items(value).is_some_and(|it| it.iter().all(is_byte));
    let test = l.apply(Op::Converts(Conversion::ListToBinary), &[list]);
    l.test(FLAT, test, is_flat);
    if is_flat {
        return Some(l.apply(Op::Convert(Conversion::ListToBinary), &[list]));
    }
    let pieces = pieces(l, value)?;
    match pieces.as_slice() {
        [only] => Some(*only),
        _ => Some(l.apply(Op::Concat, &pieces)),
    }
}

/// The bytes and binaries of an iolist in order, each as an expression of bits.
fn pieces(l: &mut Lifting<'_>, value: Value) -> Option<Vec<ExprId>> {
    let mut res = Vec::new();
    let mut todo = vec![value];
    while let Some(next) = todo.pop() {
        if let Some((item, rest)) = l.uncons(CELL, next) {
            todo.push(rest);
            if !l.test_kind(ITEM, item, Kind::Integer, item.is_integer()) {
                todo.push(item);
            } else if is_byte(l, item) {
                let (byte, eight) = (l.expr(item)?, l.int(8));
                res.push(l.apply(Op::IntegerToBits { is_little: false }, &[byte, eight]));
            } else {
                return None;
            }
        } else if !next.is_nil() {
            if !is_binary(l, next) {
                return None;
            }
            res.push(l.expr(next)?);
        }
    }
    Some(res)
}

fn is_binary(l: &mut Lifting<'_>, value: Value) -> bool {
    let holds = matches!(value.view(), View::Bits(at) if l.heap.bit_len(at).is_multiple_of(8));
    l.test_kind(END, value, Kind::Binary, holds)
}

fn is_byte(l: &mut Lifting<'_>, item: Value) -> bool {
    let number = item.as_int();
    let is_within = number.is_some_and(|it| (0..256).contains(&it));
    if let Some(expr) = own_expr(item) {
        let (least, most) = (l.int(0), l.int(255));
        let (low, high) =
            (l.apply(Op::LessEqual, &[least, expr]), l.apply(Op::LessEqual, &[expr, most]));
        let both = l.apply(Op::And, &[low, high]);
        l.test(BYTE, both, is_within);
    }
    is_within
}
