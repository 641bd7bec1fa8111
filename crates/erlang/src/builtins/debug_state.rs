//! Switches of `erts_debug` that OTP's own test suites use, as far as they apply to this machine.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::clock::LEAST_UNIQUE;
use crate::builtins::hash::{internal_hash, phash2};
use crate::builtins::make::{atom, count};
use crate::builtins::process_flags::N_SCHEDULERS;
use crate::builtins::processes::tell_collected;
use crate::builtins::references::nodes_and_connections;
use crate::builtins::shared::term_slots;
use crate::builtins::system::N_IO_SCHEDULERS;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside};
use crate::machine::World;
use crate::machine::process::MonitorTarget;
use crate::machine::timers::{Timer, TimerId, TimerTarget};
use num_traits::ToPrimitive;
use values::{AtomId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    inside("erts_debug", "get_internal_state", 1, Shares::Everything, OnBeam::Alike, get_state),
    inside("erts_debug", "set_internal_state", 2, Shares::Everything, OnBeam::Never, set_state),
];

/// The state of the switches.
#[derive(Clone, Copy, Debug, Default)]
pub struct DebugState {
    is_available: bool,
    binary_loop_limit: Option<i64>,
}

/// Returns `n` names, the given one among them, that stand for names with equal hashes.
fn colliding_names(w: &mut World, about: Value) -> Result<Value, Fault> {
    let Some([name, n]) = w.heap.elements(about) else { return Err(Fault::BADARG) };
    let (name, n) = (badarg(name.as_atom())?, badarg(n.as_usize())?);
    let text = w.atoms.name(name).to_owned();
    let mut names = vec![Value::atom(name)];
    names.extend((1..n.min(1000)).map(|it| atom(w, &format!("{text}_{it}"))));
    Ok(w.heap.list(&names))
}

fn available(w: &World) -> Result<(), Fault> {
    if w.run.debug.is_available { Ok(()) } else { Err(Fault::Error(Value::atom(AtomId::UNDEF))) }
}

