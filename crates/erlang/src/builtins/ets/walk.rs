//! Iterates over a table key by key, and fixes tables for iterating while they change.

use crate::builtins::Fault;
use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::clock;
use crate::builtins::ets::access::{Access, find, find_by_key, follow_key, follow_order, table};
use crate::builtins::ets::table::{Table, TableKind};
use crate::code::Cmp;
use crate::machine::World;
use values::{AtomId, Heap, RefId, Value};

pub(super) fn first(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find(w, arg(args, 0), Access::Read)?;
    let table = table(w, id)?;
    Ok(key_or_end(&w.heap, table, table.rows.get(table.rows.start())))
}

/// `ets:last/1`. In an unordered table, BEAM returns the first key, and `prev` does what `next` does.
pub(super) fn last(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find(w, arg(args, 0), Access::Read)?;
    let table = table(w, id)?;
    if table.kind != TableKind::OrderedSet {
        return first(w, args);
    }
    let rows = &table.rows;
    Ok(key_or_end(&w.heap, table, rows.before(rows.end()).and_then(|it| rows.get(it))))
}

pub(super) fn next(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let key = arg(args, 1);
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    follow_place(w, id, key);
    let table = table(w, id)?;
    let is_known = table.kind == TableKind::OrderedSet || table.had(&w.heap, &w.atoms, key);
    if !is_known || key.is_atom(AtomId::END_OF_TABLE) {
        return Err(Fault::BADARG);
    }
    let place = table.upper(&w.heap, &w.atoms, key);
    Ok(key_or_end(&w.heap, table, table.rows.get(place)))
}

/// Records the position of a key among the keys of the table: whether it is `'$end_of_table'`, which key of the table
/// it equals, and how the keys are ordered.
fn follow_place(w: &mut World, id: RefId, key: Value) {
    if key.shadow().is_some() {
        let end = Value::atom(AtomId::END_OF_TABLE);
        w.compare_values(Cmp::Same, (key, end), key.is_atom(AtomId::END_OF_TABLE));
    }
    follow_key(w, id, key, Access::Read);
    follow_order(w, id, Some(key));
}

pub(super) fn prev(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Read)?;
    if table(w, id)?.kind != TableKind::OrderedSet {
        return next(w, args);
    }
    follow_place(w, id, arg(args, 1));
    let table = table(w, id)?;
    if arg(args, 1).is_atom(AtomId::END_OF_TABLE) {
        return Err(Fault::BADARG);
    }
    let place = table.rows.before(table.lower(&w.heap, &w.atoms, arg(args, 1)));
    Ok(key_or_end(&w.heap, table, place.and_then(|it| table.rows.get(it))))
}

fn key_or_end(heap: &Heap, table: &Table, object: Option<Value>) -> Value {
    let key = object.and_then(|it| table.key(heap, it));
    key.unwrap_or(Value::atom(AtomId::END_OF_TABLE))
}

/// The initial number of slots of BEAM's hash tables.
pub(super) const MIN_SLOTS: usize = 256;

/// Returns the number of slots. An unordered table does not shrink while it is fixed.
pub(super) fn n_slots(table: &Table) -> usize {
    (table.rows.len() + table.tombstones.len()).max(MIN_SLOTS)
}

/// `ets:slot/2`. A slot of ours holds at most one object.
pub(super) fn slot(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find(w, arg(args, 0), Access::Read)?;
    let table = table(w, id)?;
    let n_slots = match table.kind {
        TableKind::OrderedSet => table.rows.len(),
        TableKind::Set | TableKind::Bag | TableKind::DuplicateBag => n_slots(table),
    };
    let n = badarg(arg(args, 1).as_usize().filter(|it| *it <= n_slots))?;
    if n == n_slots {
        return Ok(Value::atom(AtomId::END_OF_TABLE));
    }
    let object = table.rows.nth(n);
    Ok(w.heap.list(object.as_slice()))
}

pub(super) fn safe_fixtable(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find(w, arg(args, 0), Access::Read)?;
    let fix = badarg(arg(args, 1).as_bool())?;
    let (current, now) = (w.run.current, clock::monotonic(w));
    let table = badarg(w.run.ets.tables.get_mut(&id))?;
    if !table.is_fixed() {
        table.fixed_since = now;
    }
    let own = table.fixed_by.iter_mut().find(|it| it.0 == current);
    match (fix, own) {
        (true, Some(own)) => own.1 += 1,
        (true, None) => table.fixed_by.push((current, 1)),
        (false, Some(own)) => own.1 -= 1,
        (false, None) => {}
    }
    table.fixed_by.retain(|it| it.1 > 0);
    table.forget_tombstones();
    Ok(Value::TRUE)
}
