//! The tables: their properties, owners and names.
//!
//! A set is kept in key order like an ordered set, but compares keys with `=:=` where that uses `==`. BEAM leaves the
//! order of a set open; ours depends on the keys only.

use crate::builtins::ets::access::Access;
use crate::builtins::ets::rows::{RowPosition, Rows};
use crate::builtins::ets::spec::Program;
use crate::builtins::handles::HandleKind;
use crate::machine::{Entered, World};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use values::{
    AtomId, Atoms, Forked, Heap, NodeId, PidId, RefId, Value, compare_exact, compare_value,
    equal_exact,
};

#[derive(Clone, Debug, Default)]
pub struct Tables {
    pub(super) tables: Forked<RefId, Table>,
    pub(super) names: FxHashMap<(NodeId, AtomId), RefId>,
    pub(super) specs: Specs,
    /// Processes that may access any table, whatever its protection.
    pub(super) super_users: BTreeSet<PidId>,
}

#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) id: RefId,
    pub(super) name: AtomId,
    pub(super) is_named: bool,
    pub(super) kind: TableKind,
    pub(super) protection: Protection,
    /// The position of the key in an object, counted from one.
    pub(super) key_position: usize,
    pub(super) owner: PidId,
    pub(super) heir: Option<Heir>,
    pub(super) is_compressed: bool,
    pub(super) read_concurrency: bool,
    /// `true`, `false` or `auto`.
    pub(super) write_concurrency: AtomId,
    /// The number of locks, if an option has set it.
    pub(super) n_locks: Option<usize>,
    pub(super) decentralized_counters: bool,
    pub(super) rows: Rows,
    /// The inserted keys and the earlier requests for keys, for the comparisons that a recorded run makes into
    /// choices.
    pub(super) entered: Entered,
    /// The objects deleted while the table was fixed, so that `next` can continue from their keys.
    pub(super) tombstones: Rows,
    /// The processes that have fixed the table, and how often each has.
    pub(super) fixed_by: Vec<(PidId, u32)>,
    /// The monotonic time in nanoseconds when the table was first fixed.
    pub(super) fixed_since: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableKind {
    Set,
    OrderedSet,
    Bag,
    DuplicateBag,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protection {
    Public,
    Protected,
    Private,
}

/// The process that inherits the table when its owner ends, and the data sent to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heir {
    pub(super) pid: PidId,
    pub(super) data: Value,
}

/// The compiled match specifications that programs refer to, directly or in a continuation.
///
/// Equal specifications share a reference, so a program that repeats the same query does not use more memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Specs {
    by_id: BTreeMap<RefId, Arc<Program>>,
    /// The source terms in term order, with the reference of each at the same index in `ids`.
    sources: Vec<Value>,
    ids: Vec<RefId>,
}

