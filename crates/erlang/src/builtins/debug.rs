//! `erts_debug`: the sizes that terms have on BEAM, sameness, and switches for the runtime's tests.
//!
//! Sizes are words of a 64-bit BEAM: its layout, not ours. What these tell depends on how a term came
//! to lie in memory, not on the term alone: none of them is pure.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::hash::phash2;
use crate::builtins::make::{atom, count};
use crate::builtins::shared::term_slots;
use crate::builtins::{Builtin, Fault, inside};
use crate::data::{AtomId, FunKind, Heap, NodeId, Value, View};
use crate::machine::World;
use crate::machine::process::MonitorTarget;
use rustc_hash::FxHashSet;

pub(super) const ROWS: &[Builtin] = &[
    inside("erts_debug", "flat_size", 1, |w, args| {
        Ok(Value::int(words(&w.heap, vec![arg(args, 0)], Shared::Repeated)))
    }),
    inside("erts_debug", "size_shared", 1, |w, args| {
        Ok(Value::int(words(&w.heap, vec![arg(args, 0)], Shared::Once)))
    }),
    // Values never change, so that a copy can't be told from what it was made of.
    inside("erts_debug", "copy_shared", 1, |_, args| Ok(arg(args, 0))),
    inside("erts_debug", "copy_shared", 2, |_, args| Ok(arg(args, 0))),
    inside("erts_debug", "same", 2, |_, args| {
        Ok(Value::bool(arg(args, 0).same_word(arg(args, 1))))
    }),
    inside("erts_debug", "get_internal_state", 1, get_state),
    inside("erts_debug", "set_internal_state", 2, set_state),
];

/// What is counted for a part that a term holds more than once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shared {
    Once,
    Repeated,
}

/// Words that BEAM needs for these values together.
pub(crate) fn words_of(heap: &Heap, values: &[Value]) -> i64 {
    words(heap, values.to_vec(), Shared::Once)
}

fn words(heap: &Heap, mut todo: Vec<Value>, shared: Shared) -> i64 {
    let mut seen: FxHashSet<(Space, u64)> = FxHashSet::default();
    let mut sum = 0;
    while let Some(next) = todo.pop() {
        let own = own_words(heap, next);
        if shared == Shared::Once && place(next).is_some_and(|it| !seen.insert(it)) {
            continue;
        }
        sum += own;
        heap.push_parts(next, &mut todo);
    }
    sum
}

