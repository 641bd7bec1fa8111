//! Comparison and boolean operators as functions.

use crate::builtins::arithmetic::arg;
use crate::builtins::{Builtin, Fault, pure};
use crate::lift;
use crate::machine::World;
use std::cmp::Ordering;
use values::{Value, compare_exact, compare_value, equal_exact, equal_value};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "=:=", 2, |w, args| Ok(Value::bool(identical(w, args))))
        .own(lift::compare::same),
    pure("erlang", "=/=", 2, |w, args| Ok(Value::bool(!identical(w, args))))
        .own(lift::compare::not_same),
    pure("erlang", "==", 2, |w, args| Ok(Value::bool(equal(w, args)))).own(lift::compare::equal),
    pure("erlang", "/=", 2, |w, args| Ok(Value::bool(!equal(w, args))))
        .own(lift::compare::not_equal),
    pure("erlang", "<", 2, |w, args| Ok(Value::bool(order(w, args).is_lt())))
        .own(lift::compare::less),
    pure("erlang", ">", 2, |w, args| Ok(Value::bool(order(w, args).is_gt())))
        .own(lift::compare::greater),
    pure("erlang", "=<", 2, |w, args| Ok(Value::bool(order(w, args).is_le())))
        .own(lift::compare::less_equal),
    pure("erlang", ">=", 2, |w, args| Ok(Value::bool(order(w, args).is_ge())))
        .own(lift::compare::greater_equal),
    pure("erlang", "min", 2, |w, args| Ok(arg(args, usize::from(order(w, args).is_gt()))))
        .own(lift::compare::smaller),
    pure("erlang", "max", 2, |w, args| Ok(arg(args, usize::from(order(w, args).is_lt()))))
        .own(lift::compare::greater_of),
    pure("erlang", "and", 2, |_, args| logic(args, |a, b| a && b)).own(lift::compare::and),
    pure("erlang", "or", 2, |_, args| logic(args, |a, b| a || b)).own(lift::compare::or),
    pure("erlang", "xor", 2, |_, args| logic(args, |a, b| a != b)).own(lift::compare::xor),
    pure("erlang", "not", 1, |_, args| Ok(Value::bool(!boolean(args, 0)?))).own(lift::compare::not),
    pure("erts_internal", "cmp_term", 2, cmp_term),
];

fn identical(w: &World, args: &[Value]) -> bool {
    equal_exact(&w.heap, &w.atoms, arg(args, 0), arg(args, 1))
}

fn equal(w: &World, args: &[Value]) -> bool {
    equal_value(&w.heap, &w.atoms, arg(args, 0), arg(args, 1))
}

fn order(w: &World, args: &[Value]) -> Ordering {
    compare_value(&w.heap, &w.atoms, arg(args, 0), arg(args, 1))
}

fn logic(args: &[Value], of: fn(bool, bool) -> bool) -> Result<Value, Fault> {
    Ok(Value::bool(of(boolean(args, 0)?, boolean(args, 1)?)))
}

fn boolean(args: &[Value], n: usize) -> Result<bool, Fault> {
    arg(args, n).as_bool().ok_or(Fault::BADARG)
}

/// Compares in the order of map keys, as -1, 0 or 1.
fn cmp_term(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let order = compare_exact(&w.heap, &w.atoms, arg(args, 0), arg(args, 1));
    Ok(Value::int(order as i64))
}