impl Tables {
    /// Iterates over the tables, each with its name and objects.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (AtomId, Vec<Value>)> {
        self.tables.values().map(|it| (it.name, it.rows.iter().collect()))
    }

    pub fn len(&self) -> usize {
        self.tables.len()
    }

    /// Estimates the bytes of the rows without the objects.
    pub(crate) fn bytes(&self) -> usize {
        self.tables.values().map(|it| it.rows.len() * 2 * size_of::<Value>()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    fn named(&self, here: NodeId, table: Value) -> Option<&Table> {
        let by_name = || self.names.get(&(here, table.as_atom()?)).copied();
        let id = table.as_ref().or_else(by_name)?;
        self.tables.get(&id)
    }

    pub(crate) fn id_of(&self, here: NodeId, table: Value) -> Option<RefId> {
        self.named(here, table).map(|it| it.id)
    }

    /// Whether a process may read a table or, if `writes` is set, write to it.
    pub(crate) fn lets(&self, here: NodeId, table: Value, who: PidId, writes: bool) -> bool {
        let need = if writes { Access::Write } else { Access::Read };
        self.named(here, table).is_some_and(|it| self.is_open(it, who, need))
    }

    pub(super) fn is_open(&self, table: &Table, who: PidId, need: Access) -> bool {
        let is_open = match table.protection {
            Protection::Public => true,
            Protection::Protected => need != Access::Write,
            Protection::Private => need == Access::Nothing,
        };
        is_open || table.owner == who || self.super_users.contains(&who)
    }

    /// Returns the position of the key in the objects, counted from one.
    pub(crate) fn key_position(&self, here: NodeId, table: Value) -> Option<usize> {
        self.named(here, table).map(|it| it.key_position)
    }

    pub(crate) fn owner_of(&self, here: NodeId, table: Value) -> Option<PidId> {
        self.named(here, table).map(|it| it.owner)
    }

    pub(crate) fn heir_of(&self, here: NodeId, table: Value) -> Option<PidId> {
        self.named(here, table).and_then(|it| it.heir).map(|it| it.pid)
    }

    /// Whether there is an object with the same key as `object`.
    pub(crate) fn has_key_of(
        &self,
        here: NodeId,
        heap: &Heap,
        atoms: &Atoms,
        (table, object): (Value, Value),
    ) -> bool {
        let key = |it: &Table| it.key(heap, object).is_some_and(|key| it.has(heap, atoms, key));
        self.named(here, table).is_some_and(key)
    }

    pub(crate) fn has_key(
        &self,
        here: NodeId,
        heap: &Heap,
        atoms: &Atoms,
        (table, key): (Value, Value),
    ) -> bool {
        self.named(here, table).is_some_and(|it| it.has(heap, atoms, key))
    }

    /// Returns the name of a named table; `None` for other tables.
    pub(crate) fn name_of(&self, here: NodeId, table: Value) -> Option<AtomId> {
        self.named(here, table).filter(|it| it.is_named).map(|it| it.name)
    }

    pub(crate) fn owned_by(&self, pid: PidId) -> impl Iterator<Item = RefId> {
        self.tables.values().filter(move |it| it.owner == pid).map(|it| it.id)
    }

    /// Visits all values in tables as roots of a collection.
    pub fn visit_roots(&mut self, visit: &mut dyn FnMut(&mut [Value])) {
        for table in self.tables.values_mut() {
            table.rows.visit_roots(visit);
            table.tombstones.visit_roots(visit);
            table.entered.visit(visit);
            if let Some(heir) = &mut table.heir {
                visit(std::slice::from_mut(&mut heir.data));
            }
        }
        visit(&mut self.specs.sources);
        for program in self.specs.by_id.values_mut() {
            visit(&mut Arc::make_mut(program).constants);
        }
    }
}

/// Gives the tables of a process that ended to their heirs, and destroys those without one.
pub fn owner_died(w: &mut World, pid: PidId) {
    w.run.ets.super_users.remove(&pid);
    let has_fixed = |it: &&Table| it.fixed_by.iter().any(|it| it.0 == pid);
    let fixed: Vec<RefId> = w.run.ets.tables.values().filter(has_fixed).map(|it| it.id).collect();
    for id in fixed {
        if let Some(table) = w.run.ets.tables.get_mut(&id) {
            table.fixed_by.retain(|it| it.0 != pid);
            table.forget_tombstones();
        }
    }
    let owned: Vec<RefId> = w.run.ets.owned_by(pid).collect();
    for id in owned {
        give_up(w, id);
    }
}

/// Gives a table to its heir or destroys it, because its owner ends.
pub(crate) fn give_up(w: &mut World, id: RefId) {
    let Some(Table { owner, heir, .. }) = w.run.ets.tables.get(&id) else { return };
    let owner = *owner;
    match heir.filter(|it| it.pid != owner && w.is_alive(it.pid)) {
        Some(heir) => transfer(w, id, heir.pid, heir.data),
        None => destroy(w, id),
    }
}

/// Makes a process the owner of a table and sends it the `ETS-TRANSFER` message.
pub(super) fn transfer(w: &mut World, id: RefId, to: PidId, data: Value) {
    let Some(table) = w.run.ets.tables.get_mut(&id) else { return };
    let (from, name) = (table.owner, table.called());
    table.owner = to;
    let tag = Value::atom(w.atoms.intern("ETS-TRANSFER"));
    let message = w.heap.tuple(&[tag, name, Value::pid(from), data]);
    w.send(to, message);
}

pub(super) fn destroy(w: &mut World, id: RefId) {
    if let Some(table) = w.run.ets.tables.remove(&id)
        && table.is_named
    {
        w.run.ets.names.remove(&(id.owner.node(), table.name));
    }
}

impl Table {
    /// Returns the table's identifier for programs: its name if it is named, otherwise its reference.
    pub(super) fn called(&self) -> Value {
        if self.is_named { Value::atom(self.name) } else { Value::reference(self.id) }
    }

    pub(super) fn is_fixed(&self) -> bool {
        !self.fixed_by.is_empty()
    }

    pub(super) fn forget_tombstones(&mut self) {
        if !self.is_fixed() {
            self.tombstones = Rows::default();
        }
    }

    /// Whether a key has at most one object.
    pub(super) fn is_unique(&self) -> bool {
        matches!(self.kind, TableKind::Set | TableKind::OrderedSet)
    }

    pub(super) fn key(&self, heap: &Heap, object: Value) -> Option<Value> {
        heap.elements(object)?.get(self.key_position - 1).copied()
    }

    /// Compares an object's key with a key, in the order of this kind of table.
    pub(super) fn order(&self, heap: &Heap, atoms: &Atoms, object: Value, key: Value) -> Ordering {
        let own = self.key(heap, object).unwrap_or(Value::NIL);
        // Fast path for the most common keys (measured with `ets_SUITE:heavy_lookup`).
        if let (Some(own), Some(key)) = (own.as_int(), key.as_int()) {
            return own.cmp(&key);
        }
        if self.kind == TableKind::OrderedSet {
            compare_value(heap, atoms, own, key)
        } else {
            compare_exact(heap, atoms, own, key)
        }
    }

    pub(super) fn lower(&self, heap: &Heap, atoms: &Atoms, key: Value) -> RowPosition {
        self.rows.lower(|row| self.order(heap, atoms, row, key))
    }

    pub(super) fn upper(&self, heap: &Heap, atoms: &Atoms, key: Value) -> RowPosition {
        self.rows.upper(|row| self.order(heap, atoms, row, key))
    }

    /// Returns the objects with a key.
    pub(super) fn find(&self, heap: &Heap, atoms: &Atoms, key: Value) -> Vec<Value> {
        let from = self.lower(heap, atoms, key);
        if self.is_unique() {
            return self.at_key(heap, atoms, from, key).into_iter().collect();
        }
        self.rows.between(from, self.upper(heap, atoms, key))
    }

    /// Returns the object at a position, or `None` if it has another key.
    fn at_key(&self, heap: &Heap, atoms: &Atoms, place: RowPosition, key: Value) -> Option<Value> {
        self.rows.get(place).filter(|it| self.order(heap, atoms, *it, key).is_eq())
    }

    pub(super) fn has(&self, heap: &Heap, atoms: &Atoms, key: Value) -> bool {
        self.at_key(heap, atoms, self.lower(heap, atoms, key), key).is_some()
    }

    /// Whether the table has the key or had it since it was fixed.
    pub(super) fn had(&self, heap: &Heap, atoms: &Atoms, key: Value) -> bool {
        let place = self.tombstones.lower(|row| self.order(heap, atoms, row, key));
        let tombstone = self.tombstones.get(place);
        tombstone.is_some_and(|it| self.order(heap, atoms, it, key).is_eq())
            || self.has(heap, atoms, key)
    }

    pub(super) fn insert(&mut self, heap: &Heap, atoms: &Atoms, object: Value) {
        let Some(key) = self.key(heap, object) else { return };
        match self.kind {
            TableKind::Set | TableKind::OrderedSet => {
                let place = self.lower(heap, atoms, key);
                if self.at_key(heap, atoms, place, key).is_some() {
                    self.rows.replace(place, object);
                } else {
                    self.rows.insert(place, object);
                }
            }
            TableKind::Bag => {
                let same = self.find(heap, atoms, key);
                if !same.iter().any(|it| equal_exact(heap, atoms, *it, object)) {
                    self.rows.insert(self.upper(heap, atoms, key), object);
                }
            }
            TableKind::DuplicateBag => self.rows.insert(self.upper(heap, atoms, key), object),
        }
        debug_assert!(
            self.rows.len() > 512 || self.rows.is_sound(),
            "the invariant of the rows holds"
        );
    }

    /// Removes the objects at these positions, which must be in ascending order.
    pub(super) fn remove_at(&mut self, heap: &Heap, atoms: &Atoms, places: &[RowPosition]) {
        for place in places.iter().rev() {
            if let Some(row) = self.rows.remove(*place) {
                self.remember(heap, atoms, row);
            }
        }
    }

    /// Removes the objects with a key for which the condition holds.
    pub(super) fn remove_where(
        &mut self,
        heap: &Heap,
        atoms: &Atoms,
        key: Value,
        condition: impl Fn(Value) -> bool,
    ) {
        let to = self.upper(heap, atoms, key);
        let mut place = self.lower(heap, atoms, key);
        let mut doomed = Vec::new();
        while place < to
            && let Some(row) = self.rows.get(place)
        {
            if condition(row) {
                doomed.push(place);
            }
            place = self.rows.after(place);
        }
        self.remove_at(heap, atoms, &doomed);
    }

    pub(super) fn clear(&mut self, heap: &Heap, atoms: &Atoms) {
        for row in std::mem::take(&mut self.rows).iter() {
            self.remember(heap, atoms, row);
        }
    }

    fn remember(&mut self, heap: &Heap, atoms: &Atoms, row: Value) {
        if !self.is_fixed() || self.kind == TableKind::OrderedSet {
            return;
        }
        if let Some(key) = self.key(heap, row) {
            let place = self.tombstones.lower(|it| self.order(heap, atoms, it, key));
            self.tombstones.insert(place, row);
        }
    }
}

impl Specs {
    pub(super) fn get(&self, id: Value) -> Option<Arc<Program>> {
        self.by_id.get(&id.as_ref()?).cloned()
    }
}

/// Returns the reference of a compiled match specification, making one if it is new.
pub(super) fn keep_spec(w: &mut World, source: Value, program: &Arc<Program>) -> Value {
    let specs = &w.run.ets.specs;
    let place = specs.sources.binary_search_by(|it| compare_exact(&w.heap, &w.atoms, *it, source));
    match place {
        Ok(place) => specs.ids.get(place).map_or(Value::NIL, |it| Value::reference(*it)),
        Err(place) => {
            let id = w.run.handles.make(w.run.current, HandleKind::Other);
            let specs = &mut w.run.ets.specs;
            specs.sources.insert(place, source);
            specs.ids.insert(place, id);
            specs.by_id.insert(id, Arc::clone(program));
            Value::reference(id)
        }
    }
}
