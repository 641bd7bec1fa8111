//! Information about the system: versions, limits, counters, memory.
//!
//! Facts about the installation come from the host, because the machine stands in for whichever release is installed.

use crate::builtins::arithmetic::arg;
use crate::builtins::make::{atom, count, pairs, string};
use crate::builtins::process_flags::N_SCHEDULERS;
use crate::builtins::system_flags::{OUTSTANDING_REQUESTS, scheduling};
use crate::builtins::{Builtin, Control, Effect, Fault, How, OnBeam, Shares, Stop, inside};
use crate::lift::{Lift, Lifting};
use crate::machine::World;
use crate::machine::inspect::flag;
use crate::machine::queue::Schedulers;
use values::{AtomId, Collected, Value, from_term};

pub(super) const ROWS: &[Builtin] = &[
    inspect("erlang", "process_info", 1, Shares::ProcessInfo, OnBeam::Alike).environment(),
    inspect("erlang", "process_info", 2, Shares::ProcessInfo, OnBeam::Alike).own(lift_process_info),
    inspect("erts_internal", "check_process_code", 1, Shares::Everything, OnBeam::Alike),
    inspect("erts_internal", "request_system_task", 3, Shares::Everything, OnBeam::Alike),
    inspect("erts_internal", "request_system_task", 4, Shares::Everything, OnBeam::Alike),
    inside("erlang", "system_info", 1, Shares::SystemInfo, OnBeam::Alike, system_info)
        .environment(),
    inside("erlang", "statistics", 1, Shares::Nothing, OnBeam::Noted, statistics).environment(),
    inside("erlang", "memory", 0, Shares::Nothing, OnBeam::Noted, |w, _| Ok(memory(w)))
        .environment(),
    inside("erlang", "memory", 1, Shares::Nothing, OnBeam::Noted, memory_of).environment(),
    inside("erlang", "display", 1, Shares::Nothing, OnBeam::Alike, display),
    inside("erlang", "display_nl", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        w.run.output.push(b'\n');
        Ok(Value::TRUE)
    }),
    inside("erlang", "display_string", 1, Shares::Nothing, OnBeam::Alike, display_string),
    inside("erlang", "get_cookie", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        Ok(atom(w, "nocookie"))
    })
    .environment(),
    inside("erlang", "get_cookie", 1, Shares::Nothing, OnBeam::Alike, |w, _| {
        Ok(atom(w, "nocookie"))
    })
    .environment(),
    inside("erlang", "set_cookie", 1, Shares::Nothing, OnBeam::Never, |_, _| Ok(Value::TRUE)),
    inside("erlang", "set_cookie", 2, Shares::Nothing, OnBeam::Never, |_, _| Ok(Value::TRUE)),
    inside("erts_internal", "garbage_collect", 1, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::TRUE)
    }),
    inside("erts_internal", "is_system_process", 1, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::FALSE)
    }),
    inside(
        "erts_internal",
        "is_process_executing_dirty",
        1,
        Shares::Nothing,
        OnBeam::Alike,
        |_, _| Ok(Value::FALSE),
    ),
    inside("erts_internal", "no_aux_work_threads", 0, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::int(2))
    }),
    inside("erts_internal", "get_creation", 0, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::int(0))
    }),
    inside("erts_internal", "system_check", 1, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::atom(AtomId::OK))
    }),
    inside("erlang", "seq_trace", 2, Shares::Nothing, OnBeam::Alike, |_, _| Ok(Value::NIL)),
    inside("erlang", "seq_trace_info", 1, Shares::Nothing, OnBeam::Alike, |_, _| Ok(Value::NIL)),
    inside("erlang", "seq_trace_print", 1, Shares::Nothing, OnBeam::Alike, |_, _| Ok(Value::FALSE)),
    inside("erlang", "seq_trace_print", 2, Shares::Nothing, OnBeam::Alike, |_, _| Ok(Value::FALSE)),
    inside("erlang", "dt_get_tag", 0, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::atom(AtomId::UNDEFINED))
    }),
    inside("erlang", "dt_get_tag_data", 0, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::atom(AtomId::UNDEFINED))
    }),
    inside("erlang", "dt_put_tag", 1, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::atom(AtomId::UNDEFINED))
    }),
    inside("erlang", "dt_spread_tag", 1, Shares::Nothing, OnBeam::Alike, |_, _| Ok(Value::TRUE)),
    inside("erlang", "dt_restore_tag", 1, Shares::Nothing, OnBeam::Alike, |_, _| Ok(Value::TRUE)),
    inside("erlang", "system_profile", 0, Shares::Nothing, OnBeam::Never, |_, _| {
        Ok(Value::atom(AtomId::UNDEFINED))
    }),
    inside("erlang", "system_profile", 2, Shares::Nothing, OnBeam::Never, |_, _| {
        unsupported("erlang:system_profile/2")
    }),
    inside("io", "printable_range", 0, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::atom(AtomId::LATIN1))
    }),
    inside("file", "native_name_encoding", 0, Shares::Nothing, OnBeam::Alike, |_, _| {
        Ok(Value::atom(AtomId::UTF8))
    }),
    inside("error_logger", "warning_map", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        Ok(atom(w, "warning"))
    }),
];

