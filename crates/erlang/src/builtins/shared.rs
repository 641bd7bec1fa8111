//! State that processes share outside ETS tables: persistent terms, atomics and counters.
//!
//! Only one process runs at a time, so no operation needs to be atomic in the hardware's sense.

use crate::builtins::arithmetic::{add as integer_add, arg, badarg};
use crate::builtins::debug::words_of;
use crate::builtins::handles::HandleKind;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, Stop, inside};
use crate::code::Cmp;
use crate::lift::arithmetic;
use crate::machine::World;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;
use term::{Kind, Op};
use trace::Mode;
use values::{AtomId, NodeId, RefId, Shadow, Value, compare_exact};

pub(super) const ROWS: &[Builtin] = &[
    inside(
        "persistent_term",
        "get",
        0,
        Shares::PersistentTerms(Mode::Read),
        OnBeam::Alike,
        all_terms,
    ),
    inside(
        "persistent_term",
        "get",
        1,
        Shares::PersistentTerm(Mode::Read),
        OnBeam::Alike,
        |w, args| {
            follow_term(w, arg(args, 0));
            badarg(term(w, arg(args, 0)))
        },
    )
    .moves(0),
    inside(
        "persistent_term",
        "get",
        2,
        Shares::PersistentTerm(Mode::Read),
        OnBeam::Alike,
        |w, args| {
            follow_term(w, arg(args, 0));
            Ok(term(w, arg(args, 0)).unwrap_or(arg(args, 1)))
        },
    )
    .moves(0),
    inside(
        "persistent_term",
        "put",
        2,
        Shares::PersistentTerm(Mode::Write),
        OnBeam::Never,
        |w, args| Ok(put_term(w, arg(args, 0), arg(args, 1))),
    )
    .moves(0b1),
    inside(
        "persistent_term",
        "erase",
        1,
        Shares::PersistentTerm(Mode::Write),
        OnBeam::Never,
        |w, args| Ok(erase_term(w, arg(args, 0))),
    ),
    inside(
        "persistent_term",
        "info",
        0,
        Shares::PersistentTerms(Mode::Read),
        OnBeam::Alike,
        terms_info,
    ),
    inside(
        "erts_internal",
        "erase_persistent_terms",
        0,
        Shares::PersistentTerms(Mode::Write),
        OnBeam::Never,
        |w, _| {
            w.run.shared.node_down(w.here());
            Ok(Value::TRUE)
        },
    ),
    inside("erts_internal", "atomics_new", 2, Shares::Nothing, OnBeam::Alike, new_atomics),
    inside("atomics", "put", 3, Shares::Cell(Mode::Write), OnBeam::Alike, |w, args| {
        write(w, Flavour::Atomics, args)
    })
    .moves(0b1),
    inside("atomics", "get", 2, Shares::Cell(Mode::Read), OnBeam::Alike, |w, args| {
        read(w, Flavour::Atomics, args)
    })
    .moves(0b1),
    inside("atomics", "add", 3, Shares::Cell(Mode::Write), OnBeam::Alike, |w, args| {
        increase(w, Flavour::Atomics, args)?;
        Ok(Value::atom(AtomId::OK))
    })
    .moves(0b1),
    inside("atomics", "add_get", 3, Shares::Cell(Mode::Write), OnBeam::Alike, |w, args| {
        increase(w, Flavour::Atomics, args)
    })
    .moves(0b1),
    inside("atomics", "exchange", 3, Shares::Cell(Mode::Write), OnBeam::Alike, exchange).moves(0b1),
    inside(
        "atomics",
        "compare_exchange",
        4,
        Shares::Cell(Mode::Write),
        OnBeam::Alike,
        compare_exchange,
    )
    .moves(0b1),
    inside("atomics", "info", 1, Shares::Nothing, OnBeam::Alike, atomics_info),
    inside("erts_internal", "counters_new", 1, Shares::Nothing, OnBeam::Alike, new_counters),
    inside(
        "erts_internal",
        "counters_put",
        3,
        Shares::Cell(Mode::Write),
        OnBeam::Alike,
        |w, args| write(w, Flavour::Counters, args),
    )
    .moves(0b1),
    inside(
        "erts_internal",
        "counters_get",
        2,
        Shares::Cell(Mode::Read),
        OnBeam::Alike,
        |w, args| read(w, Flavour::Counters, args),
    )
    .moves(0b1),
    inside(
        "erts_internal",
        "counters_add",
        3,
        Shares::Cell(Mode::Write),
        OnBeam::Alike,
        |w, args| {
            increase(w, Flavour::Counters, args)?;
            Ok(Value::atom(AtomId::OK))
        },
    )
    .moves(0b1),
    inside("erts_internal", "counters_info", 1, Shares::Nothing, OnBeam::Alike, counters_info),
];

