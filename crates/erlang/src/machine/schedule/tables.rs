//! The accesses of operations on ETS tables.
//!
//! A table and its name are different objects: an operation by name reads which table has the name. An operation that
//! fails only reads.

use crate::builtins::{TableUse, phash2};
use crate::machine::World;
use crate::machine::boot::is_table_of_system;
use crate::machine::schedule::is_inline;
use crate::machine::schedule::touch::{Family, Touch, atom, life, object};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use trace::{Mode, Object};
use values::{AtomId, PidId, RefId, Value};

/// Whether an operation leaves the table unchanged. Fixing a table counts as a change.
pub(super) fn only_looks(using: TableUse) -> bool {
    match using {
        TableUse::WhereIs => true,
        TableUse::Whole(mode) | TableUse::Key(mode) => mode == Mode::Read,
        TableUse::New | TableUse::ChangeKey | TableUse::Insert | TableUse::InsertNew => false,
        TableUse::DeleteObject | TableUse::Delete | TableUse::GiveAway => false,
        TableUse::Rename | TableUse::SetOptions => false,
    }
}

/// Whether the operation needs the permission to write (`true`) or to read (`false`). `None` if it needs no permission:
/// every process may ask for the size of a table.
fn writes(using: TableUse) -> Option<bool> {
    let asks = matches!(using, TableUse::Whole(Mode::Read | Mode::ReadPart));
    (!asks).then_some(using != TableUse::Key(Mode::Read))
}

pub(super) fn of_call(w: &World, using: TableUse, first: Value, second: Value) -> Option<Touch> {
    if using == TableUse::New {
        return of_new(w, first, second);
    }
    let mut touch = Touch::default();
    if let Some(name) = first.as_atom() {
        touch.access(naming(w, name), Mode::ReadPart);
    }
    let is_plain = matches!(
        using,
        TableUse::Whole(_)
            | TableUse::Key(_)
            | TableUse::Insert
            | TableUse::DeleteObject
            | TableUse::WhereIs
    );
    touch.might_differ = !is_plain;
    if using == TableUse::WhereIs {
        return Some(touch);
    }
    let Some(table) = called(w, first) else {
        touch.might_differ = true;
        return Some(touch);
    };
    let id = w.run.ets.id_of(w.here(), first);
    let owner = id.and_then(|_| w.run.ets.owner_of(w.here(), first));
    let is_owners = matches!(using, TableUse::GiveAway | TableUse::SetOptions);
    let may = |writes| w.run.ets.lets(w.here(), first, w.run.current, writes);
    let is_refused = match id {
        Some(_) if is_owners => owner != Some(w.run.current),
        Some(_) => !writes(using).is_none_or(may),
        // Tables of the runtime system are created on demand.
        None => !first.as_atom().is_some_and(|it| is_table_of_system(w.atoms.name(it))),
    };
    if is_refused {
        touch.access(table, Mode::ReadPart);
        touch.might_differ = true;
        return Some(touch);
    }
    let key = |it: Value| object(Family::TableKey, table.0, u64::from(phash2(w, it)));
    match using {
        TableUse::New | TableUse::WhereIs => (),
        TableUse::Whole(mode) => touch.access(table, mode),
        TableUse::Key(mode) => touch_key(&mut touch, table, key(second), mode),
        TableUse::ChangeKey => {
            let has_key = w.run.ets.has_key(w.here(), &w.heap, &w.atoms, (first, second));
            let mode = if has_key { Mode::Write } else { Mode::Read };
            touch_key(&mut touch, table, key(second), mode);
        }
        TableUse::Insert | TableUse::InsertNew | TableUse::DeleteObject => {
            let objects = w.heap.list_items(second).unwrap_or_else(|| vec![second]);
            let has = |it: &Value| w.run.ets.has_key_of(w.here(), &w.heap, &w.atoms, (first, *it));
            // `insert_new` of an existing key only reads.
            let is_look = using == TableUse::InsertNew && objects.iter().any(has);
            let (whole, part) = match is_look {
                true => (Mode::ReadPart, Mode::Read),
                false => (Mode::WritePart, Mode::Write),
            };
            touch.access(table, whole);
            let place = w.run.ets.key_position(w.here(), first).unwrap_or(1).saturating_sub(1);
            for object in objects {
                if let Some(it) = w.heap.elements(object).and_then(|it| it.get(place)) {
                    // In recorded runs, whether two inserted objects are the same may depend on the input, so the
                    // insertion is treated as a write.
                    let is_put = using == TableUse::Insert && w.record.is_none();
                    let part = if is_put { Mode::Put(content(w, object)) } else { part };
                    touch.access(key(*it), part);
                }
            }
        }
        TableUse::Delete => {
            touch.access(table, Mode::Write);
            touch_name_of(w, &mut touch, first);
            // Which process deletes the table is decided against the end of the owner.
            if let Some(owner) = owner.filter(|it| *it != w.run.current) {
                touch.access(life(owner), Mode::Read);
            }
        }
        TableUse::GiveAway => {
            touch.access(table, Mode::Write);
            if let Some(pid) = second.as_pid() {
                touch.access(life(pid), Mode::Read);
            }
        }
        TableUse::SetOptions => {
            touch.access(table, Mode::Write);
            let options = w.heap.list_items(second).unwrap_or_else(|| vec![second]);
            let heirs = options.into_iter().filter_map(|it| heir(w, it));
            heirs.for_each(|it| touch.access(life(it), Mode::Read));
        }
        TableUse::Rename => {
            let is_named = w.run.ets.name_of(w.here(), first).is_some();
            let new = second.as_atom().filter(|_| is_named);
            let is_taken =
                new.is_some_and(|it| w.run.ets.id_of(w.here(), Value::atom(it)).is_some());
            let (whole, part) = match is_taken {
                true => (Mode::ReadPart, Mode::Read),
                false => (Mode::WritePart, Mode::Write),
            };
            touch.access(table, whole);
            if let Some(name) = new {
                touch.access(naming(w, name), part);
            }
            if !is_taken {
                touch_name_of(w, &mut touch, first);
            }
        }
    }
    Some(touch)
}