const fn inspect(
    module: &'static str,
    name: &'static str,
    arity: u8,
    shares: Shares,
    on_beam: OnBeam,
) -> Builtin {
    Builtin {
        module,
        name,
        arity,
        how: How::Control(Control::Inspect),
        effect: Effect::Machine,
        shares,
        on_beam,
        lift: Lift::Concrete,
    }
}

/// Follows `process_info/2`: items that the runtime decides are losses of the environment, the others depend on the
/// arguments.
fn lift_process_info(l: &mut Lifting<'_>, args: &[Value], found: Option<Value>) -> Option<Value> {
    let items = arg(args, 1);
    let items = l.heap.list_items(items).unwrap_or_else(|| vec![items]);
    let is_of_runtime =
        |it: &Value| it.as_atom().is_some_and(|it| OF_RUNTIME.contains(&l.atoms.name(it)));
    if items.iter().any(is_of_runtime) {
        l.lose_environment("erlang:process_info/2");
    }
    l.concretise("erlang:process_info/2", args, |_| true);
    found.map(Value::concrete)
}

const OF_RUNTIME: &[&str] = &[
    "memory",
    "heap_size",
    "total_heap_size",
    "stack_size",
    "reductions",
    "garbage_collection",
    "garbage_collection_info",
    "binary",
    "status",
];

fn unsupported(what: &str) -> Result<Value, Fault> {
    Err(Stop::Unsupported { what: what.to_owned() }.into())
}

pub(super) const N_IO_SCHEDULERS: i64 = 10;
const MAX_PORTS: i64 = 65_536;
/// The size of a timer on BEAM.
const TIMER_BYTES: usize = 96;
const MAX_TABLES: i64 = 8_192;