#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// The persistent terms of each node.
    terms: BTreeMap<NodeId, PersistentTerms>,
    /// Keys and values erased in this slice. They stay roots until the slice is over, and belong to no process.
    erased: Vec<Value>,
    arrays: BTreeMap<RefId, Array>,
}

/// Keys in term order, and the value of each key at the same index.
#[derive(Clone, Debug, Default)]
struct PersistentTerms {
    keys: Vec<Value>,
    values: Vec<Value>,
}

/// An array of 64-bit integers that wrap around on overflow.
#[derive(Clone, Debug)]
struct Array {
    flavour: Flavour,
    is_signed: bool,
    cells: Vec<u64>,
    /// The expressions of the cells whose values depend on the input, by the index of the cell.
    shadows: BTreeMap<usize, Shadow>,
}

/// The module that made an array. The functions of either module refuse arrays of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flavour {
    Atomics,
    Counters,
}

impl Shared {
    /// Visits all persistent terms as roots of a collection.
    pub fn visit_roots(&mut self, visit: &mut dyn FnMut(&mut [Value])) {
        for terms in self.terms.values_mut() {
            visit(&mut terms.keys);
            visit(&mut terms.values);
        }
        visit(&mut self.erased);
    }

    /// Iterates over keys and values of all persistent terms, including those erased in this slice.
    pub(crate) fn persistent(&self) -> impl Iterator<Item = Value> {
        let kept = self.terms.values().flat_map(|it| it.keys.iter().chain(&it.values));
        kept.chain(&self.erased).copied()
    }

    /// Drops the terms erased in the slice that just ended; processes that hold them own them from then on.
    pub(crate) fn give_up_erased(&mut self) {
        self.erased.clear();
    }

    pub(crate) fn node_down(&mut self, node: NodeId) {
        self.terms.remove(&node);
    }
}

// Persistent terms

/// Returns keys and values of the current node's persistent terms.
fn terms(w: &World) -> (&[Value], &[Value]) {
    let found = w.run.shared.terms.get(&w.here());
    found.map_or((&[], &[]), |it| (&it.keys, &it.values))
}

fn place_of(w: &World, key: Value) -> Result<usize, usize> {
    let (keys, _) = terms(w);
    keys.binary_search_by(|it| compare_exact(&w.heap, &w.atoms, *it, key))
}

fn term(w: &World, key: Value) -> Option<Value> {
    terms(w).1.get(place_of(w, key).ok()?).copied()
}

/// Records which stored key a symbolic key equals: each comparison is a choice. Stored keys are constants on the
/// path, because `put/2` pins them. If there are more than [`MAX_KEYS`], the key is pinned instead.
fn follow_term(w: &mut World, key: Value) {
    if !w.is_symbolic(key) {
        return;
    }
    let keys = terms(w).0.to_vec();
    if keys.len() <= MAX_KEYS {
        w.compare_keys(Op::Same, key, &keys);
    } else {
        w.look_at("a key of a persistent term", key);
    }
}

/// The maximum number of keys of persistent terms with which a symbolic key is compared.
const MAX_KEYS: usize = 32;

