//! Ownership of tables: giving them away, heirs, and protection.

use crate::builtins::Fault;
use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::ets::access::{Access, caused, find_by_key, table};
use crate::builtins::ets::create::protection;
use crate::builtins::ets::table::{Heir, Protection, transfer};
use crate::machine::World;
use values::{AtomId, Value};

pub(super) fn give_away(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (to, gift) = (arg(args, 1), arg(args, 2));
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    let owner = table(w, id)?.owner;
    let to = w.local_pid(to)?;
    if owner != w.run.current {
        return Err(caused(w, "not_owner"));
    }
    if to == w.run.current {
        return Err(caused(w, "owner"));
    }
    if !w.is_alive(to) {
        return Err(Fault::BADARG);
    }
    transfer(w, id, to, gift);
    Ok(Value::TRUE)
}

/// `ets:setopts/2`: one option or a list, each kind at most once.
pub(super) fn set_options(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find_by_key(w, arg(args, 0), Access::Write)?;
    let options = arg(args, 1);
    let options = if options.is_cons() || options.is_nil() {
        badarg(w.heap.list_items(options))?
    } else {
        vec![options]
    };
    let mut heir: Option<Option<Heir>> = None;
    let mut access: Option<Protection> = None;
    for option in options {
        match w.heap.elements(option) {
            Some([tag, value]) if tag.is_atom(AtomId::HEIR) && value.is_atom(AtomId::NONE) => {
                once(&mut heir, None)?;
            }
            Some([tag, pid, data]) if tag.is_atom(AtomId::HEIR) => {
                let pid = w.local_pid(*pid)?;
                once(&mut heir, w.is_alive(pid).then_some(Heir { pid, data: *data }))?;
            }
            Some([tag, value])
                if tag.as_atom().is_some_and(|it| w.atoms.name(it) == "protection") =>
            {
                once(&mut access, badarg(value.as_atom().and_then(protection))?)?;
            }
            _ => return Err(Fault::BADARG),
        }
    }
    let current = w.run.current;
    let table = badarg(w.run.ets.tables.get_mut(&id))?;
    if table.owner != current {
        return Err(Fault::BADARG);
    }
    table.heir = heir.unwrap_or(table.heir);
    table.protection = access.unwrap_or(table.protection);
    Ok(Value::TRUE)
}

fn once<T>(slot: &mut Option<T>, value: T) -> Result<(), Fault> {
    if slot.replace(value).is_some() { Err(Fault::BADARG) } else { Ok(()) }
}

/// `erts_internal:ets_super_user/1`, which lets `observer` look into private tables.
pub(super) fn super_user(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    if badarg(arg(args, 0).as_bool())? {
        w.run.ets.super_users.insert(w.run.current);
    } else {
        w.run.ets.super_users.remove(&w.run.current);
    }
    Ok(Value::atom(AtomId::OK))
}
