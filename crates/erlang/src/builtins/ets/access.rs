//! Finds the table that a program names, checks access, and follows symbolic keys.

use crate::builtins::Fault;
use crate::builtins::ets::table::{Table, TableKind};
use crate::builtins::handles::is_table;
use crate::code::Cmp;
use crate::machine::World;
use term::Op;
use trace::Mode;
use values::{AtomId, RefId, Value, compare_value};

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
        follow_order(w, id, None);
    }
    Ok(id)
}

/// Records how the keys of a table and `other`, if given, are ordered: the comparison of each pair of keys with a
/// symbolic one is a choice. If there are too many keys or pairs, the symbolic keys are pinned instead.
pub(super) fn follow_order(w: &mut World, id: RefId, other: Option<Value>) {
    if w.record.is_none() {
        return;
    }
    let Some(table) = w.run.ets.tables.get(&id) else { return };
    let other = other.filter(|it| w.is_symbolic(*it));
    if other.is_none() && !table.entered.has_symbolic() {
        return;
    }
    let is_ordered = table.kind == TableKind::OrderedSet;
    let is_there = |it: &Value| table.has(&w.heap, &w.atoms, *it);
    let entered = table.entered.keys().map(|it| it.iter().copied().filter(is_there));
    let keys: Option<Vec<Value>> = entered.map(|it| it.chain(other).collect());
    let mut pairs = Vec::new();
    for (n, first) in keys.iter().flatten().enumerate() {
        let later = keys.iter().flatten().skip(n + 1).map(|it| (*first, *it));
        pairs.extend(later.filter(|it| w.is_symbolic(it.0) || w.is_symbolic(it.1)));
    }
    if keys.is_none() || MAX_PAIRS < pairs.len() {
        other.into_iter().for_each(|it| w.look_at("a key of a large ETS table", it));
        return pin_keys(w, id);
    }
    for (a, b) in pairs {
        let order = compare_value(&w.heap, &w.atoms, a, b);
        w.compare_values(Cmp::Less, (a, b), order.is_lt());
        // The keys of a table that is not ordered may be an integer and a float that compare equal.
        if !is_ordered && order.is_ge() {
            w.compare_values(Cmp::Equal, (a, b), order.is_eq());
        }
    }
}

/// The maximum number of pairs of keys whose comparisons are recorded as choices. If there are more, the keys are
/// pinned.
const MAX_PAIRS: usize = 32;

fn pin_keys(w: &mut World, id: RefId) {
    if w.record.is_some()
        && let Some(table) = w.run.ets.tables.get_mut(&id)
        && table.entered.settle()
    {
        let keys: Vec<Value> = table.rows.iter().filter_map(|it| table.key(&w.heap, it)).collect();
        keys.into_iter().for_each(|it| w.look_at("keys of an ETS table", it));
    }
}

/// Records which object has the key: each comparison whose result depends on the input is a choice.
pub(super) fn follow_key(w: &mut World, id: RefId, key: Value, need: Access) {
    follow_meeting(w, id, key, need);
    let Some(table) = w.run.ets.tables.get(&id) else { return };
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

/// Records whether the key equals one that another process used before in a conflicting access (one of the two wrote)
/// while schedules are searched. Each comparison with a symbolic key is a choice, because the order of the two
/// processes matters only if the keys are equal.
fn follow_meeting(w: &mut World, id: RefId, key: Value, need: Access) {
    if w.record.is_none() || w.run.schedule.is_none() {
        return;
    }
    let mode = if need == Access::Write { Mode::Write } else { Mode::Read };
    let (who, is_symbolic) = (w.run.current, w.is_symbolic(key));
    let Some(table) = w.run.ets.tables.get_mut(&id) else { return };
    let op = if table.kind == TableKind::OrderedSet { Op::Equal } else { Op::Same };
    match table.entered.ask(key, who, mode) {
        Some(earlier) => w.compare_keys(op, key, &earlier),
        None if is_symbolic => w.look_at("a key of a table that is asked for many", key),
        None => (),
    }
}

/// Returns the id of a table for an access that uses the table's key alone, not the order of its keys.
pub(super) fn find_by_key(w: &mut World, table: Value, need: Access) -> Result<RefId, Fault> {
    let id = match table.as_atom() {
        Some(name) => named(w, name)?,
        None if is_table(table) => table.as_ref().filter(|it| it.owner.node() == w.here()),
        None => return Err(caused(w, "type")),
    };
    let Some(found) = id.and_then(|it| w.run.ets.tables.get(&it)) else {
        return Err(caused(w, "id"));
    };
    if w.run.ets.is_open(found, w.run.current, need) {
        return Ok(found.id);
    }
    Err(caused(w, "access"))
}

/// Returns the table with a name; suspends the builtin if a system process that is not started yet owns it.
pub(super) fn named(w: &mut World, name: AtomId) -> Result<Option<RefId>, Fault> {
    let found = w.run.ets.names.get(&(w.here(), name)).copied();
    if found.is_none() {
        w.need_table(name)?;
    }
    Ok(found)
}

/// Returns a table that was found before.
pub(super) fn table(w: &World, id: RefId) -> Result<&Table, Fault> {
    w.run.ets.tables.get(&id).ok_or(Fault::BADARG)
}
