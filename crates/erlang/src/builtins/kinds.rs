//! Type tests as functions.

use crate::builtins::arithmetic::arg;
use crate::builtins::{Builtin, Fault, pure};
use crate::lift;
use crate::machine::World;
use values::{AtomId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "is_atom", 1, |_, args| test(args, |it| matches!(it, View::Atom(_))))
        .own(lift::compare::is_atom),
    pure("erlang", "is_binary", 1, is_binary).own(lift::compare::is_binary),
    pure("erlang", "is_bitstring", 1, |_, args| test(args, |it| matches!(it, View::Bits(_))))
        .own(lift::compare::is_bitstring),
    pure("erlang", "is_boolean", 1, |_, args| Ok(Value::bool(arg(args, 0).as_bool().is_some())))
        .own(lift::compare::is_boolean),
    pure("erlang", "is_float", 1, |_, args| test(args, |it| matches!(it, View::Float(_))))
        .own(lift::compare::is_float),
    pure("erlang", "is_function", 1, |_, args| test(args, |it| matches!(it, View::Fun(_))))
        .own(lift::compare::is_function),
    pure("erlang", "is_function", 2, is_function_of).own(lift::compare::is_function_of),
    pure("erlang", "is_integer", 1, |_, args| Ok(Value::bool(arg(args, 0).is_integer())))
        .own(lift::compare::is_integer),
    pure("erlang", "is_list", 1, |_, args| {
        test(args, |it| matches!(it, View::Nil | View::Cons(_)))
    })
    .own(lift::compare::is_list),
    pure("erlang", "is_map", 1, |_, args| test(args, |it| matches!(it, View::Map(_))))
        .own(lift::compare::is_map),
    pure("erlang", "is_number", 1, |_, args| Ok(Value::bool(arg(args, 0).is_number())))
        .own(lift::compare::is_number),
    pure("erlang", "is_pid", 1, |_, args| test(args, |it| matches!(it, View::Pid(_))))
        .own(lift::compare::is_pid),
    pure("erlang", "is_port", 1, |_, args| test(args, |it| matches!(it, View::Port(_))))
        .own(lift::compare::is_port),
    pure("erlang", "is_reference", 1, |_, args| test(args, |it| matches!(it, View::Ref(_))))
        .own(lift::compare::is_reference),
    pure("erlang", "is_tuple", 1, |_, args| test(args, |it| matches!(it, View::Tuple(..))))
        .own(lift::compare::is_tuple),
    pure("erlang", "is_record", 2, is_record).own(lift::tuples::is_record),
    pure("erlang", "is_record", 3, is_sized_record).own(lift::tuples::is_record),
    pure("erts_internal", "term_type", 1, term_type),
];

fn test(args: &[Value], holds: fn(View) -> bool) -> Result<Value, Fault> {
    Ok(Value::bool(holds(arg(args, 0).view())))
}

fn is_binary(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    Ok(Value::bool(w.heap.as_bits(arg(args, 0)).is_some_and(|it| it.is_binary())))
}

fn is_function_of(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (fun, arity) = (arg(args, 0), arg(args, 1));
    let arity = match arity.view() {
        View::Int(arity) => u64::try_from(arity).map_err(|_| Fault::BADARG)?,
        View::Big(at) if w.heap.big(at).sign() != num_bigint::Sign::Minus => u64::MAX,
        _ => return Err(Fault::BADARG),
    };
    let View::Fun(at) = fun.view() else { return Ok(Value::FALSE) };
    Ok(Value::bool(u64::from(w.heap.fun_arity(at)) == arity))
}

fn is_record(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let tag = arg(args, 1).as_atom().ok_or(Fault::BADARG)?;
    Ok(Value::bool(has_tag(w, arg(args, 0), tag, None)))
}

fn is_sized_record(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let tag = arg(args, 1).as_atom().ok_or(Fault::BADARG)?;
    // A size that is a big integer on BEAM is refused; any other size that fits no tuple does not match.
    let size = arg(args, 2).as_int().filter(|it| SMALL.contains(it)).ok_or(Fault::BADARG)?;
    Ok(Value::bool(has_tag(w, arg(args, 0), tag, Some(size))))
}

/// The integers that BEAM holds in a word, without a heap object.
const SMALL: std::ops::Range<i64> = -(1 << 59)..(1 << 59);

fn has_tag(w: &World, value: Value, tag: AtomId, size: Option<i64>) -> bool {
    let Some(items) = w.heap.elements(value) else { return false };
    let fits = size.is_none_or(|it| usize::try_from(it) == Ok(items.len()));
    fits && items.first().is_some_and(|it| it.is_atom(tag))
}

/// Returns the name of BEAM's representation of a term.
fn term_type(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let value = arg(args, 0);
    let is_foreign = w.heap.nodes.is_foreign(w.here(), value);
    let name = match value.view() {
        View::Int(int) if SMALL.contains(&int) => "fixnum",
        View::Int(_) | View::Big(_) => "bignum",
        View::Float(_) => "hfloat",
        View::Atom(_) => "atom",
        View::Nil => "nil",
        View::Cons(_) => "list",
        View::Tuple(..) => "tuple",
        View::Map(at) if w.heap.map_len(at) <= 32 => "flatmap",
        View::Map(_) => "hashmap",
        View::Bits(at) => match w.heap.bits(at) {
            bits if !bits.is_binary() => "sub_binary",
            bits if bits.bit_len > 64 * 8 => "refc_binary",
            _ => "heap_binary",
        },
        View::Fun(at) => match w.heap.fun_kind(at) {
            values::FunKind::External { .. } => "export",
            values::FunKind::Closure { .. } => "fun",
        },
        View::Pid(_) if is_foreign => "external_pid",
        View::Port(_) if is_foreign => "external_port",
        View::Ref(_) if is_foreign => "external_reference",
        View::Pid(_) => "pid",
        View::Port(_) => "port",
        View::Ref(_) => "reference",
    };
    Ok(Value::atom(w.atoms.intern(name)))
}