fn system_info(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let item = arg(args, 0);
    let Some(name) = item.as_atom() else { return system_info_of(w, item) };
    let text = w.atoms.name(name).to_owned();
    if let Some(fact) = w.facts.get(&text) {
        return Ok(from_term(&mut w.heap, &mut w.atoms, fact));
    }
    if let Some(value) = about_schedulers(w, name, &text) {
        return Ok(value);
    }
    let me = w.run.current;
    Ok(match text.as_str() {
        "wordsize" => Value::int(8),
        "endian" => Value::atom(AtomId::LITTLE),
        "break_ignored" => Value::FALSE,
        "process_limit" => count(w.limits.processes),
        "process_count" => count(w.run.processes.len()),
        "atom_limit" => count(w.limits.atoms),
        "atom_count" => count(w.atoms.len()),
        "port_limit" => Value::int(MAX_PORTS),
        "port_count" => count(w.ports.open.len()),
        "ets_limit" => Value::int(MAX_TABLES),
        "ets_count" => count(w.run.ets.len()),
        "os_type" => {
            let kind = [atom(w, "unix"), atom(w, "linux")];
            w.heap.tuple(&kind)
        }
        "thread_pool_size" => Value::int(1),
        "threads"
        | "smp_support"
        | "time_correction"
        | "beam_jump_table"
        | "kernel_poll"
        | "eager_check_io"
        | "constant_pool_support" => Value::TRUE,
        "ets_always_compress"
        | "ets_realloc_moves"
        | "debug_compiled"
        | "lock_checking"
        | "port_parallelism"
        | "dynamic_trace_probes" => Value::FALSE,
        "info" | "procs" | "loaded" | "dist" => described(w, &text),
        "machine" => string(w, "BEAM"),
        "tolerant_timeofday" => atom(w, "enabled"),
        "multi_scheduling" => scheduling(w),
        "time_warp_mode" => atom(w, "no_time_warp"),
        "time_offset" => atom(w, "final"),
        "start_time" => Value::int(super::clock::MONOTONIC_BEGIN),
        "end_time" => Value::int(super::clock::MONOTONIC_END),
        "emu_type" | "build_type" => atom(w, "opt"),
        "heap_type" => Value::atom(AtomId::PRIVATE),
        "scheduler_bind_type" => atom(w, "unbound"),
        "scheduler_bindings" => {
            let unbound = atom(w, "unbound");
            w.heap.tuple(&[unbound, unbound])
        }
        "dynamic_trace" => Value::atom(AtomId::NONE),
        "update_cpu_info" => atom(w, "unchanged"),
        "modified_timing_level" => Value::atom(AtomId::UNDEFINED),
        "multi_scheduling_blockers" | "normal_multi_scheduling_blockers" => {
            w.run.system_flags.get(&name).copied().unwrap_or(Value::NIL)
        }
        "taints" | "dist_ctrl" => Value::NIL,
        "creation" => Value::int(0),
        "context_reductions" => Value::int(4000),
        "trace_control_word" => Value::int(i64::from(w.tracing_control_word())),
        "message_queue_data" | "max_heap_size" => flag(w, me, &text),
        "fullsweep_after" | "min_heap_size" | "min_bin_vheap_size" => {
            let value = flag(w, me, &text);
            w.heap.tuple(&[item, value])
        }
        "garbage_collection" => {
            let names = ["min_bin_vheap_size", "min_heap_size", "fullsweep_after"];
            let flags = names.map(|it| (it, flag(w, me, it)));
            let most = [("max_heap_size", Value::int(0))];
            let items: Vec<(&str, Value)> = most.into_iter().chain(flags).collect();
            pairs(w, &items)
        }
        "system_logger" => {
            let is_there = |it: &Value| it.as_pid().is_none_or(|it| w.is_alive(it));
            let set = w.run.system_flags.get(&name).copied().filter(is_there);
            set.unwrap_or_else(|| atom(w, "logger"))
        }
        "sequential_tracer" => w.heap.tuple(&[item, Value::FALSE]),
        "delayed_node_table_gc" => Value::int(60),
        "dist_buf_busy_limit" => Value::int(1_048_576),
        "outstanding_system_requests_limit" => {
            w.run.system_flags.get(&name).copied().unwrap_or(Value::int(OUTSTANDING_REQUESTS))
        }
        // Facts that only the real installation knows.
        "system_architecture"
        | "os_version"
        | "nif_version"
        | "driver_version"
        | "c_compiler_used"
        | "emu_flavor"
        | "compat_rel"
        | "heap_sizes"
        | "otp_correction_package"
        | "system_version"
        | "otp_release"
        | "version"
        | "ethread_info"
        | "cpu_topology"
        | "cpu_quota"
        | "allocator"
        | "alloc_util_allocators"
        | "allocated_areas"
        | "check_io"
        | "os_monotonic_time_source"
        | "os_system_time_source"
        | "snifs" => {
            return Err(Stop::NeedFact(name).into());
        }
        _ => return Err(Fault::BADARG),
    })
}

