//! The symbolic side of match specifications: each test of a value that depends on the input is recorded as a choice.
//!
//! All functions return the concrete result. If the run is not recorded, they do nothing else.

use crate::lift::compare::{same_values, truth_of};
use crate::lift::own_expr;
use crate::machine::World;
use std::sync::Arc;
use term::{Kind, Op, Term};
use trace::{Head, Looked};
use values::{Value, View, equal_exact};

/// Returns whether two values are equal in the sense of `=:=`, and records the comparison.
pub(super) fn same(w: &mut World, a: Value, b: Value) -> bool {
    match w.following() {
        Some(mut lifting) => same_values(&mut lifting, 0, a, b),
        None => equal_exact(&w.heap, &w.atoms, a, b),
    }
}

pub(super) fn is_tuple(w: &mut World, value: Value, n: usize) -> bool {
    let n = u32::try_from(n).unwrap_or(u32::MAX);
    let holds = matches!(value.view(), View::Tuple(_, arity) if arity == n);
    if let (Some(expr), Some(mut lifting)) = (own_expr(value), w.following()) {
        let test = lifting.apply(Op::IsTuple(n), &[expr]);
        lifting.test(0, test, holds);
    }
    holds
}

/// Returns a part of the value `of`. In a recorded run, the part gets the expression of the selector `op` on `of`.
pub(super) fn part(w: &mut World, of: Value, op: Op, part: Value) -> Value {
    match w.following() {
        Some(mut lifting) => lifting.part(of, op, part),
        None => part,
    }
}

pub(super) fn uncons(w: &mut World, list: Value) -> Option<(Value, Value)> {
    match w.following() {
        Some(mut lifting) => lifting.uncons(0, list),
        None => w.heap.uncons(list),
    }
}

/// Returns the value of a key in a map, given the concrete value `found`, and records whether the map has the key.
/// `None` if the map lacks the key.
pub(super) fn under(
    w: &mut World,
    (map, key): (Value, Value),
    found: Option<Value>,
) -> Option<Value> {
    let Some(mut lifting) = w.following() else { return found };
    if !lifting.is_symbolic_lookup(map, key) {
        return found;
    }
    lifting.has_key(0, map, key, found.is_some());
    Some(lifting.under(map, key, found?))
}

/// Returns whether a value is `true`, and records the test.
pub(in crate::builtins::ets) fn is_true(w: &mut World, value: Value) -> bool {
    let holds = value.as_bool() == Some(true);
    if let (Some(expr), Some(mut lifting)) = (own_expr(value), w.following()) {
        let test = truth_of(&mut lifting, expr);
        lifting.test(0, test, holds);
    }
    holds
}

/// Returns the truth value that a value is, and records the test. `None` if the value is not a Boolean.
pub(super) fn truth(w: &mut World, value: Value) -> Option<bool> {
    let is_test = match (own_expr(value), w.following()) {
        (Some(expr), Some(lifting)) => lifting.record.exprs.is_test(expr),
        _ => true,
    };
    if !is_test {
        w.is_kind(value, Kind::Boolean, value.as_bool().is_some());
    }
    value.as_bool().map(|_| is_true(w, value))
}

/// Records for each symbolic part of a match specification how it is read: as one of the special atoms, as a tuple, a
/// list or a map, or as a constant. Tuples, lists and maps are pinned, constants stay symbolic.
pub(in crate::builtins::ets) fn settled(w: &mut World, spec: Value) {
    if !w.is_symbolic(spec) {
        return;
    }
    let mut rest = vec![spec];
    while let Some(value) = rest.pop() {
        if own_expr(value).is_some() {
            settle(w, value);
            continue;
        }
        match value.view() {
            View::Cons(at) => rest.extend([w.heap.tail(at), w.heap.head(at)]),
            View::Tuple(..) => {
                let elements = w.heap.elements(value).unwrap_or_default();
                match elements {
                    [tag, _] if tag.as_atom().is_some_and(|it| w.atoms.name(it) == "const") => (),
                    _ => rest.extend(elements.iter().rev()),
                }
            }
            View::Map(at) => rest.extend(w.heap.map_iter(at).flat_map(|it| [it.0, it.1])),
            View::Int(_)
            | View::Big(_)
            | View::Float(_)
            | View::Atom(_)
            | View::Nil
            | View::Bits(_)
            | View::Fun(_)
            | View::Pid(_)
            | View::Port(_)
            | View::Ref(_) => (),
        }
    }
}

/// Atoms with a special meaning in heads or bodies: variables, the whole object, and the wildcard.
const SPECIAL: [&str; 5] = ["_", "$1", "$2", "$_", "$$"];

fn settle(w: &mut World, value: Value) {
    let name = value.as_atom().map(|it| w.atoms.name(it));
    let special = name.and_then(|it| SPECIAL.iter().position(|special| *special == it));
    let (is_tuple, is_list) = (matches!(value.view(), View::Tuple(..)), value.is_cons());
    let is_map = matches!(value.view(), View::Map(_));
    let kinds = [(Kind::Tuple, is_tuple), (Kind::Cons, is_list), (Kind::Map, is_map)];
    let kind = kinds.iter().position(|it| it.1).map(|it| SPECIAL.len() + it);
    let heads: Arc<[Head]> = SPECIAL
        .iter()
        .map(|it| Head::Literal(Term::atom(it)))
        .chain(kinds.iter().map(|it| Head::Kind(it.0)))
        .collect();
    let (Some(expr), Some(lifting)) = (own_expr(value), w.following()) else { return };
    let site = lifting.site(1);
    let taken = special.or(kind).unwrap_or(heads.len());
    lifting.record.choose(site, taken, Looked::Heads(expr, heads));
    if kind.is_some() {
        w.look_at("a part of a match specification", value);
    }
}
