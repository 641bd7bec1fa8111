//! Tuples.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::{Builtin, Fault, pure};
use crate::lift;
use crate::machine::World;
use values::{MAX_ARITY, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "element", 2, |w, args| element(w, arg(args, 0), arg(args, 1)))
        .own(lift::tuples::element),
    pure("erlang", "setelement", 3, |w, args| {
        set_element(w, arg(args, 0), arg(args, 1), arg(args, 2))
    })
    .own(lift::tuples::set_element),
    pure("erlang", "tuple_size", 1, |_, args| tuple_size(arg(args, 0))).own(lift::tuples::size),
    pure("erlang", "tuple_to_list", 1, |w, args| tuple_to_list(w, arg(args, 0)))
        .own(lift::tuples::to_list),
    pure("erlang", "list_to_tuple", 1, |w, args| list_to_tuple(w, arg(args, 0)))
        .own(lift::tuples::from_list),
    pure("erlang", "make_tuple", 2, |w, args| {
        make_tuple(w, arg(args, 0), arg(args, 1), Value::NIL)
    })
    .own(lift::tuples::made),
    pure("erlang", "make_tuple", 3, |w, args| {
        make_tuple(w, arg(args, 0), arg(args, 1), arg(args, 2))
    })
    .moves(0b101),
    pure("erlang", "append_element", 2, |w, args| append_element(w, arg(args, 0), arg(args, 1))),
    pure("erlang", "insert_element", 3, |w, args| {
        insert_element(w, arg(args, 0), arg(args, 1), arg(args, 2))
    }),
    pure("erlang", "delete_element", 2, |w, args| delete_element(w, arg(args, 0), arg(args, 1))),
];

#[inline]
pub(crate) fn element(w: &World, position: Value, tuple: Value) -> Result<Value, Fault> {
    let items = w.heap.elements(tuple);
    let place = place_of(position);
    badarg(items.zip(place).and_then(|(items, place)| items.get(place)).copied())
}

/// Converts a position, counted from one, to an index.
#[inline]
fn place_of(position: Value) -> Option<usize> {
    position.as_usize().and_then(|it| it.checked_sub(1))
}

pub(crate) fn set_element(
    w: &mut World,
    position: Value,
    tuple: Value,
    item: Value,
) -> Result<Value, Fault> {
    let mut items = copied(w, tuple)?;
    let slot = place_of(position).and_then(|place| items.get_mut(place));
    *badarg(slot)? = item;
    Ok(w.heap.tuple(&items))
}

#[inline]
pub(crate) fn tuple_size(tuple: Value) -> Result<Value, Fault> {
    match tuple.view() {
        View::Tuple(_, arity) => Ok(Value::int(i64::from(arity))),
        _ => Err(Fault::BADARG),
    }
}

fn tuple_to_list(w: &mut World, tuple: Value) -> Result<Value, Fault> {
    let items = copied(w, tuple)?;
    w.check_room_for_list(items.len())?;
    Ok(w.heap.list(&items))
}

fn list_to_tuple(w: &mut World, list: Value) -> Result<Value, Fault> {
    let items = w.heap.list_items(list).filter(|it| it.len() <= MAX_ARITY);
    let items = badarg(items)?;
    Ok(w.heap.tuple(&items))
}

/// `make_tuple/2,3`. Of several initial values for an element, the last one wins.
fn make_tuple(w: &mut World, arity: Value, item: Value, set: Value) -> Result<Value, Fault> {
    let arity = badarg(arity.as_usize().filter(|it| *it <= MAX_ARITY))?;
    w.check_room(2 * arity * size_of::<Value>())?;
    w.heap.count_steps(arity);
    let mut items = vec![item; arity];
    for pair in badarg(w.heap.list_items(set))? {
        let Some([position, item]) = w.heap.elements(pair) else { return Err(Fault::BADARG) };
        let slot = place_of(*position).and_then(|it| items.get_mut(it));
        *badarg(slot)? = *item;
    }
    Ok(w.heap.tuple(&items))
}

fn append_element(w: &mut World, tuple: Value, item: Value) -> Result<Value, Fault> {
    let mut items = room_for_one(w, tuple)?;
    items.push(item);
    Ok(w.heap.tuple(&items))
}

fn insert_element(
    w: &mut World,
    position: Value,
    tuple: Value,
    item: Value,
) -> Result<Value, Fault> {
    let mut items = room_for_one(w, tuple)?;
    let place = badarg(place_of(position).filter(|it| *it <= items.len()))?;
    items.insert(place, item);
    Ok(w.heap.tuple(&items))
}

fn room_for_one(w: &World, tuple: Value) -> Result<Vec<Value>, Fault> {
    badarg(w.heap.elements(tuple).filter(|it| it.len() < MAX_ARITY))?;
    copied(w, tuple)
}

/// Copies the elements of a tuple, after checking that the memory suffices for a new tuple.
fn copied(w: &World, tuple: Value) -> Result<Vec<Value>, Fault> {
    let items = badarg(w.heap.elements(tuple))?;
    w.heap.count_steps(items.len());
    if items.len() > FEW {
        w.check_room(2 * size_of_val(items))?;
    }
    Ok(items.to_vec())
}

/// Tuples with at most this many elements are copied without a check of the memory.
const FEW: usize = 1_000;

fn delete_element(w: &mut World, position: Value, tuple: Value) -> Result<Value, Fault> {
    let mut items = copied(w, tuple)?;
    let place = badarg(place_of(position).filter(|it| *it < items.len()))?;
    items.remove(place);
    Ok(w.heap.tuple(&items))
}
