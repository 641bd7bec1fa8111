//! Creates, names, renames, lists and deletes tables.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::ets::access::{Access, caused, find_by_key, named};
use crate::builtins::ets::rows::Rows;
use crate::builtins::ets::table::{Heir, Protection, Table, TableKind, destroy};
use crate::builtins::handles::HandleKind;
use crate::builtins::{Fault, Stop};
use crate::machine::{Entered, World};
use values::{AtomId, Value};

/// The smallest number of locks that BEAM gives a table with write concurrency.
const MIN_LOCKS: usize = 64;

/// A limit on the number of tables, far beyond BEAM's use, that only stops runaway programs.
const MAX_TABLES: usize = 1 << 20;

pub(super) fn new(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let name = badarg(arg(args, 0).as_atom())?;
    let options = badarg(w.heap.list_items(arg(args, 1)))?;
    let mut table = Table {
        id: w.run.handles.make(w.run.current, HandleKind::Table),
        name,
        is_named: false,
        kind: TableKind::Set,
        protection: Protection::Protected,
        key_position: 1,
        owner: w.run.current,
        heir: None,
        entered: Entered::default(),
        is_compressed: false,
        read_concurrency: false,
        write_concurrency: AtomId::FALSE,
        n_locks: None,
        decentralized_counters: false,
        rows: Rows::default(),
        tombstones: Rows::default(),
        fixed_by: Vec::new(),
        fixed_since: 0,
    };
    let mut decentralized = None;
    for option in options {
        badarg(set_option(w, &mut table, &mut decentralized, option))?;
    }
    // Only hash tables can have a number of locks.
    badarg((table.n_locks.is_none() || table.kind != TableKind::OrderedSet).then_some(()))?;
    if table.protection == Protection::Private {
        table.write_concurrency = AtomId::FALSE;
        table.n_locks = None;
    }
    let is_auto = !matches!(table.write_concurrency, AtomId::TRUE | AtomId::FALSE);
    let usual = is_auto || table.n_locks.is_some() || table.kind == TableKind::OrderedSet;
    table.decentralized_counters =
        table.write_concurrency != AtomId::FALSE && decentralized.unwrap_or(usual);
    if table.is_named {
        let key = (w.here(), name);
        if w.run.ets.names.contains_key(&key) {
            return Err(caused(w, "already_exists"));
        }
        w.run.ets.names.insert(key, table.id);
    }
    if w.run.ets.tables.len() >= MAX_TABLES {
        return Err(Stop::OutOfMemory.into());
    }
    let called = table.called();
    w.run.ets.tables.insert(table.id, table);
    Ok(called)
}

fn set_option(
    w: &World,
    table: &mut Table,
    decentralized: &mut Option<bool>,
    option: Value,
) -> Option<()> {
    if let Some(atom) = option.as_atom() {
        match atom {
            AtomId::SET => table.kind = TableKind::Set,
            AtomId::ORDERED_SET => table.kind = TableKind::OrderedSet,
            AtomId::BAG => table.kind = TableKind::Bag,
            AtomId::DUPLICATE_BAG => table.kind = TableKind::DuplicateBag,
            AtomId::NAMED_TABLE => table.is_named = true,
            _ if w.atoms.name(atom) == "compressed" => table.is_compressed = true,
            _ => table.protection = protection(atom)?,
        }
        return Some(());
    }
    match w.heap.elements(option)? {
        [tag, value] => match w.atoms.name(tag.as_atom()?) {
            "keypos" => {
                table.key_position = value.as_usize().filter(|it| (1..1 << 59).contains(it))?;
            }
            "read_concurrency" => table.read_concurrency = value.as_bool()?,
            // A debug option that fixes the number of locks; it implies write concurrency.
            "write_concurrency" if w.heap.elements(*value).is_some() => {
                let Some([name, n]) = w.heap.elements(*value) else { return None };
                let is_known = name
                    .as_atom()
                    .is_some_and(|it| w.atoms.name(it) == "debug_hash_fixed_number_of_locks");
                let n = n.as_usize().filter(|it| is_known && (1..=32_768).contains(it))?;
                table.write_concurrency = AtomId::TRUE;
                table.n_locks = Some((1 << n.ilog2()).max(MIN_LOCKS));
            }
            "write_concurrency" => {
                let atom = value.as_atom()?;
                if value.as_bool().is_none() && w.atoms.name(atom) != "auto" {
                    return None;
                }
                table.write_concurrency = atom;
                table.n_locks = None;
            }
            "decentralized_counters" => *decentralized = Some(value.as_bool()?),
            "heir" if value.is_atom(AtomId::NONE) => table.heir = None,
            _ => return None,
        },
        [tag, pid, data] if tag.is_atom(AtomId::HEIR) => {
            let heir = Heir { pid: w.local_pid(*pid).ok()?, data: *data };
            table.heir = w.is_alive(heir.pid).then_some(heir);
        }
        _ => return None,
    }
    Some(())
}

pub(super) fn protection(atom: AtomId) -> Option<Protection> {
    match atom {
        AtomId::PUBLIC => Some(Protection::Public),
        AtomId::PROTECTED => Some(Protection::Protected),
        AtomId::PRIVATE => Some(Protection::Private),
        _ => None,
    }
}

pub(super) fn rename(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    let name = badarg(arg(args, 1).as_atom())?;
    let table = badarg(w.run.ets.tables.get_mut(&id))?;
    if table.is_named {
        let here = id.owner.node();
        if w.run.ets.names.contains_key(&(here, name)) {
            return Err(Fault::BADARG);
        }
        w.run.ets.names.remove(&(here, table.name));
        w.run.ets.names.insert((here, name), id);
    }
    table.name = name;
    Ok(table.called())
}

pub(super) fn whereis(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let name = badarg(arg(args, 0).as_atom())?;
    let id = named(w, name)?;
    Ok(id.map_or(Value::atom(AtomId::UNDEFINED), Value::reference))
}

pub(super) fn all(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let here = w.here();
    let own = w.run.ets.tables.values().filter(|it| it.id.owner.node() == here);
    let names: Vec<Value> = own.map(Table::called).collect();
    Ok(w.heap.list(&names))
}

pub(super) fn delete(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    let n_objects = w.run.ets.tables.get(&id).map_or(0, |it| it.rows.len() + it.tombstones.len());
    w.add_work(n_objects);
    destroy(w, id);
    Ok(Value::TRUE)
}
