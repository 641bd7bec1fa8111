//! Process flags, set by the process itself or by the options of its spawn.
//!
//! Sizes are in words of BEAM's heaps and rounded as BEAM rounds them.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::make::{atom, count};
use crate::builtins::nodes;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside};
use crate::machine::World;
use crate::machine::inspect::flag;
use crate::machine::process::HeapLimit;
use values::{AtomId, PidId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    inside("erlang", "process_flag", 2, Shares::ProcessFlag, OnBeam::Alike, process_flag),
    inside("erlang", "process_flag", 3, Shares::FlagOfOther, OnBeam::Alike, process_flag_of),
];

/// The minimum sizes of a process heap and of its virtual binary heap, in words.
pub(crate) const HEAP_WORDS: i64 = 233;
pub(crate) const BIN_VHEAP_WORDS: i64 = 46_422;
const MAX_SAVED_CALLS: usize = 10_000;
/// The number of schedulers that the machine reports. It runs one process at a time.
pub(super) const N_SCHEDULERS: i64 = 2;

/// Returns the smallest heap size of BEAM that holds `words`: the sizes grow like Fibonacci numbers, then by a fifth.
pub(crate) fn heap_size_of(words: i64) -> i64 {
    let (mut last, mut size, mut n) = (12, 38, 1);
    if words <= last {
        return last;
    }
    while size < words {
        n += 1;
        let next = if n < 23 { last + size + 1 } else { size.saturating_add(size / 5) };
        (last, size) = (size, next);
    }
    size
}

fn process_flag(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (name, value) = (badarg(flag_name(w, arg(args, 0)))?, arg(args, 1));
    let text = w.atoms.name(name).to_owned();
    let me = w.run.current;
    let Some(process) = w.me() else { return Err(Fault::BADARG) };
    match text.as_str() {
        "trap_exit" => {
            let new = badarg(value.as_bool())?;
            return Ok(Value::bool(std::mem::replace(&mut process.trap_exit, new)));
        }
        "monitor_nodes" => return nodes::monitor_nodes(w, arg(args, 0), value),
        "priority" => {
            let new = badarg(value.as_atom().filter(is_priority))?;
            return Ok(Value::atom(std::mem::replace(&mut process.priority, new)));
        }
        "max_heap_size" => {
            let old = flag(w, me, &text);
            let limit = badarg(max_heap_size(w, value))?;
            let least = flag(w, me, "min_heap_size").as_int().unwrap_or(HEAP_WORDS);
            badarg(limit.1.fits(least).then_some(()))?;
            limit_heap(w, me, limit);
            return Ok(old);
        }
        _ => (),
    }
    let old = flag(w, me, &text);
    let new = badarg(setting(w, &text, value))?;
    if let Some(process) = w.me() {
        process.flags.insert(name, new);
    }
    Ok(old)
}

/// `process_flag/3`: the only flag that can be set for another process is `save_calls`.
fn process_flag_of(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (pid, name) = (w.local_pid(arg(args, 0))?, badarg(arg(args, 1).as_atom())?);
    if w.atoms.name(name) != "save_calls" || w.is_doomed(pid) {
        return Err(Fault::BADARG);
    }
    let old = flag(w, pid, "save_calls");
    let new = badarg(setting(w, "save_calls", arg(args, 2)))?;
    badarg(w.run.processes.get_mut(&pid))?.flags.insert(name, new);
    Ok(old)
}

/// Returns the name of a flag that is given alone or, for `monitor_nodes`, with options.
fn flag_name(w: &World, flag: Value) -> Option<AtomId> {
    match w.heap.elements(flag) {
        Some([name, _]) => name.as_atom().filter(|it| w.atoms.name(*it) == "monitor_nodes"),
        _ => flag.as_atom(),
    }
}

fn is_priority(name: &AtomId) -> bool {
    matches!(*name, AtomId::LOW | AtomId::NORMAL | AtomId::HIGH | AtomId::MAX)
}

/// Returns the value that a flag has after it is set; `None` if the value is not allowed.
fn setting(w: &World, name: &str, value: Value) -> Option<Value> {
    let text = value.as_atom().map(|it| w.atoms.name(it));
    match name {
        "error_handler" => value.as_atom().map(Value::atom),
        "message_queue_data" => matches!(text, Some("on_heap" | "off_heap")).then_some(value),
        "sensitive" | "async_dist" => value.as_bool().map(Value::bool),
        "save_calls" => value.as_usize().filter(|it| *it <= MAX_SAVED_CALLS).map(count),
        "fullsweep_after" => sweeps(value),
        "min_heap_size" => heap_words(value, HEAP_WORDS),
        "min_bin_vheap_size" => heap_words(value, BIN_VHEAP_WORDS),
        // Binding a process to a scheduler makes no difference here.
        "scheduler" => value.as_int().filter(|it| (0..=N_SCHEDULERS).contains(it)).map(Value::int),
        _ => None,
    }
}

