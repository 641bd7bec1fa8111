//! Finds the table that a program names, checks access, and follows symbolic keys.

use crate::builtins::Fault;
use crate::builtins::ets::table::{Table, TableKind};
use crate::builtins::handles::is_table;
use crate::machine::World;
use term::Op;
use values::{AtomId, RefId, Value};

/// The access to a table that an operation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Only information about the table, which every process may read.
    Nothing,
    Read,
    Write,
}

/// Makes `badarg` with a `cause` that OTP's error descriptions know.
pub(super) fn caused(w: &mut World, cause: &str) -> Fault {
    Fault::Caused(Value::atom(AtomId::BADARG), w.atoms.intern(cause))
}

/// Finds a table for an operation that visits all keys.
pub(super) fn find(w: &mut World, table: Value, need: Access) -> Result<RefId, Fault> {
    let id = find_by_key(w, table, need)?;
    if need != Access::Nothing {
        pin_keys(w, id);
    }
    Ok(id)
}

/// Finds a table for an operation that looks into all objects.
pub(super) fn find_all(w: &mut World, table: Value, need: Access) -> Result<RefId, Fault> {
    let id = find(w, table, need)?;
    if w.record.is_some()
        && let Some(table) = w.ets.tables.get_mut(&id)
        && std::mem::take(&mut table.has_symbolic_objects)
    {
        let objects: Vec<Value> = table.rows.iter().collect();
        objects.into_iter().for_each(|it| w.look_at("objects of an ETS table", it));
    }
    Ok(id)
}

fn pin_keys(w: &mut World, id: RefId) {
    if w.record.is_some()
        && let Some(table) = w.ets.tables.get_mut(&id)
        && table.entered.settle()
    {
        let keys: Vec<Value> = table.rows.iter().filter_map(|it| table.key(&w.heap, it)).collect();
        keys.into_iter().for_each(|it| w.look_at("keys of an ETS table", it));
    }
}

/// Records which object has the key: each comparison whose result depends on the input is a choice.
pub(super) fn follow_key(w: &mut World, id: RefId, key: Value) {
    let Some(table) = w.ets.tables.get(&id) else { return };
    if !w.is_symbolic(key) && !table.entered.has_symbolic() {
        return;
    }
    let Some(entered) = table.entered.keys() else {
        w.look_at("a key of a large ETS table", key);
        return pin_keys(w, id);
    };
    let op = if table.kind == TableKind::OrderedSet { Op::Equal } else { Op::Same };
    let is_there = |it: &Value| table.has(&w.heap, &w.atoms, *it);
    let keys: Vec<Value> = entered.iter().copied().filter(is_there).collect();
    w.compare_keys(op, key, &keys);
}

/// Finds a table for an operation that uses given keys only.
pub(super) fn find_by_key(w: &mut World, table: Value, need: Access) -> Result<RefId, Fault> {
    let id = match table.as_atom() {
        Some(name) => named(w, name)?,
        None if is_table(table) => table.as_ref().filter(|it| it.owner.node() == w.here()),
        None => return Err(caused(w, "type")),
    };
    let Some(found) = id.and_then(|it| w.ets.tables.get(&it)) else {
        return Err(caused(w, "id"));
    };
    if w.ets.is_open(found, w.current, need) {
        return Ok(found.id);
    }
    Err(caused(w, "access"))
}

/// Returns the table with a name; suspends the builtin if a system process that is not started yet owns it.
pub(super) fn named(w: &mut World, name: AtomId) -> Result<Option<RefId>, Fault> {
    let found = w.ets.names.get(&(w.here(), name)).copied();
    if found.is_none() {
        w.need_table(name)?;
    }
    Ok(found)
}

/// Returns a table that was found before.
pub(super) fn table(w: &World, id: RefId) -> Result<&Table, Fault> {
    w.ets.tables.get(&id).ok_or(Fault::BADARG)
}
