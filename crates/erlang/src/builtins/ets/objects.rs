//! Inserts objects into tables, and finds and changes them by key.

use crate::builtins::Fault;
use crate::builtins::arithmetic::{add, arg, badarg};
use crate::builtins::ets::access::{Access, caused, find_by_key, follow_key, table};
use crate::builtins::ets::table::TableKind;
use crate::code::Cmp;
use crate::lift::arithmetic;
use crate::machine::World;
use std::cmp::Ordering;
use term::{Kind, Op};
use values::{RefId, Value, compare_value, equal_exact};

pub(super) fn insert(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    let objects = objects_of(w, id, arg(args, 1))?;
    put(w, id, &objects);
    Ok(Value::TRUE)
}

pub(super) fn insert_new(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    let objects = objects_of(w, id, arg(args, 1))?;
    for object in &objects {
        if let Some(key) = table(w, id)?.key(&w.heap, *object) {
            follow_key(w, id, key, Access::Write);
        }
    }
    let table = table(w, id)?;
    let is_taken = |object: &Value| {
        let key = table.key(&w.heap, *object);
        key.is_some_and(|it| table.has(&w.heap, &w.atoms, it))
    };
    if objects.iter().any(is_taken) {
        return Ok(Value::FALSE);
    }
    put(w, id, &objects);
    Ok(Value::TRUE)
}

/// Returns one object or a list of them, each checked to have a key, in the order in which BEAM inserts them.
fn objects_of(w: &mut World, id: RefId, value: Value) -> Result<Vec<Value>, Fault> {
    let value = w.taken_apart(value);
    if value.shadow().is_some() {
        w.look_at("objects of an ETS table", value);
    }
    let table = table(w, id)?;
    let mut objects = if value.is_cons() || value.is_nil() {
        badarg(w.heap.list_items(value))?
    } else {
        vec![value]
    };
    if objects.iter().any(|it| table.key(&w.heap, *it).is_none()) {
        return Err(Fault::BADARG);
    }
    // OTP 25 inserts a list into a bag from the end of the list.
    if table.kind == TableKind::Bag {
        objects.reverse();
    }
    Ok(objects)
}

fn put(w: &mut World, id: RefId, objects: &[Value]) {
    for object in objects {
        if object.shadow().is_some() {
            w.look_at("an object of an ETS table", *object);
        }
        let Some(key) = w.run.ets.tables.get(&id).and_then(|it| it.key(&w.heap, *object)) else {
            return;
        };
        follow_key(w, id, key, Access::Write);
        if table(w, id).is_ok_and(|it| it.kind == TableKind::Bag) {
            follow_object(w, id, key, *object);
        }
        let (is_recorded, is_symbolic) = (w.record.is_some(), w.is_symbolic(*object));
        let is_key = is_symbolic && w.is_symbolic(key);
        let Some(table) = w.run.ets.tables.get_mut(&id) else { return };
        if is_recorded && !table.has(&w.heap, &w.atoms, key) {
            let mut entered = std::mem::take(&mut table.entered);
            entered.add(key, is_key, |it| table.has(&w.heap, &w.atoms, *it));
            table.entered = entered;
        }
        table.insert(&w.heap, &w.atoms, *object);
    }
}

/// Records which objects with the key are identical to `object`: each comparison with a symbolic value is a choice.
fn follow_object(w: &mut World, id: RefId, key: Value, object: Value) {
    follow_key(w, id, key, Access::Write);
    if w.record.is_some() {
        let found = table(w, id).map(|it| it.find(&w.heap, &w.atoms, key));
        w.compare_keys(Op::Same, object, &found.unwrap_or_default());
    }
}

pub(super) fn lookup(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    follow_key(w, id, arg(args, 1), Access::Read);
    let found = table(w, id)?.find(&w.heap, &w.atoms, arg(args, 1));
    Ok(w.heap.list(&found))
}