fn put_term(w: &mut World, key: Value, value: Value) -> Value {
    let place = place_of(w, key);
    let terms = w.run.shared.terms.entry(w.here()).or_default();
    match place {
        Ok(place) => {
            if let Some(slot) = terms.values.get_mut(place) {
                *slot = value;
            }
        }
        Err(place) => {
            terms.keys.insert(place, key);
            terms.values.insert(place, value);
        }
    }
    Value::atom(AtomId::OK)
}

fn erase_term(w: &mut World, key: Value) -> Value {
    let place = place_of(w, key);
    if let (Ok(place), Some(terms)) = (place, w.run.shared.terms.get_mut(&w.here())) {
        let erased = [terms.keys.remove(place), terms.values.remove(place)];
        w.run.shared.erased.extend(erased);
    }
    Value::bool(place.is_ok())
}

fn all_terms(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let (keys, values) = terms(w);
    let pairs: Vec<(Value, Value)> = keys.iter().copied().zip(values.iter().copied()).collect();
    w.add_work(pairs.len());
    let pairs: Vec<Value> = pairs.into_iter().map(|it| w.heap.tuple(&[it.0, it.1])).collect();
    Ok(w.heap.list(&pairs))
}

fn terms_info(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let (keys, values) = terms(w);
    let n = keys.len();
    let words = words_of(&w.heap, keys) + words_of(&w.heap, values);
    let words = usize::try_from(words).unwrap_or(0) + n * TERM_WORDS + term_slots(w);
    Ok(info_map(w, &[("count", count(n)), ("memory", count(words * size_of::<u64>()))]))
}

/// Words that BEAM needs for a persistent term besides its key and value: the pair and its slot.
const TERM_WORDS: usize = 7;

/// Returns the number of slots of BEAM's hash table of persistent terms, at most half of which are in use.
pub(super) fn term_slots(w: &World) -> usize {
    (terms(w).0.len() * 2).next_power_of_two().max(8)
}

fn info_map(w: &mut World, items: &[(&str, Value)]) -> Value {
    let pairs = items.iter().map(|it| (Value::atom(w.atoms.intern(it.0)), it.1)).collect();
    w.heap.map(&w.atoms, pairs)
}

fn count(n: usize) -> Value {
    Value::int(i64::try_from(n).unwrap_or(i64::MAX))
}

// Atomics and counters

/// Makes an array. The second argument is a word of options: its lowest bit says that the numbers are signed.
fn new_atomics(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let options = badarg(arg(args, 1).as_int().filter(|it| *it >= 0))?;
    new_array(w, arg(args, 0), Flavour::Atomics, options & 1 == 1)
}

fn new_counters(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    new_array(w, arg(args, 0), Flavour::Counters, true)
}

fn new_array(w: &mut World, len: Value, made: Flavour, is_signed: bool) -> Result<Value, Fault> {
    let Some(n) = len.as_int() else {
        // A big integer, or no integer at all.
        let is_huge = w.heap.to_big(len).is_some_and(|it| it > BigInt::ZERO);
        return Err(if is_huge { Fault::SYSTEM_LIMIT } else { Fault::BADARG });
    };
    let n = badarg(usize::try_from(n).ok().filter(|it| *it > 0))?;
    let bytes = n.saturating_mul(size_of::<u64>());
    if w.heap.bytes_used().saturating_add(bytes) > w.limits.memory_bytes {
        return Err(Stop::OutOfMemory.into());
    }
    let id = w.run.handles.make(w.run.current, HandleKind::Other);
    let (cells, shadows) = (vec![0; n], BTreeMap::new());
    w.run.shared.arrays.insert(id, Array { flavour: made, is_signed, cells, shadows });
    Ok(Value::reference(id))
}

fn array(w: &mut World, flavour: Flavour, args: &[Value]) -> Result<(RefId, bool), Fault> {
    let id = badarg(arg(args, 0).as_ref())?;
    let array = badarg(w.run.shared.arrays.get(&id).filter(|it| it.flavour == flavour))?;
    Ok((id, array.is_signed))
}