/// Adds the accesses of the end of a table's owner: the table is deleted or given to its heir.
pub(super) fn touch_given_up(w: &World, touch: &mut Touch, owner: PidId, table: RefId) {
    let table = Value::reference(table);
    if let Some(table) = called(w, table) {
        touch.access(table, Mode::Write);
    }
    let heir = w.run.ets.heir_of(owner.node(), table).filter(|it| *it != owner);
    if let Some(heir) = heir {
        touch.access(life(heir), Mode::Read);
    }
    touch.mail = heir.filter(|it| w.is_alive(*it));
    if touch.mail.is_none() {
        touch_name_of(w, touch, table);
    }
}

/// Adds the accesses of the creation of a table. An unnamed table can't be observed by other processes yet, but its
/// heirs must be alive.
fn of_new(w: &World, name: Value, options: Value) -> Option<Touch> {
    let mut touch = Touch::default();
    let options = w.heap.list_items(options).unwrap_or_default();
    let is_named = options.iter().any(|it| it.is_atom(AtomId::NAMED_TABLE));
    if let Some(atom) = name.as_atom().filter(|_| is_named) {
        let is_taken = w.run.ets.id_of(w.here(), name).is_some();
        touch.access(naming(w, atom), if is_taken { Mode::Read } else { Mode::Write });
        touch.might_differ = true;
    }
    let heirs = options.iter().filter_map(|it| heir(w, *it));
    heirs.for_each(|it| touch.access(life(it), Mode::Read));
    (!touch.accesses.is_empty()).then_some(touch)
}

/// Adds the access to a table's name, which becomes free.
fn touch_name_of(w: &World, touch: &mut Touch, table: Value) {
    if let Some(name) = w.run.ets.name_of(w.here(), table) {
        touch.access(naming(w, name), Mode::Write);
    }
}

fn touch_key(touch: &mut Touch, table: Object, key: Object, mode: Mode) {
    let part = if mode == Mode::Read { Mode::ReadPart } else { Mode::WritePart };
    touch.access(table, part);
    touch.access(key, mode);
}

/// The heir that an option names.
fn heir(w: &World, option: Value) -> Option<PidId> {
    match w.heap.elements(option)? {
        [tag, pid, _] if tag.is_atom(AtomId::HEIR) => pid.as_pid(),
        _ => None,
    }
}

/// The object that says which table has a name.
fn naming(w: &World, name: AtomId) -> Object {
    object(Family::TableName, atom(w, name), u64::from(w.here().0))
}

/// The object of a table, given by name or identifier, even if the table does not exist any more. A table of the
/// runtime system has the same object in every run, and may not exist yet.
fn called(w: &World, value: Value) -> Option<Object> {
    let of_system =
        |name: AtomId| object(Family::SystemTable, atom(w, name), u64::from(w.here().0));
    let Some(id) = w.run.ets.id_of(w.here(), value).or(value.as_ref()) else {
        let name = value.as_atom().filter(|it| is_table_of_system(w.atoms.name(*it)))?;
        return Some(of_system(name));
    };
    let is_of_system = w.run.processes.get(&id.owner).is_some_and(is_inline);
    let name = w.run.ets.name_of(w.here(), value).filter(|_| is_of_system);
    Some(name.map_or_else(|| by_id(id), of_system))
}

fn by_id(id: RefId) -> Object {
    object(Family::Table, u64::from(id.owner.0), u64::from(id.n))
}

/// A hash that is, for all practical purposes, different for different objects of a table.
fn content(w: &World, object: Value) -> u64 {
    let mut hasher = FxHasher::default();
    phash2(w, object).hash(&mut hasher);
    let elements = w.heap.elements(object).unwrap_or_default();
    elements.iter().for_each(|it| phash2(w, *it).hash(&mut hasher));
    hasher.finish()
}
