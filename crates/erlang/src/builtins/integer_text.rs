//! Conversions between integers and text.

use crate::builtins::arithmetic::arg;
use crate::builtins::text::{leading_bytes, list_bytes, skip, string};
use crate::builtins::{Builtin, Fault, pure};
use crate::lift;
use crate::machine::World;
use num_bigint::{BigInt, Sign};
use values::{AtomId, Value, View, large_integers};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "integer_to_list", 1, |w, args| to_list(w, arg(args, 0), 10))
        .own(lift::text::integer_to_list),
    pure("erlang", "integer_to_list", 2, |w, args| {
        let base = base(arg(args, 1))?;
        to_list(w, arg(args, 0), base)
    })
    .own(lift::text::integer_to_list_in),
    pure("erlang", "integer_to_binary", 1, |w, args| to_binary(w, arg(args, 0), 10))
        .own(lift::text::integer_to_binary),
    pure("erlang", "integer_to_binary", 2, |w, args| {
        let base = base(arg(args, 1))?;
        to_binary(w, arg(args, 0), base)
    })
    .own(lift::text::integer_to_binary_in),
    pure("erlang", "list_to_integer", 1, |w, args| from_list(w, arg(args, 0), 10))
        .own(lift::text::list_to_integer),
    pure("erlang", "list_to_integer", 2, |w, args| {
        let base = base(arg(args, 1))?;
        from_list(w, arg(args, 0), base)
    })
    .own(lift::text::list_to_integer_in),
    pure("erlang", "binary_to_integer", 1, |w, args| from_binary(w, arg(args, 0), 10))
        .own(lift::text::binary_to_integer),
    pure("erlang", "binary_to_integer", 2, |w, args| {
        let base = base(arg(args, 1))?;
        from_binary(w, arg(args, 0), base)
    })
    .own(lift::text::binary_to_integer_in),
    pure("string", "list_to_integer", 1, leading_integer).own(lift::leading::integer),
];

fn base(value: Value) -> Result<u32, Fault> {
    let base = value.as_int().and_then(|it| u32::try_from(it).ok());
    base.filter(|it| (2..=36).contains(it)).ok_or(Fault::BADARG)
}

fn to_list(w: &mut World, value: Value, base: u32) -> Result<Value, Fault> {
    let text = to_text(w, value, base)?;
    w.check_room_for_list(text.len())?;
    Ok(string(&mut w.heap, &text))
}

fn to_binary(w: &mut World, value: Value, base: u32) -> Result<Value, Fault> {
    let text = to_text(w, value, base)?;
    Ok(w.heap.binary(text.as_bytes()))
}

fn to_text(w: &World, value: Value, base: u32) -> Result<String, Fault> {
    match value.view() {
        View::Int(int) if base == 10 => Ok(int.to_string()),
        View::Int(int) => Ok(BigInt::from(int).to_str_radix(base).to_uppercase()),
        View::Big(at) => {
            let mut text = large_integers::to_text(&w.heap.effort, w.heap.big(at), base)?;
            text.make_ascii_uppercase();
            Ok(text)
        }
        _ => Err(Fault::BADARG),
    }
}

fn from_list(w: &mut World, list: Value, base: u32) -> Result<Value, Fault> {
    let bytes = list_bytes(&w.heap, list).ok_or(Fault::BADARG)?;
    from_text(w, &bytes, base)
}

fn from_binary(w: &mut World, binary: Value, base: u32) -> Result<Value, Fault> {
    let bytes = w.heap.as_binary_bytes(binary).ok_or(Fault::BADARG)?.into_owned();
    from_text(w, &bytes, base)
}

/// Parses an optional sign followed by one or more digits and nothing else.
fn from_text(w: &mut World, text: &[u8], base: u32) -> Result<Value, Fault> {
    let (sign, digits) = match text {
        [b'-', digits @ ..] => (Sign::Minus, digits),
        [b'+', digits @ ..] => (Sign::Plus, digits),
        digits => (Sign::Plus, digits),
    };
    let values: Option<Vec<u8>> = digits.iter().map(|it| digit(*it, base)).collect();
    let values = values.filter(|it| !it.is_empty()).ok_or(Fault::BADARG)?;
    w.limits.check_integer(least_bits(&values, base))?;
    let value = large_integers::from_digits(&w.heap.effort, &values, base)?;
    let value = BigInt::from_biguint(sign, value);
    w.limits.check_integer(value.bits())?;
    Ok(w.heap.integer(value))
}

fn digit(byte: u8, base: u32) -> Option<u8> {
    char::from(byte).to_digit(base).and_then(|it| u8::try_from(it).ok())
}

/// Returns a lower bound of the bits of a number with these digits, to check the budget before computing it.
fn least_bits(digits: &[u8], base: u32) -> u64 {
    let n_digits = digits.iter().skip_while(|it| **it == 0).count() as u64;
    n_digits.saturating_sub(1) * u64::from(base.ilog2())
}

/// `string:list_to_integer/1`: the integer at the start of a list, and the rest of the list.
fn leading_integer(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let list = arg(args, 0);
    let error = |w: &mut World, why| {
        let why = Value::atom(w.atoms.intern(why));
        Ok(w.heap.tuple(&[Value::atom(AtomId::ERROR), why]))
    };
    if !list.is_cons() && !list.is_nil() {
        return error(w, "not_a_list");
    }
    let (bytes, _) = leading_bytes(&w.heap, list);
    let n_sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let n_digits = bytes.iter().skip(n_sign).take_while(|it| it.is_ascii_digit()).count();
    if n_digits == 0 {
        return error(w, "no_integer");
    }
    let len = n_sign + n_digits;
    let value = from_text(w, bytes.get(..len).unwrap_or_default(), 10)?;
    let rest = skip(&w.heap, list, len);
    Ok(w.heap.tuple(&[value, rest]))
}