/// A cell of an array of counters or atomics.
#[derive(Clone, Copy)]
struct Cell {
    id: RefId,
    place: usize,
    is_signed: bool,
}

impl Cell {
    /// Returns the cell that the first two arguments of a builtin name: the array and the one-based index. The
    /// position is a choice if the index is symbolic.
    fn of(w: &mut World, flavour: Flavour, args: &[Value]) -> Result<Cell, Fault> {
        let (id, is_signed) = array(w, flavour, args)?;
        let index = arg(args, 1);
        let n = w.run.shared.arrays.get(&id).map_or(0, |it| it.cells.len());
        let is_integer = w.is_kind(index, Kind::Integer, index.is_integer());
        if is_integer && n <= MAX_INDICES {
            if let Some(mut lifting) = w.following() {
                lifting.choose_position(1, index, n);
            }
        } else if is_integer {
            w.look_at("an index of a large array", index);
        }
        let place = badarg(index.as_usize().and_then(|it| it.checked_sub(1)).filter(|it| *it < n))?;
        Ok(Cell { id, place, is_signed })
    }

    fn get(self, w: &mut World) -> Result<Value, Fault> {
        let array = badarg(w.run.shared.arrays.get(&self.id))?;
        let bits = badarg(array.cells.get(self.place).copied())?;
        let shadow = array.shadows.get(&self.place).copied().unwrap_or(Shadow::NONE);
        Ok(number(w, bits, self.is_signed).with_shadow(shadow))
    }

    /// Stores a value and its expression in the cell. Fails with `badarg` if the array can't hold the value.
    fn set(self, w: &mut World, value: Value) -> Result<(), Fault> {
        let bits = bits_of(w, value, self.is_signed)?;
        let array = badarg(w.run.shared.arrays.get_mut(&self.id))?;
        *badarg(array.cells.get_mut(self.place))? = bits;
        if value.shadow().is_some() {
            array.shadows.insert(self.place, value.shadow());
        } else {
            array.shadows.remove(&self.place);
        }
        Ok(())
    }
}

/// The maximum size of an array in which a symbolic index is a choice. In larger arrays, the index is pinned.
const MAX_INDICES: usize = 32;

fn read(w: &mut World, flavour: Flavour, args: &[Value]) -> Result<Value, Fault> {
    Cell::of(w, flavour, args)?.get(w)
}

fn number(w: &mut World, bits: u64, is_signed: bool) -> Value {
    if is_signed { Value::int(bits.cast_signed()) } else { w.heap.integer(BigInt::from(bits)) }
}

/// Returns the 64 bits of a number, or `badarg` if the array can't hold it.
fn bits_of(w: &World, value: Value, is_signed: bool) -> Result<u64, Fault> {
    let number = badarg(w.heap.to_big(value))?;
    let bits = if is_signed { number.to_i64().map(i64::cast_unsigned) } else { number.to_u64() };
    badarg(bits)
}

/// Returns the least and the greatest number that a cell of the array can hold.
fn bounds(is_signed: bool) -> (BigInt, BigInt) {
    if is_signed {
        (BigInt::from(i64::MIN), BigInt::from(i64::MAX))
    } else {
        (BigInt::ZERO, BigInt::from(u64::MAX))
    }
}

/// Returns an argument that must be an integer between two bounds (inclusive), and fails with `badarg` otherwise. Its
/// type and both comparisons are choices if it is symbolic.
fn within(w: &mut World, value: Value, (low, high): (BigInt, BigInt)) -> Result<Value, Fault> {
    if !w.is_kind(value, Kind::Integer, value.is_integer()) {
        return Err(Fault::BADARG);
    }
    let (low, high) = (w.heap.integer(low), w.heap.integer(high));
    for (a, b) in [(low, value), (value, high)] {
        let holds = compare_exact(&w.heap, &w.atoms, a, b).is_le();
        w.compare_values(Cmp::LessEqual, (a, b), holds);
        if !holds {
            return Err(Fault::BADARG);
        }
    }
    Ok(value)
}

