//! The process dictionary.

use crate::builtins::arithmetic::arg;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside};
use crate::machine::{RunState, World};
use term::Op;
use values::{AtomId, Value};

pub(super) const ROWS: &[Builtin] = &[
    inside("erlang", "put", 2, Shares::Nothing, OnBeam::Alike, put).moves(0),
    inside("erlang", "get", 1, Shares::Nothing, OnBeam::Alike, get).moves(0),
    inside("erlang", "get", 0, Shares::Nothing, OnBeam::ByAgent("dictionary"), get_all),
    inside("erlang", "get_keys", 0, Shares::Nothing, OnBeam::ByAgent("dictionary_keys"), get_keys),
    inside(
        "erlang",
        "get_keys",
        1,
        Shares::Nothing,
        OnBeam::ByAgent("dictionary_keys"),
        get_keys_of,
    ),
    inside("erlang", "erase", 1, Shares::Nothing, OnBeam::Alike, erase).moves(0),
    inside("erlang", "erase", 0, Shares::Nothing, OnBeam::ByAgent("erase_dictionary"), erase_all),
];

fn put(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (key, value) = (arg(args, 0), arg(args, 1));
    let old = get(w, args)?;
    let Some(at) = w.me().map(|it| it.dictionary.address()) else { return Ok(old) };
    let (is_recorded, is_symbolic) = (w.record.is_some(), w.is_symbolic(key));
    let is_new = is_recorded && w.heap.map_get(&w.atoms, at, key).is_none();
    let new = w.heap.map_put(&w.atoms, at, key, value);
    let World { heap, atoms, run: RunState { processes, current, .. }, .. } = w;
    if let Some(me) = processes.get_mut(current) {
        me.dictionary = new;
        if is_new {
            let is_there = |it: &Value| heap.map_get(atoms, at, *it).is_some();
            me.entered.add(key, is_symbolic, is_there);
        }
    }
    Ok(old)
}

fn get(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let undefined = Value::atom(AtomId::UNDEFINED);
    follow_key(w, arg(args, 0));
    let Some(at) = w.me().map(|it| it.dictionary.address()) else { return Ok(undefined) };
    Ok(w.heap.map_get(&w.atoms, at, arg(args, 0)).unwrap_or(undefined))
}

/// Records which entry has the key: each comparison whose result depends on the input is a choice.
fn follow_key(w: &mut World, key: Value) {
    let is_symbolic = w.is_symbolic(key);
    let Some(me) = w.me() else { return };
    if !is_symbolic && !me.entered.has_symbolic() {
        return;
    }
    let (dictionary, entered) = (me.dictionary.address(), me.entered.keys().map(<[Value]>::to_vec));
    let Some(keys) = entered else {
        w.look_at("a key of a large dictionary", key);
        return look_at_keys(w);
    };
    let is_there = |it: &Value| w.heap.map_get(&w.atoms, dictionary, *it).is_some();
    let keys: Vec<Value> = keys.into_iter().filter(is_there).collect();
    w.compare_keys(Op::Same, key, &keys);
}

fn look_at_keys(w: &mut World) {
    if w.me().is_some_and(|it| it.entered.settle()) {
        pairs(w).into_iter().for_each(|it| w.look_at("keys of the dictionary", it.0));
    }
}

fn pairs(w: &mut World) -> Vec<(Value, Value)> {
    let Some(dictionary) = w.me().map(|it| it.dictionary) else { return Vec::new() };
    w.heap.map_pairs(dictionary).unwrap_or_default()
}

fn get_all(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    look_at_keys(w);
    let pairs: Vec<Value> = pairs(w).into_iter().map(|it| w.heap.tuple(&[it.0, it.1])).collect();
    Ok(w.heap.list(&pairs))
}

fn get_keys(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    look_at_keys(w);
    let keys: Vec<Value> = pairs(w).into_iter().map(|it| it.0).collect();
    Ok(w.heap.list(&keys))
}

fn get_keys_of(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let wanted = arg(args, 0);
    look_at_keys(w);
    let pairs = pairs(w);
    pairs.iter().for_each(|it| w.look_at("values of the dictionary", it.1));
    let keys: Vec<Value> = pairs
        .into_iter()
        .filter(|it| values::equal_exact(&w.heap, &w.atoms, it.1, wanted))
        .map(|it| it.0)
        .collect();
    Ok(w.heap.list(&keys))
}

fn erase(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let old = get(w, args)?;
    let Some(at) = w.me().map(|it| it.dictionary.address()) else { return Ok(old) };
    let new = w.heap.map_remove(&w.atoms, at, arg(args, 0));
    if let Some(me) = w.me() {
        me.dictionary = new;
    }
    Ok(old)
}

fn erase_all(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let all = get_all(w, args)?;
    let empty = w.heap.empty_map();
    if let Some(me) = w.me() {
        me.dictionary = empty;
    }
    Ok(all)
}