pub(super) fn lookup_element(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    follow_key(w, id, arg(args, 1), Access::Read);
    let place = badarg(arg(args, 2).as_usize().and_then(|it| it.checked_sub(1)))?;
    let table = table(w, id)?;
    let found = table.find(&w.heap, &w.atoms, arg(args, 1));
    let is_unique = table.is_unique();
    if found.is_empty() {
        return Err(caused(w, "badkey"));
    }
    let element = |object: &Value| w.heap.elements(*object)?.get(place).copied();
    let elements: Vec<Value> = badarg(found.iter().map(element).collect())?;
    match elements.first() {
        Some(element) if is_unique => Ok(*element),
        _ => Ok(w.heap.list(&elements)),
    }
}

pub(super) fn member(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    follow_key(w, id, arg(args, 1), Access::Read);
    Ok(Value::bool(table(w, id)?.has(&w.heap, &w.atoms, arg(args, 1))))
}

pub(super) fn delete(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    follow_key(w, id, arg(args, 1), Access::Write);
    let table = badarg(w.run.ets.tables.get_mut(&id))?;
    table.remove_where(&w.heap, &w.atoms, arg(args, 1), |_| true);
    Ok(Value::TRUE)
}

pub(super) fn delete_object(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let object = w.taken_apart(arg(args, 1));
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    let key = badarg(table(w, id)?.key(&w.heap, object))?;
    follow_object(w, id, key, object);
    let (heap, atoms) = (&w.heap, &w.atoms);
    let table = badarg(w.run.ets.tables.get_mut(&id))?;
    table.remove_where(heap, atoms, key, |it| equal_exact(heap, atoms, it, object));
    Ok(Value::TRUE)
}

pub(super) fn delete_all(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    let table = badarg(w.run.ets.tables.get_mut(&id))?;
    let n = table.rows.len();
    table.clear(&w.heap, &w.atoms);
    Ok(Value::int(i64::try_from(n).unwrap_or(i64::MAX)))
}

pub(super) fn take(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    follow_key(w, id, arg(args, 1), Access::Write);
    let table = badarg(w.run.ets.tables.get_mut(&id))?;
    let found = table.find(&w.heap, &w.atoms, arg(args, 1));
    table.remove_where(&w.heap, &w.atoms, arg(args, 1), |_| true);
    Ok(w.heap.list(&found))
}

/// `ets:update_element/3`. Returns `false` without checking the settings if the key is missing.
pub(super) fn update_element(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let settings = w.taken_apart(arg(args, 2));
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    follow_key(w, id, arg(args, 1), Access::Write);
    let table = table(w, id)?;
    if !table.is_unique() {
        return Err(Fault::BADARG);
    }
    let key_position = table.key_position;
    let found = table.find(&w.heap, &w.atoms, arg(args, 1));
    let Some(object) = found.first() else { return Ok(Value::FALSE) };
    let mut elements = badarg(w.heap.elements(*object))?.to_vec();
    let (settings, tail) = if w.heap.elements(settings).is_some() {
        (vec![settings], Value::NIL)
    } else {
        w.heap.list_parts(settings)
    };
    for setting in settings {
        let (position, value) = match w.heap.elements(setting) {
            Some([position, value]) => (*position, *value),
            _ => return Err(Fault::BADARG),
        };
        if position.shadow().is_some() {
            w.look_at("the position of an element", position);
        }
        let position = badarg(position.as_usize())?;
        if position == key_position {
            return Err(caused(w, "keypos"));
        }
        let slot = position.checked_sub(1).and_then(|it| elements.get_mut(it));
        *badarg(slot)? = value;
    }
    if !tail.is_nil() {
        return Err(Fault::BADARG);
    }
    let object = w.heap.tuple(&elements);
    put(w, id, &[object]);
    Ok(Value::TRUE)
}