/// Returns the number of minor collections between full ones, truncated to 16 bits as on BEAM.
pub(super) fn sweeps(value: Value) -> Option<Value> {
    let n = value.as_int().filter(|it| *it >= 0)?;
    Some(Value::int(n & 0xffff))
}

fn heap_words(value: Value, least: i64) -> Option<Value> {
    let n = value.as_int().filter(|it| *it >= 0)?;
    Some(Value::int(if n < least { least } else { heap_size_of(n) }))
}

/// Reads a heap limit, given as a number or as a map of the settings that differ from the defaults. Also returns the
/// map that shows it.
pub(super) fn max_heap_size(w: &mut World, value: Value) -> Option<(Value, HeapLimit)> {
    let keys = ["size", "kill", "error_logger"].map(|it| atom(w, it));
    let usual = usual_limit(w);
    let part = |w: &World, map: Value, key: Value| match map.view() {
        View::Map(at) => w.heap.map_get(&w.atoms, at, key),
        _ => None,
    };
    let choice = |w: &World, key: Value| {
        let given = part(w, value, key).or_else(|| part(w, usual, key))?;
        given.as_bool()
    };
    let size = match value.view() {
        View::Map(_) => part(w, value, keys[0])?,
        _ => value,
    };
    let words = size.as_usize().filter(|it| *it < 1 << 59)?;
    let (kills, reports) = (choice(w, keys[1])?, choice(w, keys[2])?);
    let values = [count(words), Value::bool(kills), Value::bool(reports)];
    let shown = w.heap.map(&w.atoms, keys.into_iter().zip(values).collect());
    let words = i64::try_from(words).ok()?;
    Some((shown, HeapLimit { words, kills, reports, made: 0, is_due: false }))
}

/// Returns the default heap limit, as a map.
fn usual_limit(w: &mut World) -> Value {
    // No process has this number, so the result is the default.
    flag(w, PidId(u32::MAX), "max_heap_size")
}

fn limit_heap(w: &mut World, pid: PidId, (shown, limit): (Value, HeapLimit)) {
    let name = w.atoms.intern("max_heap_size");
    if let Some(process) = w.run.processes.get_mut(&pid) {
        process.flags.insert(name, shown);
        process.heap_limit = Some(limit).filter(|it| it.words > 0 && (it.kills || it.reports));
    }
}

/// Whether all options of `spawn_opt` that are pairs are valid flags for the new process.
pub(super) fn are_flags(w: &mut World, options: &[Value]) -> bool {
    let (mut least, mut limit) = (HEAP_WORDS, None);
    for option in options {
        let Some([name, value]) = w.heap.elements(*option) else { continue };
        let (Some(name), value) = (name.as_atom(), *value) else { return false };
        let text = w.atoms.name(name).to_owned();
        let is_good = match text.as_str() {
            "monitor" => w.heap.list_len(value).is_some(),
            "priority" => value.as_atom().is_some_and(|it| is_priority(&it)),
            "max_heap_size" => {
                limit = max_heap_size(w, value);
                limit.is_some()
            }
            "message_queue_data" | "fullsweep_after" | "min_heap_size" | "min_bin_vheap_size"
            | "scheduler" => {
                let new = setting(w, &text, value);
                if let Some(words) = new.filter(|_| text == "min_heap_size") {
                    least = words.as_int().unwrap_or(least);
                }
                new.is_some()
            }
            _ => false,
        };
        if !is_good {
            return false;
        }
    }
    limit.is_none_or(|it| it.1.fits(least))
}

/// Sets a flag of a new process from an option of `spawn_opt`; other options are ignored.
pub(super) fn set_at_birth(w: &mut World, pid: PidId, name: AtomId, value: Value) {
    let text = w.atoms.name(name).to_owned();
    if text == "max_heap_size" {
        if let Some(limit) = max_heap_size(w, value) {
            limit_heap(w, pid, limit);
        }
        return;
    }
    let new = setting(w, &text, value);
    if let (Some(process), Some(new)) = (w.run.processes.get_mut(&pid), new) {
        process.flags.insert(name, new);
    }
}

/// Gives a new process the default heap limit, if the system flag has set one.
pub(super) fn limit_as_usual(w: &mut World, pid: PidId) {
    let name = w.atoms.intern("max_heap_size");
    if w.run.system_flags.contains_key(&name) {
        let usual = usual_limit(w);
        if let Some(limit) = max_heap_size(w, usual) {
            limit_heap(w, pid, limit);
        }
    }
}