fn about_schedulers(w: &mut World, name: AtomId, text: &str) -> Option<Value> {
    Some(match text {
        "schedulers"
        | "logical_processors"
        | "logical_processors_available"
        | "logical_processors_online"
        | "dirty_cpu_schedulers" => Value::int(N_SCHEDULERS),
        "schedulers_online" | "dirty_cpu_schedulers_online" => {
            w.run.system_flags.get(&name).copied().unwrap_or(Value::int(N_SCHEDULERS))
        }
        "schedulers_active" | "run_queues" => n_schedulers(w, text),
        "schedulers_state" => scheduler_states(w, &[]),
        "all_schedulers_state" => {
            let kinds = ["normal", "dirty_cpu", "dirty_io"].map(|it| atom(w, it));
            let states = kinds.map(|it| scheduler_states(w, &[it]));
            w.heap.list(&states)
        }
        "reader_groups_map" => {
            let groups = [0, 1].map(|it| w.heap.tuple(&[Value::int(it), Value::int(it + 1)]));
            w.heap.list(&groups)
        }
        "scheduler_id" => Value::int(1),
        "dirty_io_schedulers" => Value::int(N_IO_SCHEDULERS),
        _ => return None,
    })
}

/// Returns how many schedulers are active, or exist for any other item.
fn n_schedulers(w: &World, of: &str) -> Value {
    let is_one = of == "schedulers_active" && w.schedulers() == Schedulers::One;
    Value::int(if is_one { 1 } else { N_SCHEDULERS })
}

/// Makes `{All, Online, Active}`, preceded by the scheduler type if one is given.
fn scheduler_states(w: &mut World, kind: &[Value]) -> Value {
    let name = kind.first().and_then(|it| it.as_atom()).map(|it| w.atoms.name(it));
    let n = match name {
        Some("dirty_io") => [N_IO_SCHEDULERS; 3].map(Value::int),
        Some("dirty_cpu") => [N_SCHEDULERS; 3].map(Value::int),
        _ => {
            let online = w.atoms.find("schedulers_online");
            let online = online.and_then(|it| w.run.system_flags.get(&it)).copied();
            let all = Value::int(N_SCHEDULERS);
            [all, online.unwrap_or(all), n_schedulers(w, "schedulers_active")]
        }
    };
    w.heap.tuple(&[kind, &n].concat())
}

fn system_info_of(w: &mut World, item: Value) -> Result<Value, Fault> {
    if let Some([name, id, kinds]) = w.heap.elements(item)
        && name.as_atom().is_some_and(|it| w.atoms.name(it) == "memory_internal")
    {
        let (id, kinds) = (*id, *kinds);
        return tell_memory(w, id, kinds);
    }
    let Some([name, what]) = w.heap.elements(item) else { return Err(Fault::BADARG) };
    // BEAM's allocators do not exist here, so each is reported as `false`.
    if name.as_atom().is_some_and(|it| w.atoms.name(it).starts_with("allocator"))
        && let Some(kinds) = w.heap.list_items(*what)
    {
        let none: Vec<Value> =
            kinds.into_iter().map(|it| w.heap.tuple(&[it, Value::FALSE])).collect();
        return Ok(w.heap.list(&none));
    }
    let names = (name.as_atom().ok_or(Fault::BADARG)?, what.as_atom().ok_or(Fault::BADARG)?);
    match (w.atoms.name(names.0), w.atoms.name(names.1)) {
        ("wordsize", "internal" | "external") => Ok(Value::int(8)),
        ("cpu_topology", "defined") => Ok(Value::atom(AtomId::UNDEFINED)),
        ("cpu_topology", "used" | "detected") => system_info(w, &[Value::atom(names.0)]),
        ("allocator" | "allocator_sizes", _) => Ok(Value::FALSE),
        _ => Err(Fault::BADARG),
    }
}

