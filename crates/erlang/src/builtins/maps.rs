//! Maps: guard functions, the native functions of `maps`, and map iterators.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::{Builtin, Fault, pure};
use crate::lift;
use crate::machine::World;
use std::cmp::Ordering;
use values::{At, AtomId, Value, View, compare_exact};

pub(super) const ROWS: &[Builtin] = &[
    pure("erlang", "map_size", 1, |w, args| map_size(w, arg(args, 0))).own(lift::maps::size),
    pure("erlang", "map_get", 2, |w, args| get(w, arg(args, 0), arg(args, 1))).own(lift::maps::get),
    pure("erlang", "is_map_key", 2, |w, args| is_key(w, arg(args, 0), arg(args, 1)))
        .own(lift::maps::is_key),
    pure("maps", "get", 2, |w, args| get(w, arg(args, 0), arg(args, 1))).own(lift::maps::get),
    pure("maps", "is_key", 2, |w, args| is_key(w, arg(args, 0), arg(args, 1)))
        .own(lift::maps::is_key),
    pure("maps", "find", 2, |w, args| find(w, arg(args, 0), arg(args, 1))).own(lift::maps::find),
    pure("maps", "from_list", 1, |w, args| from_list(w, arg(args, 0))).own(lift::maps::from_list),
    pure("maps", "from_keys", 2, |w, args| from_keys(w, arg(args, 0), arg(args, 1)))
        .own(lift::maps::from_keys),
    pure("maps", "keys", 1, |w, args| column(w, arg(args, 0), |pair| pair.0)).own(lift::maps::keys),
    pure("maps", "values", 1, |w, args| column(w, arg(args, 0), |pair| pair.1))
        .own(lift::maps::values),
    pure("maps", "merge", 2, |w, args| merge(w, arg(args, 0), arg(args, 1))).own(lift::maps::merge),
    pure("maps", "put", 3, |w, args| put(w, arg(args, 0), arg(args, 1), arg(args, 2)))
        .own(lift::maps::put),
    pure("maps", "remove", 2, |w, args| remove(w, arg(args, 0), arg(args, 1)))
        .own(lift::maps::remove),
    pure("maps", "take", 2, |w, args| take(w, arg(args, 0), arg(args, 1))).own(lift::maps::take),
    pure("maps", "update", 3, |w, args| update(w, arg(args, 0), arg(args, 1), arg(args, 2)))
        .own(lift::maps::update),
    pure("erts_internal", "map_next", 3, |w, args| {
        map_next(w, arg(args, 0), arg(args, 1), arg(args, 2))
    })
    .own(lift::maps::next),
];

/// Returns the address of a map, or the error `{badmap, Value}`.
pub(crate) fn map_at(w: &mut World, map: Value) -> Result<At, Fault> {
    match map.view() {
        View::Map(at) => Ok(at),
        _ => Err(tagged(w, AtomId::BADMAP, map)),
    }
}

fn tagged(w: &mut World, tag: AtomId, value: Value) -> Fault {
    Fault::Error(w.heap.tuple(&[Value::atom(tag), value]))
}

pub(crate) fn map_size(w: &mut World, map: Value) -> Result<Value, Fault> {
    let at = map_at(w, map)?;
    Ok(Value::int(i64::try_from(w.heap.map_len(at)).unwrap_or(i64::MAX)))
}

pub(crate) fn get(w: &mut World, key: Value, map: Value) -> Result<Value, Fault> {
    let at = map_at(w, map)?;
    let found = w.heap.map_get(&w.atoms, at, key);
    found.ok_or_else(|| tagged(w, AtomId::BADKEY, key))
}

pub(crate) fn is_key(w: &mut World, key: Value, map: Value) -> Result<Value, Fault> {
    let at = map_at(w, map)?;
    Ok(Value::bool(w.heap.map_get(&w.atoms, at, key).is_some()))
}

fn find(w: &mut World, key: Value, map: Value) -> Result<Value, Fault> {
    let at = map_at(w, map)?;
    Ok(match w.heap.map_get(&w.atoms, at, key) {
        Some(value) => w.heap.tuple(&[Value::atom(AtomId::OK), value]),
        None => Value::atom(AtomId::ERROR),
    })
}

fn from_list(w: &mut World, list: Value) -> Result<Value, Fault> {
    let items = badarg(w.heap.list_items(list))?;
    let pair = |it: &Value| match w.heap.elements(*it) {
        Some([key, value]) => Some((*key, *value)),
        _ => None,
    };
    let pairs: Vec<(Value, Value)> = badarg(items.iter().map(pair).collect())?;
    w.add_work(pairs.len());
    Ok(w.heap.map(&w.atoms, pairs))
}

fn from_keys(w: &mut World, keys: Value, value: Value) -> Result<Value, Fault> {
    let keys = badarg(w.heap.list_items(keys))?;
    w.add_work(keys.len());
    Ok(w.heap.map(&w.atoms, keys.into_iter().map(|it| (it, value)).collect()))
}

