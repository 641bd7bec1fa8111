//! Conversions between atoms, numbers, lists and binaries.

use crate::lift::{Lifting, arg, own_expr, shadow};
use std::sync::Arc;
use term::{Base, Conversion, ExprId, Kind, Op, Term};
use trace::{Head, Looked};
use values::{AtomId, Value};

/// A conversion from a value of a known kind, which always succeeds.
fn from_kind(
    l: &mut Lifting<'_>,
    (conversion, kind): (Conversion, Kind),
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let value = arg(args, 0);
    let Some(expr) = own_expr(value) else { return found };
    l.test_kind(0, value, kind, found.is_some());
    Some(l.result(Op::Convert(conversion), &[expr], found?))
}

/// A conversion from a text; whether it succeeds is a choice.
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
    let result = converted(l, conversion, value, found.is_some())?;
    Some(found?.with_shadow(shadow(result)))
}

/// The expression of a conversion's result; whether the conversion succeeds is a choice.
fn converted(
    l: &mut Lifting<'_>,
    conversion: Conversion,
    text: Value,
    holds: bool,
) -> Option<ExprId> {
    let expr = l.expr(text)?;
    let test = l.apply(Op::Converts(conversion), &[expr]);
    l.test(0, test, holds);
    Some(l.apply(Op::Convert(conversion), &[expr]))
}

/// `binary_to_float/1`: converts the list of the binary's bytes.
pub(crate) fn binary_to_float(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let value = arg(args, 0);
    let Some(bytes) = own_expr(value) else { return found };
    let is_binary = l.heap.as_bits(value).is_some_and(|it| it.is_binary());
    if !l.test_kind(1, value, Kind::Binary, is_binary) {
        return found;
    }
    let text = l.apply(Op::Convert(Conversion::BinaryToList), &[bytes]);
    let test = l.apply(Op::Converts(Conversion::ListToFloat), &[text]);
    l.test(0, test, found.is_some());
    Some(l.result(Op::Convert(Conversion::ListToFloat), &[text], found?))
}

/// A conversion from a text to an existing atom. Which of the atoms in the tested code the text names is a choice; for
/// all other atoms it is unknown whether they exist, which is a loss.
fn from_name(
    l: &mut Lifting<'_>,
    conversion: Conversion,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    let value = arg(args, 0);
    if !l.is_symbolic(value) {
        return found;
    }
    let text = values::to_term(l.heap, l.atoms, value).ok();
    let atom = text.and_then(|it| term::apply(Op::Convert(conversion), &[&it]));
    let name = converted(l, conversion, value, atom.is_some())?;
    let (atom, named) = (atom?, Arc::clone(&l.record.named));
    if !l.chooses(1, name, &atom, named) {
        l.lose("which other atoms exist");
    }
    found.map(|it| it.with_shadow(shadow(name)))
}

pub(crate) fn list_to_existing_atom(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    from_name(l, Conversion::ListToAtom, args, found)
}

pub(crate) fn binary_to_existing_atom(
    l: &mut Lifting<'_>,
    args: &[Value],
    found: Option<Value>,
) -> Option<Value> {
    from_name(l, Conversion::BinaryToAtom, args, found)
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
    float_to_list = FloatToList of Float;
    binary_to_list = BinaryToList of Binary;
    ;
    list_to_atom = ListToAtom;
    binary_to_atom = BinaryToAtom;
    list_to_float = ListToFloat;
}

/// Conversions between integers and their digits, in base ten or in the base given by the second argument.
macro_rules! digits {
    ($($name:ident, $with_base:ident = $conversion:ident $(of $kind:ident)?;)*) => {
        $(pub(crate) fn $name(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
            digits!(@ l, Conversion::$conversion(Base::TEN), args, found $(, $kind)?)
        }

        pub(crate) fn $with_base(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
            match base_of(l, arg(args, 1)) {
                Some(base) => digits!(@ l, Conversion::$conversion(base), args, found $(, $kind)?),
                None => found,
            }
        })*
    };
    (@ $l:ident, $conversion:expr, $args:ident, $found:ident, $kind:ident) => {
        from_kind($l, ($conversion, Kind::$kind), $args, $found)
    };
    (@ $l:ident, $conversion:expr, $args:ident, $found:ident) => {
        from_text($l, $conversion, $args, $found)
    };
}

digits! {
    integer_to_list, integer_to_list_in = IntegerToList of Integer;
    integer_to_binary, integer_to_binary_in = IntegerToBinary of Integer;
    list_to_integer, list_to_integer_in = ListToInteger;
    binary_to_integer, binary_to_integer_in = BinaryToInteger;
}

/// The base that a value denotes; `None` if it is not a valid base. The base of a symbolic value is a choice.
fn base_of(l: &mut Lifting<'_>, value: Value) -> Option<Base> {
    let base = value.as_int().and_then(Base::new);
    if let Some(expr) = own_expr(value) {
        let bases = 2..=36;
        let taken =
            base.and(value.as_int()).and_then(|it| usize::try_from(it - bases.start()).ok());
        let heads: Arc<[Head]> = bases.map(|it| Head::Literal(Term::Int(it))).collect();
        let site = l.site(2);
        l.record.choose(site, taken.unwrap_or(heads.len()), Looked::Heads(expr, heads));
    }
    base
}

/// Functions with an encoding as their second argument, which are followed symbolically only for UTF-8.
macro_rules! usual {
    ($($name:ident = $usual:ident if $is:expr;)*) => {
        $(pub(crate) fn $name(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
            let is_usual: fn(Value) -> bool = $is;
            if own_expr(arg(args, 1)).is_none() && is_usual(arg(args, 1)) {
                return $usual(l, args, found);
            }
            l.concretise("another encoding", args, |_| true);
            found
        })*
    };
}

usual! {
    atom_to_binary_in = atom_to_binary if |it| it.is_atom(AtomId::UTF8);
    binary_to_existing_atom_in = binary_to_existing_atom if |it| it.is_atom(AtomId::UTF8);
    binary_to_atom_in = binary_to_atom if |it| it.is_atom(AtomId::UTF8);
}