fn statistics(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let name = arg(args, 0).as_atom().ok_or(Fault::BADARG)?;
    let text = w.atoms.name(name).to_owned();
    let zero = Value::int(0);
    let reductions: u64 = w.run.processes.values().map(|it| it.reductions).sum();
    let reductions = i64::try_from(reductions).unwrap_or(i64::MAX);
    let millis = i64::try_from(w.run.clock / 1_000_000).unwrap_or(i64::MAX);
    let queue = count(w.run.queue.len());
    Ok(match text.as_str() {
        "reductions" | "exact_reductions" => since_last(w, name, reductions),
        "runtime" => since_last(w, name, millis),
        "wall_clock" => {
            let elapsed = super::clock::monotonic(w) - super::clock::MONOTONIC_BEGIN;
            since_last(w, name, elapsed / 1_000_000)
        }
        "context_switches" => w.heap.tuple(&[zero, zero]),
        // A cell counts as a word of BEAM.
        "garbage_collection" => {
            let Collected { n, cells } = w.heap.collected;
            let number = |it: u64| Value::int(i64::try_from(it).unwrap_or(i64::MAX));
            w.heap.tuple(&[number(n), number(cells), zero])
        }
        "io" => {
            let input = super::make::pair(w, "input", zero);
            let written = count(w.run.output.len());
            let output = super::make::pair(w, "output", written);
            w.heap.tuple(&[input, output])
        }
        "run_queue" | "total_run_queue_lengths" | "total_run_queue_lengths_all" => queue,
        "total_active_tasks" | "total_active_tasks_all" => count(w.run.queue.len() + 1),
        // One number for each scheduler, then one or two for the dirty schedulers.
        "run_queue_lengths" => w.heap.list(&[queue, zero, zero]),
        "run_queue_lengths_all" => w.heap.list(&[queue, zero, zero, zero]),
        "active_tasks" => {
            let tasks = count(w.run.queue.len() + 1);
            w.heap.list(&[tasks, zero, zero])
        }
        "active_tasks_all" => {
            let tasks = count(w.run.queue.len() + 1);
            w.heap.list(&[tasks, zero, zero, zero])
        }
        "scheduler_wall_time" => wall_time(w, 2 * N_SCHEDULERS),
        "scheduler_wall_time_all" => wall_time(w, 2 * N_SCHEDULERS + N_IO_SCHEDULERS),
        "microstate_accounting" => Value::atom(AtomId::UNDEFINED),
        _ => return Err(Fault::BADARG),
    })
}

/// Makes `[{Scheduler, Active, Total}]` if the flag is set, otherwise `undefined`. The first scheduler does all the
/// work.
fn wall_time(w: &mut World, n: i64) -> Value {
    let name = w.atoms.intern("scheduler_wall_time");
    if w.run.system_flags.get(&name).and_then(|it| it.as_bool()) != Some(true) {
        return Value::atom(AtomId::UNDEFINED);
    }
    let total = Value::int(i64::try_from(w.run.clock).unwrap_or(i64::MAX));
    let active = |id: i64| if id == 1 { total } else { Value::int(0) };
    let items: Vec<Value> =
        (1..=n).map(|id| w.heap.tuple(&[Value::int(id), active(id), total])).collect();
    w.heap.list(&items)
}