fn get_state(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    available(w)?;
    match w.heap.elements(arg(args, 0)) {
        Some([key, about]) => {
            let (key, about) = (badarg(key.as_atom())?, *about);
            return get_state_of(w, key, about);
        }
        Some([key, thread, counter]) => {
            let key = badarg(key.as_atom())?;
            let (thread, counter) = (w.heap.to_big(*thread), w.heap.to_big(*counter));
            let (thread, counter) = (badarg(thread)?, badarg(counter)?);
            badarg((w.atoms.name(key) == "make_unique_integer").then_some(()))?;
            return Ok(w.heap.integer((counter << THREAD_BITS | thread) + LEAST_UNIQUE));
        }
        _ => (),
    }
    let item = badarg(arg(args, 0).as_atom())?;
    match w.atoms.name(item) {
        "available_internal_state" => Ok(Value::TRUE),
        "force_heap_frags" => Ok(Value::FALSE),
        // The reductions of a full slice, because our builtins never yield in the middle.
        "reds_left" => Ok(Value::int(4000)),
        "next_pid" | "next_port" => Ok(count(w.run.processes.len())),
        "min_unique_integer" => Ok(Value::int(LEAST_UNIQUE)),
        // Only debug builds of BEAM have these.
        "flxctr_memory_usage" | "lc_graph" => Ok(atom(w, "notsup")),
        "min_unique_monotonic_integer" => Ok(Value::int(LEAST_UNIQUE)),
        "unique_monotonic_integer_state" => Ok(w.heap.integer(w.run.n_unique_ordered.into())),
        // The limit on nested calls in bytes; ours is the memory budget.
        "stack_check" => Ok(count(w.limits.memory_bytes)),
        "processes_bif_info" => Ok(processes_info(w)),
        "node_and_dist_references" => Ok(nodes_and_connections(w)),
        // The words of an ETS table itself, and of its size estimate.
        "DbTable_words" => Ok(w.heap.tuple(&[Value::int(49), Value::int(6)])),
        "process_info_args" => {
            let items: Vec<Value> = INFO_ITEMS.iter().map(|it| atom(w, it)).collect();
            Ok(w.heap.list(&items))
        }
        // Traces how `processes/0` collects pids. Ours collects all at once, as BEAM does for a small table.
        "processes" => {
            let pids: Vec<Value> = w.run.processes.keys().map(|it| Value::pid(*it)).collect();
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

/// The number of bits that tell BEAM's threads apart, each of which numbers its unique integers by itself.
const THREAD_BITS: u32 = (2 * N_SCHEDULERS + N_IO_SCHEDULERS).ilog2() + 1;

/// The items of `process_info`.
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

/// Describes how `processes/0` works: all pids in one chunk, without yielding, so that no process ends meanwhile.
fn processes_info(w: &mut World) -> Value {
    let tag = atom(w, "ptab_list_bif_info");
    let (n, none) = (count(w.run.processes.len()), Value::int(0));
    let one = Value::int(1);
    w.heap.tuple(&[tag, one, one, n, n, none, n, none, n, none])
}

/// Returns the state of one object, such as a process or a binary.
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
        // The machine hashes only immediates like BEAM does; any other term gets its portable hash instead.
        "internal_hash" => {
            let hash = match internal_hash(about) {
                Some(hash) => hash,
                None => phash2(&w.heap, &w.atoms, about)?,
            };
            Ok(Value::int(i64::from(hash)))
        }
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

/// Makes `[{erl_link, Type, Pid, State, Id}]`.
fn link_list(w: &mut World, about: Value) -> Result<Value, Fault> {
    let Some(process) = about.as_pid().and_then(|it| w.run.processes.get(&it)) else {
        return Ok(Value::atom(AtomId::UNDEFINED));
    };
    let links: Vec<Value> = process.links.iter().map(|it| Value::pid(*it)).collect();
    let (tag, kind, state) = (atom(w, "erl_link"), Value::atom(AtomId::PROCESS), atom(w, "linked"));
    let links: Vec<Value> =
        links.into_iter().map(|it| w.heap.tuple(&[tag, kind, it, state, Value::int(0)])).collect();
    Ok(w.heap.list(&links))
}

/// Makes `[{erl_monitor, Type, origin | target, Ref, Pid, Name}]`.
fn monitor_list(w: &mut World, about: Value) -> Result<Value, Fault> {
    let Some(pid) = about.as_pid().filter(|it| w.run.processes.contains_key(it)) else {
        return Ok(Value::atom(AtomId::UNDEFINED));
    };
    let tag = atom(w, "erl_monitor");
    let (origin, target) = (atom(w, "origin"), atom(w, "target"));
    let kind = Value::atom(AtomId::PROCESS);
    let mut rows = Vec::new();
    if let Some(process) = w.run.processes.get(&pid) {
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
            let theirs = w.run.processes.get(watcher).and_then(|it| it.monitors.get(id));
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
        return Ok(Value::bool(std::mem::replace(&mut w.run.debug.is_available, new)));
    }
    available(w)?;
    match name.as_str() {
        // These set when a long builtin yields; ours never do.
        "reds_left"
        | "re_loop_limit"
        | "unicode_loop_limit"
        | "proc_sig_buffers"
        | "force_gc"
        | "code_write_permission" => Ok(Value::TRUE),
        "binary_loop_limit" => {
            let old = std::mem::replace(&mut w.run.debug.binary_loop_limit, value.as_int());
            Ok(Value::int(old.unwrap_or(-1)))
        }
        "wait" | "ets_force_split" | "ets_debug_random_split_join" => Ok(Value::atom(AtomId::OK)),
        // Only debug builds of BEAM have it.
        "ets_force_trap" => Ok(atom(w, "notsup")),
        "unique_monotonic_integer_state" => {
            let next = badarg(w.heap.to_big(value).and_then(|it| it.to_u64()))?;
            w.run.n_unique_ordered = next;
            Ok(Value::TRUE)
        }
        "multizero_timeout_in_timeout" => {
            let millis = badarg(value.as_int())?.max(0).cast_unsigned();
            let at = w.run.clock.saturating_add(millis.saturating_mul(1_000_000));
            let message = atom(w, "multizero_timeout_in_timeout_done");
            let (id, to) = (TimerId::Reference(w.new_ref()), TimerTarget::Process(w.run.current));
            w.run.timers.start(at, Timer { id, to, message });
            Ok(Value::atom(AtomId::OK))
        }
        "gc_state" => {
            let may_collect = badarg(value.as_bool())?;
            let held = w.me().map(|me| {
                std::mem::replace(&mut me.held_collections, (!may_collect).then(Vec::new))
            });
            let held = held.flatten();
            let could = held.is_none();
            for (asker, reply) in held.into_iter().flatten() {
                tell_collected(w, asker, reply, true);
            }
            Ok(Value::bool(could))
        }
        // `mbuf` moves a term to a message buffer, which makes no difference here.
        "mbuf" => Ok(value),
        // A process id is determined by the spawning process, so the next one can't be set.
        "next_pid" | "next_port" => Ok(value),
        // Any names will do, because our tables have no hash buckets.
        "colliding_names" => colliding_names(w, value),
        "sleep" | "block" => {
            let millis = badarg(value.as_int().and_then(|it| u64::try_from(it).ok()))?;
            w.run.clock = w.run.clock.saturating_add(millis.saturating_mul(1_000_000));
            Ok(Value::TRUE)
        }
        _ => Err(Fault::BADARG),
    }
}
