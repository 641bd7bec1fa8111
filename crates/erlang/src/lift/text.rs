//! Conversions between atoms, numbers, lists and binaries.

use crate::data::{Value, View};
use crate::lift::{Lifting, arg, own_expr};
use term::{Conversion, Kind, Op};

/// From a value of a known kind: it always has a result.
fn from_kind(
    l: &mut Lifting<'_>,
    (conversion, kind): (Conversion, Kind),
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let value = arg(args, 0);
    let Some(expr) = own_expr(value) else { return found };
    l.is(0, value, kind, found.is_some());
    Some(l.result(Op::Convert(conversion), &[expr], found?))
}

/// From a text, which may not be one: that it is, is a choice.
fn from_text(
    l: &mut Lifting<'_>,
    conversion: Conversion,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let value = arg(args, 0);
    if !l.is_symbolic(value) {
        return found;
    }
    let expr = l.expr(value)?;
    let test = l.apply(Op::Converts(conversion), &[expr]);
    l.test(0, test, found.is_some());
    Some(l.result(Op::Convert(conversion), &[expr], found?))
}

macro_rules! conversions {
    ($($name:ident = $conversion:ident of $kind:ident;)* ; $($text:ident = $other:ident;)*) => {
        $(pub(crate) fn $name(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
            from_kind(l, (Conversion::$conversion, Kind::$kind), args, found)
        })*
        $(pub(crate) fn $text(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
            from_text(l, Conversion::$other, args, found)
        })*
    };
}

conversions! {
    atom_to_list = AtomToList of Atom;
    atom_to_binary = AtomToBinary of Atom;
    integer_to_list = IntegerToList of Integer;
    integer_to_binary = IntegerToBinary of Integer;
    float_to_list = FloatToList of Float;
    binary_to_list = BinaryToList of Binary;
    ;
    list_to_atom = ListToAtom;
    binary_to_atom = BinaryToAtom;
    list_to_integer = ListToInteger;
    binary_to_integer = BinaryToInteger;
    list_to_float = ListToFloat;
}

/// `list_to_binary/1` and `iolist_to_binary/1`: a flat list of bytes is followed, and so is a
/// binary.
pub(crate) fn list_to_binary(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let value = arg(args, 0);
    if !l.is_symbolic(value) {
        return found;
    }
    if matches!(value.view(), View::Bits(_)) {
        return found.map(|it| it.with_shadow(value.shadow()));
    }
    let is_flat = l.heap.list_items(value).is_some_and(|it| it.iter().all(|it| it.is_integer()));
    if !is_flat {
        l.concretise("a nested list of bytes", args, |_| true);
        return found;
    }
    from_text(l, Conversion::ListToBinary, args, found)
}