/// Sends the allocation statistics, which on BEAM each allocating thread sends. Here one thread answers, and only
/// timers are counted.
fn tell_memory(w: &mut World, id: Value, kinds: Value) -> Result<Value, Fault> {
    let kinds = w.heap.list_items(kinds).ok_or(Fault::BADARG)?;
    let used = count(w.run.timers.running().len() * TIMER_BYTES);
    let mut items = Vec::new();
    for kind in kinds {
        if kind.as_atom().is_none_or(|it| w.atoms.name(it) != "fix_alloc") {
            items.push(w.heap.tuple(&[kind, Value::FALSE]));
            continue;
        }
        let timers = [atom(w, "bif_timer"), used, used];
        let timers = w.heap.tuple(&timers);
        let types = w.heap.list(&[timers]);
        let types = super::make::pair(w, "fix_types", types);
        let types = w.heap.list(&[types]);
        items.push(w.heap.tuple(&[kind, Value::int(0), types]));
    }
    let items = w.heap.list(&items);
    let message = w.heap.tuple(&[id, Value::int(0), items]);
    w.send(w.run.current, message);
    Ok(Value::TRUE)
}

/// Returns a part of the text of a crash dump.
fn described(w: &mut World, part: &str) -> Value {
    let lines: Vec<String> = match part {
        "procs" => w.run.processes.keys().map(|it| format!("=proc:<0.{}.0>", it.0)).collect(),
        "loaded" => w.modules.keys().map(|it| w.atoms.name(*it).to_owned()).collect(),
        "dist" => vec!["=node:nonode@nohost".to_owned()],
        _ => memory_items(w).iter().map(|it| format!("{}: {}", it.0, it.1)).collect(),
    };
    let text: String = lines.iter().flat_map(|it| [it.as_str(), "\n"]).collect();
    w.heap.binary(text.as_bytes())
}

/// Makes `{Total, SinceLastCall}`.
fn since_last(w: &mut World, name: AtomId, total: i64) -> Value {
    let last = w.run.last_statistics.insert(name, total).unwrap_or(0);
    w.heap.tuple(&[Value::int(total), Value::int(total - last)])
}

fn memory_items(w: &World) -> Vec<(&'static str, usize)> {
    let used = w.heap.bytes_used();
    let atoms = w.atoms.len() * 32;
    let code = w.modules.len() * 65_536;
    let system = atoms + code;
    vec![
        ("total", used + system),
        ("processes", used),
        ("processes_used", used),
        ("system", system),
        ("atom", atoms),
        ("atom_used", atoms),
        ("binary", 0),
        ("code", code),
        ("ets", 0),
    ]
}

fn memory(w: &mut World) -> Value {
    let items: Vec<(&str, Value)> =
        memory_items(w).into_iter().map(|it| (it.0, count(it.1))).collect();
    pairs(w, &items)
}

fn memory_of(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let items = memory_items(w);
    let find = |w: &World, value: Value| {
        let name = w.atoms.name(value.as_atom()?);
        items.iter().find(|it| it.0 == name).copied()
    };
    if let Some(names) = w.heap.list_items(arg(args, 0)) {
        let found: Option<Vec<(&str, usize)>> = names.into_iter().map(|it| find(w, it)).collect();
        let found: Vec<(&str, Value)> =
            found.ok_or(Fault::BADARG)?.into_iter().map(|it| (it.0, count(it.1))).collect();
        return Ok(pairs(w, &found));
    }
    find(w, arg(args, 0)).map(|it| count(it.1)).ok_or(Fault::BADARG)
}

/// `erlang:display/1`, which writes the term directly to the terminal.
fn display(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let term = values::to_term(&w.heap, &w.atoms, arg(args, 0));
    let text = term.map_or_else(|it| it.to_string(), |it| term::print(&it, term::Style::P));
    w.run.output.extend_from_slice(text.as_bytes());
    w.run.output.push(b'\n');
    Ok(Value::TRUE)
}

fn display_string(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let chars = w.heap.list_items(arg(args, 0)).ok_or(Fault::BADARG)?;
    let char_of = |it: Value| u32::try_from(it.as_int()?).ok().and_then(char::from_u32);
    let text: Option<String> = chars.into_iter().map(char_of).collect();
    w.run.output.extend_from_slice(text.ok_or(Fault::BADARG)?.as_bytes());
    Ok(Value::TRUE)
}