/// `ets:update_counter/3,4`. Makes all changes or none.
pub(super) fn update_counter(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (key, change) = (arg(args, 1), change_of(w, arg(args, 2)));
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    follow_key(w, id, key, Access::Write);
    let default = args.get(3).map(|it| w.taken_apart(*it));
    let table = table(w, id)?;
    if default.is_some_and(|it| w.heap.elements(it).is_none_or(<[Value]>::is_empty)) {
        return Err(Fault::BADARG);
    }
    if !table.is_unique() {
        return Err(caused(w, "table_type"));
    }
    let key_position = table.key_position;
    let found = table.find(&w.heap, &w.atoms, key);
    let mut elements = match (found.first(), default) {
        (Some(object), _) => w.heap.elements(*object).unwrap_or_default().to_vec(),
        (None, None) => return Err(caused(w, "badkey")),
        (None, Some(default)) => {
            let mut elements = w.heap.elements(default).unwrap_or_default().to_vec();
            if let Some(slot) = elements.get_mut(key_position - 1) {
                *slot = key;
            }
            elements
        }
    };
    let is_list = change.is_cons() || change.is_nil();
    let (changes, tail) = if change.is_integer() {
        let position = Value::int(i64::try_from(key_position + 1).unwrap_or(i64::MAX));
        (vec![w.heap.tuple(&[position, change])], Value::NIL)
    } else if is_list {
        w.heap.list_parts(change)
    } else {
        (vec![change], Value::NIL)
    };
    let mut results = Vec::with_capacity(changes.len());
    // All changes are checked against the original object before any is made.
    let mut steps = Vec::with_capacity(changes.len());
    for change in changes {
        steps.push(counter_update(w, &elements, key_position, change)?);
    }
    if !tail.is_nil() || elements.len() < key_position {
        return Err(Fault::BADARG);
    }
    for step in steps {
        let old = elements.get(step.place).copied().unwrap_or(Value::NIL);
        let sum = add(w, old, step.increment)?;
        let mut new = w.followed(arithmetic::add, &[old, step.increment], sum);
        if let Some((threshold, value)) = step.wrap {
            let falls = compares(w, Cmp::Less, step.increment, Value::int(0));
            let beyond = if falls { Cmp::Less } else { Cmp::Greater };
            if compares(w, beyond, new, threshold) {
                new = value;
            }
        }
        if let Some(slot) = elements.get_mut(step.place) {
            *slot = new;
        }
        results.push(new);
    }
    let object = w.heap.tuple(&elements);
    put(w, id, &[object]);
    match results.first() {
        Some(result) if !is_list => Ok(*result),
        _ => Ok(w.heap.list(&results)),
    }
}

/// Returns the change argument of a counter update with its shape recorded as choices: whether it is an integer, and
/// otherwise of which tuples and lists it consists.
fn change_of(w: &mut World, change: Value) -> Value {
    if w.is_kind(change, Kind::Integer, change.is_integer()) {
        change
    } else {
        w.taken_apart(change)
    }
}

/// Returns whether `a` is less (or greater, depending on `op`) than `b`. The result is a choice if one of them is
/// symbolic.
fn compares(w: &mut World, op: Cmp, a: Value, b: Value) -> bool {
    let wanted = if op == Cmp::Less { Ordering::Less } else { Ordering::Greater };
    let holds = compare_value(&w.heap, &w.atoms, a, b) == wanted;
    w.compare_values(op, (a, b), holds);
    holds
}

/// One change of a counter.
struct CounterUpdate {
    place: usize,
    increment: Value,
    /// The threshold, and the value to reset the counter to when it passes the threshold.
    wrap: Option<(Value, Value)>,
}

fn counter_update(
    w: &mut World,
    elements: &[Value],
    key_position: usize,
    change: Value,
) -> Result<CounterUpdate, Fault> {
    let (position, increment, wrap) = match w.heap.elements(change) {
        Some([position, increment]) => (*position, *increment, None),
        Some([position, increment, threshold, value]) => {
            (*position, *increment, Some((*threshold, *value)))
        }
        _ => return Err(Fault::BADARG),
    };
    for number in wrap.into_iter().flat_map(|it| [it.0, it.1]).chain([increment]) {
        if !w.is_kind(number, Kind::Integer, number.is_integer()) {
            return Err(Fault::BADARG);
        }
    }
    if position.shadow().is_some() {
        w.look_at("the position of a counter", position);
    }
    let position = badarg(position.as_int())?;
    if usize::try_from(position) == Ok(key_position) {
        return Err(caused(w, "keypos"));
    }
    let place = usize::try_from(position).ok().and_then(|it| it.checked_sub(1));
    match place.and_then(|it| elements.get(it)).copied() {
        None => Err(caused(w, "position")),
        Some(old) if !w.is_kind(old, Kind::Integer, old.is_integer()) => Err(Fault::BADARG),
        Some(_) => Ok(CounterUpdate { place: place.unwrap_or(0), increment, wrap }),
    }
}