fn column(w: &mut World, map: Value, of: fn((Value, Value)) -> Value) -> Result<Value, Fault> {
    let at = map_at(w, map)?;
    w.check_room_for_list(w.heap.map_len(at))?;
    let items: Vec<Value> = w.heap.map_iter(at).map(of).collect();
    // Copying a column is cheaper than building a map, so it counts as less work.
    w.add_work(items.len() / 10);
    Ok(w.heap.list(&items))
}

/// Merges two maps. For keys in both, the value in the right map wins.
fn merge(w: &mut World, left: Value, right: Value) -> Result<Value, Fault> {
    let (left_at, right_at) = (map_at(w, left)?, map_at(w, right)?);
    let (n_left, n_right) = (w.heap.map_len(left_at), w.heap.map_len(right_at));
    if n_right == 0 || left_at == right_at {
        return Ok(left);
    }
    if n_left == 0 {
        return Ok(right);
    }
    // A few pairs are inserted into a large map one by one.
    if n_right < n_left / 16 {
        let pairs: Vec<(Value, Value)> = w.heap.map_iter(right_at).collect();
        let mut res = left;
        for (key, value) in pairs {
            res = w.heap.map_put(&w.atoms, res.address(), key, value);
        }
        return Ok(res);
    }
    w.add_work(n_left + n_right);
    w.check_room_for_list(2 * (n_left + n_right))?;
    let mut pairs = Vec::with_capacity(n_left + n_right);
    let (mut lefts, mut rights) =
        (w.heap.map_iter(left_at).peekable(), w.heap.map_iter(right_at).peekable());
    while let (Some(a), Some(b)) = (lefts.peek(), rights.peek()) {
        match compare_exact(&w.heap, &w.atoms, a.0, b.0) {
            Ordering::Less => pairs.extend(lefts.next()),
            Ordering::Greater => pairs.extend(rights.next()),
            Ordering::Equal => {
                pairs.extend(rights.next());
                lefts.next();
            }
        }
    }
    pairs.extend(lefts);
    pairs.extend(rights);
    Ok(w.heap.map_of_sorted(&pairs))
}

fn put(w: &mut World, key: Value, value: Value, map: Value) -> Result<Value, Fault> {
    let at = map_at(w, map)?;
    Ok(w.heap.map_put(&w.atoms, at, key, value))
}

fn remove(w: &mut World, key: Value, map: Value) -> Result<Value, Fault> {
    let at = map_at(w, map)?;
    Ok(w.heap.map_remove(&w.atoms, at, key))
}

fn take(w: &mut World, key: Value, map: Value) -> Result<Value, Fault> {
    let at = map_at(w, map)?;
    let Some(value) = w.heap.map_get(&w.atoms, at, key) else {
        return Ok(Value::atom(AtomId::ERROR));
    };
    let rest = w.heap.map_remove(&w.atoms, at, key);
    Ok(w.heap.tuple(&[value, rest]))
}

fn update(w: &mut World, key: Value, value: Value, map: Value) -> Result<Value, Fault> {
    let at = map_at(w, map)?;
    if w.heap.map_get(&w.atoms, at, key).is_none() {
        return Err(tagged(w, AtomId::BADKEY, key));
    }
    Ok(w.heap.map_put(&w.atoms, at, key, value))
}

/// How many pairs an iterator returns at a time, so that a few steps over a large map are cheap.
const BATCH: usize = 64;
/// The largest map that BEAM iterates over by position instead of by path.
const MAX_FLAT: usize = 32;

/// `erts_internal:map_next/3`, by which `maps` iterates. The path is the number of pairs already returned.
///
/// The form `iterator` asks for nested tuples `{K, V, Next}`, ending in `none` or in `[Path | Map]`. A list as form
/// asks for a list of all pairs in front of it.
fn map_next(w: &mut World, path: Value, map: Value, form: Value) -> Result<Value, Fault> {
    let View::Map(at) = map.view() else { return Err(Fault::BADARG) };
    let done = badarg(path.as_usize())?;
    if w.heap.map_len(at) <= MAX_FLAT && w.heap.map_len(at) < done {
        return Err(Fault::BADARG);
    }
    // As on BEAM, a small map is always returned as a whole.
    let done = if w.heap.map_len(at) <= BATCH { 0 } else { done.min(w.heap.map_len(at)) };
    if form.is_nil() || form.is_cons() {
        w.check_room_for_list(2 * (w.heap.map_len(at) - done))?;
        let pairs: Vec<(Value, Value)> = w.heap.map_iter_from(at, done).collect();
        let items: Vec<Value> = pairs.iter().map(|it| w.heap.tuple(&[it.0, it.1])).collect();
        return Ok(w.heap.list_with_tail(&items, form));
    }
    let iterator = w.atoms.intern("iterator");
    if !form.is_atom(iterator) {
        return Err(Fault::BADARG);
    }
    let pairs: Vec<(Value, Value)> = w.heap.map_iter_from(at, done).take(BATCH).collect();
    let next = done + pairs.len();
    let mut res = if next == w.heap.map_len(at) {
        Value::atom(AtomId::NONE)
    } else {
        w.heap.cons(Value::int(i64::try_from(next).unwrap_or(i64::MAX)), map)
    };
    for (key, value) in pairs.into_iter().rev() {
        res = w.heap.tuple(&[key, value, res]);
    }
    Ok(res)
}