/// Where an object lies; `None` for what is in the word itself.
fn place(value: Value) -> Option<(Space, u64)> {
    match value.view() {
        View::Big(at) => Some((Space::Bigs, u64::from(at.0))),
        View::Bits(at) | View::Map(at) | View::Fun(at) => Some((Space::Cells, at.0)),
        View::Cons(_) | View::Tuple(_, 1..) => Some((Space::Cells, value.address().0)),
        _ => None,
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Space {
    Cells,
    Bigs,
}

/// Words of the object itself, without what it points to.
fn own_words(heap: &Heap, value: Value) -> i64 {
    match value.view() {
        View::Cons(_) => 2,
        View::Tuple(_, 0) => 0,
        View::Tuple(_, n) => i64::from(n) + 1,
        View::Float(_) => 2,
        // Beyond BEAM's small integers, within ours.
        View::Int(it) => {
            if (-(1 << 59)..1 << 59).contains(&it) {
                0
            } else {
                2
            }
        }
        View::Big(at) => {
            1 + i64::try_from(heap.big(at).bits().div_ceil(64)).unwrap_or(i64::MAX / 2)
        }
        View::Map(at) => map_words(i64::try_from(heap.map_len(at)).unwrap_or(i64::MAX / 8)),
        View::Bits(at) => bits_words(heap.bit_len(at)),
        View::Fun(at) => match heap.fun_kind(at) {
            FunKind::External { .. } => 5,
            FunKind::Closure { n_free, .. } => 5 + i64::try_from(n_free).unwrap_or(i64::MAX / 2),
        },
        View::Ref(id) if id.owner.node() == NodeId::ELSEWHERE => {
            let words = heap.nodes.reference(id).1.all().len();
            4 + i64::try_from(words / 2).unwrap_or(0)
        }
        View::Ref(_) => 3,
        View::Pid(pid) if pid.node() == NodeId::ELSEWHERE => 4,
        View::Port(port) if port.node() == NodeId::ELSEWHERE => 4,
        View::Atom(_) | View::Nil | View::Pid(_) | View::Port(_) => 0,
    }
}

/// A small map is a header, a size, its values and a tuple of its keys. A large one is a tree with
/// up to 16 branches, whose shape is that of the hashes; this is what it has on average.
fn map_words(n: i64) -> i64 {
    match n {
        0 => 3,
        1..=32 => 4 + 2 * n,
        _ => 3 * n + 2 * (n * 2 / 5),
    }
}

/// Up to 64 bytes lie in the term, more beside it. Bits that fill no byte take a part of a binary.
fn bits_words(n_bits: u64) -> i64 {
    let n_bytes = n_bits.div_ceil(8);
    let bytes = if n_bytes <= 64 { 2 + n_bytes.div_ceil(8) } else { 6 };
    let part = if n_bits.is_multiple_of(8) { 0 } else { 5 };
    i64::try_from(bytes + part).unwrap_or(i64::MAX)
}

/// Switches of BEAM's own tests that make sense here.
#[derive(Clone, Copy, Debug, Default)]
pub struct DebugState {
    is_available: bool,
    binary_loop_limit: Option<i64>,
}

/// So many names, the given one among them.
fn colliding_names(w: &mut World, about: Value) -> Result<Value, Fault> {
    let Some([name, n]) = w.heap.elements(about) else { return Err(Fault::BADARG) };
    let (name, n) = (badarg(name.as_atom())?, badarg(n.as_usize())?);
    let text = w.atoms.name(name).to_owned();
    let mut names = vec![Value::atom(name)];
    names.extend((1..n.min(1000)).map(|it| atom(w, &format!("{text}_{it}"))));
    Ok(w.heap.list(&names))
}

fn available(w: &World) -> Result<(), Fault> {
    if w.debug.is_available { Ok(()) } else { Err(Fault::Error(Value::atom(AtomId::UNDEF))) }
}

fn get_state(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    available(w)?;
    if let Some([key, about]) = w.heap.elements(arg(args, 0)) {
        let (key, about) = (badarg(key.as_atom())?, *about);
        return get_state_of(w, key, about);
    }
    let item = badarg(arg(args, 0).as_atom())?;
    match w.atoms.name(item) {
        "available_internal_state" => Ok(Value::TRUE),
        "force_heap_frags" => Ok(Value::FALSE),
        // As at the beginning of a slice: no builtin of ours pauses in the middle.
        "reds_left" => Ok(Value::int(4000)),
        "next_pid" | "next_port" => Ok(count(w.processes.len())),
        "flxctr_memory_usage" => Ok(atom(w, "notsup")),
        // Words of a table itself, and of an estimate of its size.
        "DbTable_words" => Ok(w.heap.tuple(&[Value::int(49), Value::int(6)])),
        "process_info_args" => {
            let items: Vec<Value> = INFO_ITEMS.iter().map(|it| atom(w, it)).collect();
            Ok(w.heap.list(&items))
        }
        // How `processes/0` goes about its work: at once, like a small table of BEAM.
        "processes" => {
            let pids: Vec<Value> = w.processes.keys().map(|it| Value::pid(*it)).collect();
            Ok(w.heap.list(&pids))
        }
        "persistent_term" => {
            let slots = count(term_slots(w));
            let key = atom(w, "table");
            Ok(w.heap.map(&w.atoms, vec![(key, slots)]))
        }
        _ => Err(Fault::BADARG),
    }
}

/// What `process_info` can tell.
const INFO_ITEMS: &[&str] = &[
    "registered_name",
    "current_function",
    "initial_call",
    "status",
    "messages",
    "message_queue_len",
    "links",
    "monitors",
    "monitored_by",
    "dictionary",
    "trap_exit",
    "error_handler",
    "heap_size",
    "stack_size",
    "memory",
    "garbage_collection",
    "group_leader",
    "reductions",
    "priority",
    "trace",
    "binary",
    "sequential_trace_token",
    "catchlevel",
    "backtrace",
    "last_calls",
    "total_heap_size",
    "suspending",
    "min_heap_size",
    "min_bin_vheap_size",
    "max_heap_size",
    "current_location",
    "current_stacktrace",
    "message_queue_data",
    "garbage_collection_info",
    "magic_ref",
    "fullsweep_after",
    "parent",
];

/// What is asked about one thing.
fn get_state_of(w: &mut World, key: AtomId, about: Value) -> Result<Value, Fault> {
    match w.atoms.name(key) {
        "binary_info" => {
            let View::Bits(at) = about.view() else { return Err(Fault::BADARG) };
            let Some((used, allocated)) = w.heap.allocated_bytes(at) else {
                return Ok(atom(w, "heap_binary"));
            };
            let size = |it: u64| Value::int(i64::try_from(it).unwrap_or(i64::MAX));
            let whole = w.heap.tuple(&[Value::atom(AtomId::BINARY), size(allocated)]);
            let name = atom(w, "refc_binary");
            Ok(w.heap.tuple(&[name, size(used), whole, Value::int(0)]))
        }
        "atom" => {
            let number = about.as_int().and_then(|it| u32::try_from(it).ok());
            let number = number.filter(|it| (*it as usize) < w.atoms.len());
            Ok(number.map_or(Value::FALSE, |it| Value::atom(AtomId(it))))
        }
        // BEAM has another hash for its maps; ours need none.
        "internal_hash" => Ok(Value::int(i64::from(phash2(&w.heap, &w.atoms, about)))),
        "link_list" => link_list(w, about),
        "monitor_list" => monitor_list(w, about),
        "process_status" => {
            let is_there = about.as_pid().is_some_and(|it| w.is_alive(it));
            let status = if is_there { "running" } else { "undefined" };
            Ok(atom(w, status))
        }
        _ => Err(Fault::BADARG),
    }
}

/// `[{erl_link, Type, Pid, State, Id}]`
fn link_list(w: &mut World, about: Value) -> Result<Value, Fault> {
    let Some(process) = about.as_pid().and_then(|it| w.processes.get(&it)) else {
        return Ok(Value::atom(AtomId::UNDEFINED));
    };
    let links: Vec<Value> = process.links.iter().map(|it| Value::pid(*it)).collect();
    let (tag, kind, state) = (atom(w, "erl_link"), Value::atom(AtomId::PROCESS), atom(w, "linked"));
    let links: Vec<Value> =
        links.into_iter().map(|it| w.heap.tuple(&[tag, kind, it, state, Value::int(0)])).collect();
    Ok(w.heap.list(&links))
}

/// `[{erl_monitor, Type, origin | target, Ref, Pid, Name}]`
fn monitor_list(w: &mut World, about: Value) -> Result<Value, Fault> {
    let Some(pid) = about.as_pid().filter(|it| w.processes.contains_key(it)) else {
        return Ok(Value::atom(AtomId::UNDEFINED));
    };
    let tag = atom(w, "erl_monitor");
    let (origin, target) = (atom(w, "origin"), atom(w, "target"));
    let kind = Value::atom(AtomId::PROCESS);
    let mut rows = Vec::new();
    if let Some(process) = w.processes.get(&pid) {
        for (id, monitor) in &process.monitors {
            let (to, name) = match monitor.target {
                MonitorTarget::Process(pid) => (Value::pid(pid), Value::NIL),
                MonitorTarget::Name(name, _, Some(pid)) => (Value::pid(pid), Value::atom(name)),
                MonitorTarget::Name(_, _, None)
                | MonitorTarget::Port(..)
                | MonitorTarget::TimeOffset => continue,
            };
            rows.push([tag, kind, origin, Value::reference(*id), to, name]);
        }
        for (id, watcher) in &process.monitored_by {
            let theirs = w.processes.get(watcher).and_then(|it| it.monitors.get(id));
            let name = match theirs.map(|it| it.target) {
                Some(MonitorTarget::Name(name, ..)) => Value::atom(name),
                _ => Value::NIL,
            };
            rows.push([tag, kind, target, Value::reference(*id), Value::pid(*watcher), name]);
        }
    }
    let rows: Vec<Value> = rows.iter().map(|it| w.heap.tuple(it)).collect();
    Ok(w.heap.list(&rows))
}

fn set_state(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (item, value) = (badarg(arg(args, 0).as_atom())?, arg(args, 1));
    let name = w.atoms.name(item).to_owned();
    if name == "available_internal_state" {
        let new = badarg(value.as_bool())?;
        return Ok(Value::bool(std::mem::replace(&mut w.debug.is_available, new)));
    }
    available(w)?;
    match name.as_str() {
        // How soon a long builtin pauses: ours never do.
        "reds_left"
        | "re_loop_limit"
        | "unicode_loop_limit"
        | "proc_sig_buffers"
        | "force_gc"
        | "code_write_permission" => Ok(Value::TRUE),
        "binary_loop_limit" => {
            let old = std::mem::replace(&mut w.debug.binary_loop_limit, value.as_int());
            Ok(Value::int(old.unwrap_or(-1)))
        }
        "wait" | "ets_force_split" | "ets_debug_random_split_join" => Ok(Value::atom(AtomId::OK)),
        // Only BEAMs made for debugging have it.
        "ets_force_trap" => Ok(atom(w, "notsup")),
        // Where a term lies makes no difference here.
        "mbuf" => Ok(value),
        // Processes have their names from who spawned them, whatever is asked for.
        "next_pid" | "next_port" => Ok(value),
        // Any names will do: a table of ours has no buckets to share.
        "colliding_names" => colliding_names(w, value),
        "sleep" | "block" => {
            let millis = badarg(value.as_int().and_then(|it| u64::try_from(it).ok()))?;
            w.clock = w.clock.saturating_add(millis.saturating_mul(1_000_000));
            Ok(Value::TRUE)
        }
        _ => Err(Fault::BADARG),
    }
}
