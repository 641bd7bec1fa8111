//! Conversions between atoms, numbers, lists and binaries.

use crate::data::{AtomId, Value, View};
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

/// Functions with a base or an encoding, which are followed for the usual one only.
macro_rules! usual {
    ($($name:ident = $usual:ident if $is:expr;)*) => {
        $(pub(crate) fn $name(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
            let is_usual: fn(Value) -> bool = $is;
            if own_expr(arg(args, 1)).is_none() && is_usual(arg(args, 1)) {
                return $usual(l, args, found);
            }
            l.concretise("another base or encoding", args, |_| true);
            found
        })*
    };
}

usual! {
    integer_to_list_in = integer_to_list if |it| it.as_int() == Some(10);
    integer_to_binary_in = integer_to_binary if |it| it.as_int() == Some(10);
    list_to_integer_in = list_to_integer if |it| it.as_int() == Some(10);
    binary_to_integer_in = binary_to_integer if |it| it.as_int() == Some(10);
    atom_to_binary_in = atom_to_binary if |it| it.is_atom(AtomId::UTF8);
    binary_to_atom_in = binary_to_atom if |it| it.is_atom(AtomId::UTF8);
}
