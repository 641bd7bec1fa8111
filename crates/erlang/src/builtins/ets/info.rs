//! `ets:info`: the properties of a table.

use crate::builtins::Fault;
use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::clock;
use crate::builtins::debug::flat_words;
use crate::builtins::ets::access::{Access, find, table};
use crate::builtins::ets::table::{Protection, Table, TableKind};
use crate::builtins::ets::walk::{MIN_SLOTS, n_slots};
use crate::machine::World;
use std::collections::BTreeMap;
use values::{AtomId, RefId, Value, View};

/// The items in the order of `ets:info/1`.
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

/// Returns the large binaries of the objects with a key.
pub(super) fn binaries_of(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = find(w, arg(args, 0), Access::Read)?;
    let objects = table(w, id)?.find(&w.heap, &w.atoms, arg(args, 1));
    Ok(binaries(w, &objects))
}

/// Makes `[{Address, Bytes, References}]` of the binaries that BEAM keeps outside the heaps. Each object of a table
/// counts as one reference, and all processes together as one.
fn binaries(w: &mut World, objects: &[Value]) -> Value {
    let within = |w: &World, objects: &[Value]| {
        let (mut todo, mut found) = (objects.to_vec(), Vec::new());
        while let Some(next) = todo.pop() {
            if let View::Bits(at) = next.view() {
                found.extend(w.heap.outside_binary(at));
            }
            w.heap.push_parts(next, &mut todo);
        }
        found
    };
    let mut found = within(w, objects);
    found.reverse();
    let tables = w.run.ets.tables.values();
    let all: Vec<Value> =
        tables.flat_map(|it| it.rows.iter().chain(it.tombstones.iter())).collect();
    let mut references: BTreeMap<u32, i64> = BTreeMap::new();
    for (buffer, _) in within(w, &all) {
        *references.entry(buffer).or_insert(1) += 1;
    }
    let mut rows = Vec::with_capacity(found.len());
    for (buffer, bytes) in found {
        let bytes = Value::int(i64::try_from(bytes).unwrap_or(i64::MAX));
        let n = Value::int(references.get(&buffer).copied().unwrap_or(1));
        rows.push(w.heap.tuple(&[Value::int(i64::from(buffer)), bytes, n]));
    }
    w.heap.list(&rows)
}

/// Returns the table, or `None` if it no longer exists.
fn known(w: &mut World, table: Value) -> Result<Option<RefId>, Fault> {
    let id_cause = w.atoms.intern("id");
    match find(w, table, Access::Nothing) {
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
        "write_concurrency" => match found.n_locks {
            Some(n) => {
                let name = Value::atom(w.atoms.intern("debug_hash_fixed_number_of_locks"));
                w.heap.tuple(&[name, count(n)])
            }
            None => Value::atom(found.write_concurrency),
        },
        "compressed" => Value::bool(found.is_compressed),
        "memory" => count(words(w, found)),
        "owner" => Value::pid(found.owner),
        "heir" => found.heir.map_or(Value::atom(AtomId::NONE), |it| Value::pid(it.pid)),
        "name" => Value::atom(found.name),
        "size" => count(found.rows.len()),
        "node" => Value::atom(w.node_name(w.here())),
        "named_table" => Value::bool(found.is_named),
        "type" => Value::atom(match found.kind {
            TableKind::Set => AtomId::SET,
            TableKind::OrderedSet => AtomId::ORDERED_SET,
            TableKind::Bag => AtomId::BAG,
            TableKind::DuplicateBag => AtomId::DUPLICATE_BAG,
        }),
        "keypos" => count(found.key_position),
        "protection" => Value::atom(match found.protection {
            Protection::Public => AtomId::PUBLIC,
            Protection::Protected => AtomId::PROTECTED,
            Protection::Private => AtomId::PRIVATE,
        }),
        "fixed" => Value::bool(found.is_fixed()),
        // On BEAM, `data` prints the table for debugging the runtime itself.
        "data" => Value::TRUE,
        "binary" => {
            let all: Vec<Value> = found.rows.iter().chain(found.tombstones.iter()).collect();
            binaries(w, &all)
        }
        "stats" if found.kind == TableKind::OrderedSet => Value::FALSE,
        "stats" => {
            // Each slot holds at most one object, because our tables do not hash.
            let (n, kept) = (found.rows.len(), count(found.tombstones.len()));
            let slots = n_slots(found);
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

#[expect(clippy::cast_precision_loss, reason = "tables have fewer than 2^53 objects")]
fn per_slot(n: usize, slots: usize) -> f64 {
    n as f64 / slots as f64
}

/// Returns BEAM's words for a table on two schedulers: the table with its locks and counters, its slots, and its
/// objects.
fn words(w: &World, table: &Table) -> usize {
    let is_locked = table.write_concurrency != AtomId::FALSE;
    let is_ordered = table.kind == TableKind::OrderedSet;
    let (itself, for_readers, each) = match (is_ordered, is_locked) {
        (true, false) => (139, 32, 5),
        (true, true) => (99, 32, 5),
        (false, false) => (305, 32, 4),
        (false, true) => (1361, 2048, 4),
    };
    let readers = if table.read_concurrency { for_readers } else { 0 };
    let counters = if table.decentralized_counters { 34 } else { 0 };
    // The first slots are part of the table. Further slots come in blocks, with a table of the blocks.
    let slots = match n_slots(table) - MIN_SLOTS {
        0 => 0,
        _ if is_ordered => 0,
        more => 256 + 6 + more.div_ceil(BLOCK_SLOTS) * BLOCK_SLOTS,
    };
    let words = |it| flat_words(&w.heap, it).unwrap_or(i64::MAX);
    let size = |it| usize::try_from(words(it)).unwrap_or(usize::MAX / 2);
    let objects = table.rows.iter().map(|it| each + size(it));
    itself + readers + counters + slots + objects.sum::<usize>()
}

const BLOCK_SLOTS: usize = 2048;
