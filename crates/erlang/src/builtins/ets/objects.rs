//! Inserts objects into tables, and finds and changes them by key.

use crate::builtins::Fault;
use crate::builtins::arithmetic::{add, arg, badarg};
use crate::builtins::ets::access::{
    Access, caused, find, find_all, find_by_key, follow_key, table,
};
use crate::builtins::ets::table::TableKind;
use crate::machine::World;
use std::cmp::Ordering;
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
            follow_key(w, id, key);
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
        let Some(key) = w.ets.tables.get(&id).and_then(|it| it.key(&w.heap, *object)) else {
            return;
        };
        follow_key(w, id, key);
        let (is_recorded, is_symbolic) = (w.record.is_some(), w.is_symbolic(*object));
        let is_key = is_symbolic && w.is_symbolic(key);
        let Some(table) = w.ets.tables.get_mut(&id) else { return };
        if is_recorded && !table.has(&w.heap, &w.atoms, key) {
            let mut entered = std::mem::take(&mut table.entered);
            entered.add(key, is_key, |it| table.has(&w.heap, &w.atoms, *it));
            table.entered = entered;
        }
        table.has_symbolic_objects |= is_symbolic;
        table.insert(&w.heap, &w.atoms, *object);
    }
}

pub(super) fn lookup(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    follow_key(w, id, arg(args, 1));
    let found = table(w, id)?.find(&w.heap, &w.atoms, arg(args, 1));
    Ok(w.heap.list(&found))
}

pub(super) fn lookup_element(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    follow_key(w, id, arg(args, 1));
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
    follow_key(w, id, arg(args, 1));
    Ok(Value::bool(table(w, id)?.has(&w.heap, &w.atoms, arg(args, 1))))
}

pub(super) fn delete(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    follow_key(w, id, arg(args, 1));
    let table = badarg(w.ets.tables.get_mut(&id))?;
    table.remove_where(&w.heap, &w.atoms, arg(args, 1), |_| true);
    Ok(Value::TRUE)
}

pub(super) fn delete_object(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let object = arg(args, 1);
    let id = find_all(w, arg(args, 0), Access::Write)?;
    let (heap, atoms) = (&w.heap, &w.atoms);
    let table = badarg(w.ets.tables.get_mut(&id))?;
    let key = badarg(table.key(heap, object))?;
    table.remove_where(heap, atoms, key, |it| equal_exact(heap, atoms, it, object));
    Ok(Value::TRUE)
}

pub(super) fn delete_all(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find(w, arg(args, 0), Access::Write)?;
    let table = badarg(w.ets.tables.get_mut(&id))?;
    let n = table.rows.len();
    table.clear(&w.heap, &w.atoms);
    Ok(Value::int(i64::try_from(n).unwrap_or(i64::MAX)))
}

pub(super) fn take(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    follow_key(w, id, arg(args, 1));
    let table = badarg(w.ets.tables.get_mut(&id))?;
    let found = table.find(&w.heap, &w.atoms, arg(args, 1));
    table.remove_where(&w.heap, &w.atoms, arg(args, 1), |_| true);
    Ok(w.heap.list(&found))
}

/// `ets:update_element/3`. Returns `false` without checking the settings if the key is missing.
pub(super) fn update_element(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let settings = arg(args, 2);
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    follow_key(w, id, arg(args, 1));
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
    let (key, change) = (arg(args, 1), arg(args, 2));
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    follow_key(w, id, key);
    let default = args.get(3).copied();
    if let Some(default) = default.filter(|it| it.shadow().is_some()) {
        w.look_at("an object of an ETS table", default);
    }
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
        if old.shadow().is_some() {
            w.look_at("a counter of an ETS table", old);
        }
        let mut new = add(w, old, step.increment)?;
        if let Some((threshold, value)) = step.wrap {
            let falls = compare_value(&w.heap, &w.atoms, step.increment, Value::int(0)).is_lt();
            let beyond = if falls { Ordering::Less } else { Ordering::Greater };
            if compare_value(&w.heap, &w.atoms, new, threshold) == beyond {
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
        Some([position, increment, threshold, value])
            if threshold.is_integer() && value.is_integer() =>
        {
            (*position, *increment, Some((*threshold, *value)))
        }
        _ => return Err(Fault::BADARG),
    };
    let position = badarg(position.as_int())?;
    if !increment.is_integer() {
        return Err(Fault::BADARG);
    }
    if usize::try_from(position) == Ok(key_position) {
        return Err(caused(w, "keypos"));
    }
    let place = usize::try_from(position).ok().and_then(|it| it.checked_sub(1));
    match place.and_then(|it| elements.get(it)) {
        None => Err(caused(w, "position")),
        Some(old) if !old.is_integer() => Err(Fault::BADARG),
        Some(_) => Ok(CounterUpdate { place: place.unwrap_or(0), increment, wrap }),
    }
}
