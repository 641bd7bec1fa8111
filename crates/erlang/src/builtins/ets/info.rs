//! What a table says about itself.

use crate::builtins::Fault;
use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::clock;
use crate::builtins::ets::access::{Need, find, table};
use crate::builtins::ets::table::{Kind, Protection, Table};
use crate::builtins::ets::walk::MIN_SLOTS;
use crate::data::{AtomId, RefId, Value};
use crate::machine::World;

/// In the order of `ets:info/1`.
const ITEMS: &[&str] = &[
    "id",
    "decentralized_counters",
    "read_concurrency",
    "write_concurrency",
    "compressed",
    "memory",
    "owner",
    "heir",
    "name",
    "size",
    "node",
    "named_table",
    "type",
    "keypos",
    "protection",
];

pub(super) fn info(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let Some(id) = known(w, arg(args, 0))? else { return Ok(Value::atom(AtomId::UNDEFINED)) };
    let mut pairs = Vec::with_capacity(ITEMS.len());
    for name in ITEMS {
        let value = badarg(item(w, id, name)?)?;
        let key = Value::atom(w.atoms.intern(name));
        pairs.push(w.heap.tuple(&[key, value]));
    }
    Ok(w.heap.list(&pairs))
}

pub(super) fn info_item(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let Some(id) = known(w, arg(args, 0))? else { return Ok(Value::atom(AtomId::UNDEFINED)) };
    let name = w.atoms.name(badarg(arg(args, 1).as_atom())?).to_owned();
    badarg(item(w, id, &name)?)
}

/// The large binaries of the objects with a key: as on BEAM, small ones do not count, and here
/// none is shared outside the heap.
pub(super) fn binaries_of(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    find(w, arg(args, 0), Need::Read)?;
    Ok(Value::NIL)
}

/// The table; `None` if it is gone.
fn known(w: &mut World, table: Value) -> Result<Option<RefId>, Fault> {
    let id_cause = w.atoms.intern("id");
    match find(w, table, Need::Nothing) {
        Ok(id) => Ok(Some(id)),
        Err(Fault::Caused(_, cause)) if cause == id_cause => Ok(None),
        Err(fault) => Err(fault),
    }
}

fn item(w: &mut World, id: RefId, name: &str) -> Result<Option<Value>, Fault> {
    let found = table(w, id)?;
    let count = |n: usize| Value::int(i64::try_from(n).unwrap_or(i64::MAX));
    Ok(Some(match name {
        "id" => Value::reference(id),
        "decentralized_counters" => Value::bool(found.decentralized_counters),
        "read_concurrency" => Value::bool(found.read_concurrency),
        "write_concurrency" => Value::atom(found.write_concurrency),
        "compressed" => Value::bool(found.is_compressed),
        "memory" => count(words(w, found)),
        "owner" => Value::pid(found.owner),
        "heir" => found.heir.map_or(Value::atom(AtomId::NONE), |it| Value::pid(it.pid)),
        "name" => Value::atom(found.name),
        "size" => count(found.rows.len()),
        "node" => Value::atom(w.node_name(w.here())),
        "named_table" => Value::bool(found.is_named),
        "type" => Value::atom(match found.kind {
            Kind::Set => AtomId::SET,
            Kind::OrderedSet => AtomId::ORDERED_SET,
            Kind::Bag => AtomId::BAG,
            Kind::DuplicateBag => AtomId::DUPLICATE_BAG,
        }),
        "keypos" => count(found.key_position),
        "protection" => Value::atom(match found.protection {
            Protection::Public => AtomId::PUBLIC,
            Protection::Protected => AtomId::PROTECTED,
            Protection::Private => AtomId::PRIVATE,
        }),
        "fixed" => Value::bool(found.is_fixed()),
        // On BEAM, `data` prints the table for debugging of the runtime itself.
        "data" => Value::TRUE,
        "binary" => Value::NIL,
        "stats" if found.kind == Kind::OrderedSet => Value::FALSE,
        "stats" => {
            // At most one object in a slot: there is no hashing here.
            let (n, kept) = (found.rows.len(), count(found.ghosts.len()));
            let slots = n.max(MIN_SLOTS);
            let filled = if n == 0 { 0.0 } else { per_slot(n, slots) };
            let (least, most) = (Value::int(i64::from(n == slots)), Value::int(i64::from(n > 0)));
            let (filled, even) = (Value::float(filled), Value::float(0.0));
            w.heap.tuple(&[count(slots), filled, even, even, least, most, kept, Value::int(1)])
        }
        "safe_fixed" | "safe_fixed_monotonic_time" => {
            let (fixed_by, since) = (found.fixed_by.clone(), found.fixed_since);
            if fixed_by.is_empty() {
                return Ok(Some(Value::FALSE));
            }
            let pairs: Vec<Value> = fixed_by
                .iter()
                .map(|it| w.heap.tuple(&[Value::pid(it.0), Value::int(i64::from(it.1))]))
                .collect();
            let pairs = w.heap.list(&pairs);
            let since = match name {
                "safe_fixed" => clock::timestamp_of(w, since),
                _ => Value::int(since),
            };
            w.heap.tuple(&[since, pairs])
        }
        _ => return Ok(None),
    }))
}

#[expect(clippy::cast_precision_loss, reason = "tables have fewer objects than that")]
fn per_slot(n: usize, slots: usize) -> f64 {
    n as f64 / slots as f64
}

/// BEAM's words for a table of small objects; what lies inside elements is not counted.
fn words(w: &World, table: &Table) -> usize {
    let (empty, each) = if table.kind == Kind::OrderedSet { (139, 6) } else { (305, 5) };
    let arity = |it: Value| w.heap.elements(it).map_or(0, <[Value]>::len);
    empty + table.rows.iter().map(|it| arity(it) + each).sum::<usize>()
}
