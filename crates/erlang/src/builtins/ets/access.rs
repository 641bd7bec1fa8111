//! Finding the table that a program means, if it may touch it.

use crate::builtins::Fault;
use crate::builtins::ets::table::{Protection, Table};
use crate::builtins::handles::is_table;
use crate::data::{AtomId, RefId, Value};
use crate::machine::World;

/// What the caller wants of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// To know about it.
    Nothing,
    Read,
    Write,
}

/// `badarg` with what OTP's error descriptions call the cause.
pub(super) fn caused(w: &mut World, cause: &str) -> Fault {
    Fault::Caused(Value::atom(AtomId::BADARG), w.atoms.intern(cause))
}

pub(super) fn find(w: &mut World, table: Value, need: Need) -> Result<RefId, Fault> {
    let id = match table.as_atom() {
        Some(name) => named(w, name)?,
        None if is_table(table) => table.as_ref(),
        None => return Err(caused(w, "type")),
    };
    let Some(found) = id.and_then(|it| w.ets.tables.get(&it)) else {
        return Err(caused(w, "id"));
    };
    if may(w, found, need) {
        return Ok(found.id);
    }
    Err(caused(w, "access"))
}

/// The table that has a name now, or will once its owner is started.
pub(super) fn named(w: &mut World, name: AtomId) -> Result<Option<RefId>, Fault> {
    let found = w.ets.names.get(&name).copied();
    if found.is_none() {
        w.need_table(name)?;
    }
    Ok(found)
}

fn may(w: &World, table: &Table, need: Need) -> bool {
    let open = match table.protection {
        Protection::Public => true,
        Protection::Protected => need != Need::Write,
        Protection::Private => need == Need::Nothing,
    };
    open || table.owner == w.current || w.ets.super_users.contains(&w.current)
}

/// A table that [`find`] has found.
pub(super) fn table(w: &World, id: RefId) -> Result<&Table, Fault> {
    w.ets.tables.get(&id).ok_or(Fault::BADARG)
}