fn write(w: &mut World, flavour: Flavour, args: &[Value]) -> Result<Value, Fault> {
    let (_, is_signed) = array(w, flavour, args)?;
    let value = within(w, arg(args, 2), bounds(is_signed))?;
    Cell::of(w, flavour, args)?.set(w, value)?;
    Ok(Value::atom(AtomId::OK))
}

/// Adds the third argument, any signed or unsigned number of 64 bits, to a cell. Returns the new value.
fn increase(w: &mut World, flavour: Flavour, args: &[Value]) -> Result<Value, Fault> {
    let increment = within(w, arg(args, 2), (BigInt::from(i64::MIN), BigInt::from(u64::MAX)))?;
    let cell = Cell::of(w, flavour, args)?;
    let old = cell.get(w)?;
    let sum = integer_add(w, old, increment)?;
    let mut new = w.followed(arithmetic::add, &[old, increment], sum);
    let (low, high) = bounds(cell.is_signed);
    let (low, high) = (w.heap.integer(low), w.heap.integer(high));
    let one_round: BigInt = BigInt::from(u64::MAX) + 1;
    for (op, bound, back) in [(Cmp::Greater, high, -one_round.clone()), (Cmp::Less, low, one_round)]
    {
        let order = compare_exact(&w.heap, &w.atoms, new, bound);
        let is_beyond = if op == Cmp::Greater { order.is_gt() } else { order.is_lt() };
        w.compare_values(op, (new, bound), is_beyond);
        if is_beyond {
            let back = w.heap.integer(back);
            let sum = integer_add(w, new, back)?;
            new = w.followed(arithmetic::add, &[new, back], sum);
        }
    }
    cell.set(w, new)?;
    Ok(new)
}

fn exchange(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (_, is_signed) = array(w, Flavour::Atomics, args)?;
    let new = within(w, arg(args, 2), bounds(is_signed))?;
    let cell = Cell::of(w, Flavour::Atomics, args)?;
    let old = cell.get(w)?;
    cell.set(w, new)?;
    Ok(old)
}

fn compare_exchange(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (_, is_signed) = array(w, Flavour::Atomics, args)?;
    let expected = within(w, arg(args, 2), bounds(is_signed))?;
    let desired = within(w, arg(args, 3), bounds(is_signed))?;
    let cell = Cell::of(w, Flavour::Atomics, args)?;
    let old = cell.get(w)?;
    let is_it = compare_exact(&w.heap, &w.atoms, old, expected).is_eq();
    w.compare_values(Cmp::Same, (old, expected), is_it);
    if is_it {
        cell.set(w, desired)?;
        return Ok(Value::atom(AtomId::OK));
    }
    Ok(old)
}

fn atomics_info(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (id, is_signed) = array(w, Flavour::Atomics, args)?;
    let n = badarg(w.run.shared.arrays.get(&id))?.cells.len();
    let (min, max) = if is_signed {
        (Value::int(i64::MIN), Value::int(i64::MAX))
    } else {
        (Value::int(0), number(w, u64::MAX, false))
    };
    let memory = count(ARRAY_HEADER + n * size_of::<u64>());
    Ok(info_map(w, &[("size", count(n)), ("max", max), ("min", min), ("memory", memory)]))
}

/// Bytes that BEAM needs for an array of atomics besides its cells.
const ARRAY_HEADER: usize = 40;

fn counters_info(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (id, _) = array(w, Flavour::Counters, args)?;
    let n = badarg(w.run.shared.arrays.get(&id))?.cells.len();
    // BEAM has a row of cache lines for each scheduler and one for reads.
    let memory = count(32 + 2 * 64 * n.div_ceil(8));
    Ok(info_map(w, &[("size", count(n)), ("memory", memory)]))
}
