//! `process_info`: the observable state of a process, including its position in the program.

use crate::builtins::debug::words_of;
use crate::builtins::make::{atom, count, pair, pairs};
use crate::builtins::process_flags::{BIN_VHEAP_WORDS, HEAP_WORDS, heap_size_of};
use crate::builtins::{Builtin, Fault};
use crate::machine::World;
use crate::machine::interpret::Cpu;
use crate::machine::process::{Execution, HeapLimit, MonitorTarget, Process, Status};
use crate::machine::raise::{depth_asked, frames_at};
use crate::machine::versions::{CodePosition, positions};
use crate::machine::world::{INIT, LITERAL_COLLECTOR, USER};
use values::{AtomId, NodeId, PidId, RefId, Value};

const FULLSWEEP_AFTER: i64 = 65_535;
/// The memory in bytes that is reported for a process with the minimal heap.
const PROCESS_BYTES: i64 = 2_640;
const WORD_BYTES: i64 = 8;

/// The items of `process_info/1`, in BEAM's order.
const USUAL: &[&str] = &[
    "registered_name",
    "current_function",
    "initial_call",
    "status",
    "message_queue_len",
    "links",
    "dictionary",
    "trap_exit",
    "error_handler",
    "priority",
    "group_leader",
    "total_heap_size",
    "heap_size",
    "stack_size",
    "reductions",
    "garbage_collection",
    "suspending",
];

/// Computes the builtins that need to see the positions of processes.
pub(super) fn answer(cpu: &mut Cpu<'_>, builtin: &Builtin, args: &[Value]) -> Result<Value, Fault> {
    match (builtin.name, args) {
        ("check_process_code", [module]) => {
            let module = module.as_atom().ok_or(Fault::BADARG)?;
            Ok(Value::bool(runs_old(cpu, cpu.world.run.current, module)))
        }
        ("request_system_task", [whom, priority, request]) => {
            let me = Value::pid(cpu.world.run.current);
            system_task(cpu, [me, *whom, *priority, *request])
        }
        ("request_system_task", [asker, whom, priority, request]) => {
            system_task(cpu, [*asker, *whom, *priority, *request])
        }
        _ => process_info(cpu, args),
    }
}

/// Whether a process runs the old version of a module.
fn runs_old(cpu: &Cpu<'_>, pid: PidId, module: AtomId) -> bool {
    if pid != cpu.world.run.current {
        return execution(cpu.world, pid).is_some_and(|it| cpu.world.is_old(module, positions(it)));
    }
    let pcs = std::iter::once(cpu.pc).chain(cpu.frames.iter().map(|it| it.pc));
    cpu.world.is_old(module, pcs.map(|it| CodePosition::Address(it.saturating_sub(1))))
}

/// Executes a system task on a process. It is done immediately, and the asking process gets the message
/// `{Task, Id, Result}`.
fn system_task(cpu: &mut Cpu<'_>, args: [Value; 4]) -> Result<Value, Fault> {
    let [asker, whom, priority, request] = args;
    let (asker, whom) = (asker.as_pid(), whom.as_pid());
    let (asker, whom) = (asker.ok_or(Fault::BADARG)?, whom.ok_or(Fault::BADARG)?);
    let priority = priority.as_atom().map(|it| cpu.world.atoms.name(it));
    if !matches!(priority, Some("max" | "high" | "normal" | "low" | "inherit")) {
        return Err(Fault::BADARG);
    }
    let (task, id, about) = match cpu.world.heap.elements(request) {
        Some([task, id, about]) => (*task, *id, *about),
        // A test of OTP's suite sends a task without an argument.
        Some([task, id]) => (*task, *id, Value::NIL),
        _ => return Err(Fault::BADARG),
    };
    let is_there = cpu.world.is_alive(whom);
    let name = task.as_atom().map(|it| cpu.world.atoms.name(it));
    let result = match (name, about.as_atom()) {
        (Some("garbage_collect"), Some(kind)) => {
            if is_there {
                let kind = cpu.world.atoms.name(kind).to_owned();
                cpu.world.trace_collected(whom, &kind);
            }
            Value::bool(is_there)
        }
        (Some("check_process_code"), Some(module)) => Value::bool(runs_old(cpu, whom, module)),
        (Some("system_task_test"), None) if about.is_nil() => Value::TRUE,
        // The machine does not move literals, so there is nothing to copy.
        (Some("copy_literals"), Some(_)) => Value::atom(AtomId::OK),
        _ => return Err(Fault::BADARG),
    };
    let message = cpu.world.heap.tuple(&[task, id, result]);
    cpu.world.send(asker, message);
    Ok(Value::atom(AtomId::OK))
}

/// `process_info/1,2`
fn process_info(cpu: &mut Cpu<'_>, args: &[Value]) -> Result<Value, Fault> {
    let pid = cpu.world.former_pid(args.first().copied().unwrap_or(Value::NIL))?;
    let wanted = match args.get(1) {
        Some(items) => InfoItems::read(cpu.world, *items)?,
        None => InfoItems::Usual,
    };
    if !cpu.world.is_alive(pid) {
        return Ok(Value::atom(AtomId::UNDEFINED));
    }
    match wanted {
        InfoItems::Usual => {
            let mut items = Vec::new();
            for name in USUAL {
                let value = item(cpu, pid, name)?;
                let is_nameless = *name == "registered_name" && value.is_nil();
                if !is_nameless {
                    items.push(pair(cpu.world, name, value));
                }
            }
            Ok(cpu.world.heap.list(&items))
        }
        InfoItems::One(name) => {
            let text = cpu.world.atoms.name(name).to_owned();
            let value = item(cpu, pid, &text)?;
            // This item is omitted if it is empty.
            if text == "registered_name" && value.is_nil() {
                return Ok(Value::NIL);
            }
            Ok(cpu.world.heap.tuple(&[Value::atom(name), value]))
        }
        InfoItems::Many(names) => {
            let mut items = Vec::new();
            for name in names {
                let text = cpu.world.atoms.name(name).to_owned();
                let value = item(cpu, pid, &text)?;
                items.push(cpu.world.heap.tuple(&[Value::atom(name), value]));
            }
            Ok(cpu.world.heap.list(&items))
        }
    }
}

enum InfoItems {
    Usual,
    One(AtomId),
    Many(Vec<AtomId>),
}

impl InfoItems {
    fn read(w: &World, items: Value) -> Result<InfoItems, Fault> {
        if let Some(name) = items.as_atom() {
            return Ok(InfoItems::One(name));
        }
        let items = w.heap.list_items(items).ok_or(Fault::BADARG)?;
        let names: Option<Vec<AtomId>> = items.iter().map(|it| it.as_atom()).collect();
        names.map(InfoItems::Many).ok_or(Fault::BADARG)
    }
}

/// An item of a process that is alive.
fn item(cpu: &mut Cpu<'_>, pid: PidId, name: &str) -> Result<Value, Fault> {
    if matches!(name, "current_function" | "current_location" | "current_stacktrace") {
        return Ok(place(cpu, pid, name));
    }
    let is_sensitive = cpu.world.is_sensitive(pid);
    match name {
        "backtrace" if is_sensitive => return Ok(cpu.world.heap.binary(&[])),
        "backtrace" => return Ok(backtrace(cpu, pid)),
        "dictionary" | "messages" if is_sensitive => return Ok(Value::NIL),
        _ => (),
    }
    let is_me = pid == cpu.world.run.current;
    let n_frames =
        if is_me { cpu.frames.len() } else { execution(cpu.world, pid).map_or(0, n_frames) };
    let n_catches = if name == "catchlevel" { n_catches(cpu, pid) } else { 0 };
    let heap = match name {
        "total_heap_size" | "heap_size" | "memory" | "garbage_collection_info" => {
            let least = flag(cpu.world, pid, "min_heap_size").as_int().unwrap_or(HEAP_WORDS);
            heap_size(cpu, pid, least)
        }
        _ => HeapSize::default(),
    };
    let is_dirty = name == "status" && cpu.is_dirty(pid);
    let w = &mut *cpu.world;
    let status = if is_dirty { AtomId::RUNNING } else { status_of(w, pid) };
    let outside;
    let process = match w.run.processes.get(&pid) {
        Some(process) => process,
        None => {
            outside = device(w, pid);
            &outside
        }
    };
    Ok(match name {
        "registered_name" => process.name.map_or(Value::NIL, Value::atom),
        "initial_call" => {
            let (module, name, arity) = process.initial_call;
            let arity = Value::int(i64::from(arity));
            w.heap.tuple(&[Value::atom(module), Value::atom(name), arity])
        }
        "status" => Value::atom(status),
        "message_queue_len" => count(process.mailbox.len()),
        "messages" => {
            let messages: Vec<Value> = process.mailbox.iter().copied().collect();
            w.heap.list(&messages)
        }
        "links" => {
            let ports = w.ports.linked_to(pid).into_iter().map(Value::port);
            let links: Vec<Value> =
                process.links.iter().map(|it| Value::pid(*it)).chain(ports).collect();
            w.heap.list(&links)
        }
        "monitors" => {
            let targets: Vec<MonitorTarget> =
                process.monitors.values().map(|it| it.target).collect();
            monitors(w, &targets)
        }
        "monitored_by" => {
            // Removed monitors remain in the list in scheduled runs.
            let is_there = |it: &&(RefId, PidId)| {
                let theirs = w.run.processes.get(&it.1).map(|it| &it.monitors);
                theirs.is_none_or(|of| of.contains_key(&it.0))
            };
            let watchers = process.monitored_by.iter().filter(is_there);
            let watchers: Vec<Value> = watchers.map(|it| Value::pid(it.1)).collect();
            w.heap.list(&watchers)
        }
        "dictionary" => {
            let dictionary = process.dictionary;
            let items = w.heap.map_pairs(dictionary).unwrap_or_default();
            let items: Vec<Value> =
                items.into_iter().map(|it| w.heap.tuple(&[it.0, it.1])).collect();
            w.heap.list(&items)
        }
        "trap_exit" => Value::bool(process.trap_exit),
        "priority" => Value::atom(process.priority),
        "group_leader" => Value::pid(process.group_leader),
        "reductions" => {
            let now = u64::from(cpu.slice.saturating_sub(cpu.fuel)) + w.heap.effort.beyond_slice();
            let all = process.reductions + if is_me { now } else { 0 };
            Value::int(i64::try_from(all).unwrap_or(i64::MAX))
        }
        "total_heap_size" | "heap_size" => Value::int(heap.block),
        "stack_size" => count(n_frames),
        "catchlevel" => count(n_catches),
        "memory" => {
            let more = (heap.block - HEAP_WORDS).max(0).saturating_mul(WORD_BYTES);
            Value::int(more.saturating_add(PROCESS_BYTES))
        }
        "suspending" => crate::builtins::tracing::suspending(w, pid),
        "sequential_trace_token" | "binary" => Value::NIL,
        "trace" => Value::int(0),
        "last_calls" => Value::FALSE,
        "magic_ref" => Value::NIL,
        "parent" => match process.parent {
            PidId(0) => Value::atom(AtomId::UNDEFINED),
            parent => Value::pid(parent),
        },
        "error_handler" | "message_queue_data" | "fullsweep_after" | "min_heap_size"
        | "min_bin_vheap_size" | "max_heap_size" | "async_dist" => flag(w, pid, name),
        "garbage_collection" => garbage_collection(w, pid),
        "garbage_collection_info" => garbage_collection_info(w, heap, n_frames),
        _ => return Err(Fault::BADARG),
    })
}

/// The number of active exception handlers of a process.
fn n_catches(cpu: &Cpu<'_>, pid: PidId) -> usize {
    let own;
    let (pc, frames) = match execution(cpu.world, pid) {
        _ if pid == cpu.world.run.current => (cpu.pc, &cpu.frames),
        Some(execution) => (execution.pc, &execution.frames),
        None => {
            own = Vec::new();
            (0, &own)
        }
    };
    let pcs = std::iter::once(pc).chain(frames.iter().map(|it| it.pc));
    pcs.map(|it| cpu.program.n_handlers_at(it.saturating_sub(1))).sum()
}

/// The size of a process's heap in words, and how many of them are used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeapSize {
    pub(super) block: i64,
    used: i64,
}

/// The heap size of a process: its minimal size, or more if it holds more data; a hibernating process has exactly what
/// it needs.
fn heap_size(cpu: &Cpu<'_>, pid: PidId, least: i64) -> HeapSize {
    let w = &*cpu.world;
    let Some(process) = w.run.processes.get(&pid) else {
        return HeapSize { block: HEAP_WORDS, used: 0 };
    };
    if process.status == Status::Hibernating {
        let values = process.execution.as_ref().map(Execution::initial).unwrap_or_default();
        let used = words_of(&w.heap, &values);
        return HeapSize { block: used + 1, used };
    }
    // For the running process, the registers are not counted: they may hold dead values.
    let used = w.held_words(process);
    HeapSize { block: if used <= least { least } else { heap_size_of(used) }, used }
}

impl World {
    /// The number of words that a process holds, without the stack if it is running.
    fn held_words(&self, process: &Process) -> i64 {
        let mut values = Vec::new();
        if let Some(execution) = &process.execution {
            values.extend(execution.stack.iter().take(execution.live));
        }
        values.push(process.dictionary);
        let messages =
            process.flags.iter().find(|it| self.atoms.name(*it.0) == "message_queue_data");
        let are_outside = messages.and_then(|it| it.1.as_atom()).map(|it| self.atoms.name(it));
        if are_outside != Some("off_heap") {
            values.extend(process.mailbox.iter());
        }
        let n_values = i64::try_from(values.len()).unwrap_or(i64::MAX / 2);
        words_of(&self.heap, &values) + n_values
    }

    /// Enforces the heap limit of a process that is not running: kills it or logs the excess, as its limit says.
    pub(crate) fn enforce_heap_limit(&mut self, pid: PidId) {
        let Some(process) = self.run.processes.get(&pid) else { return };
        let Some(limit) = process.heap_limit.filter(|_| process.execution.is_some()) else {
            return;
        };
        let used = self.held_words(process);
        if used > limit.words && limit.reports {
            self.log_heap_limit(pid, limit, HeapSize { block: heap_size_of(used), used });
        }
        if used > limit.words && limit.kills {
            self.terminate(pid, Value::atom(AtomId::KILLED));
        } else if let Some(process) = self.run.processes.get_mut(&pid) {
            process.heap_limit = Some(HeapLimit { made: 0, is_due: false, ..limit });
        }
    }
}

/// The process record of a device such as the terminal, which is not a process of the machine.
fn device(w: &mut World, pid: PidId) -> Process {
    let dictionary = w.heap.empty_map();
    let mut res = Process::new(pid, PidId::default(), Execution::default(), dictionary);
    res.status = Status::Waiting;
    res.group_leader = USER;
    res.name = w.name_of_device(pid);
    let code = match pid.on(NodeId::FIRST) {
        INIT => Some(("erl_init", 2)),
        LITERAL_COLLECTOR => Some(("erts_literal_area_collector", 0)),
        _ => None,
    };
    if let Some((module, arity)) = code {
        res.initial_call = (w.atoms.intern(module), w.atoms.intern("start"), arity);
    }
    res
}

fn status_of(w: &World, pid: PidId) -> AtomId {
    match w.run.processes.get(&pid).map(|it| it.status) {
        _ if pid == w.run.current => AtomId::RUNNING,
        Some(_) if w.is_suspended(pid) => AtomId::SUSPENDED,
        Some(Status::Runnable) => AtomId::RUNNABLE,
        Some(Status::Waiting | Status::Hibernating) | None => AtomId::WAITING,
    }
}

fn monitors(w: &mut World, targets: &[MonitorTarget]) -> Value {
    let mut items = Vec::new();
    for target in targets {
        let target = match target {
            MonitorTarget::Process(pid) => Value::pid(*pid),
            MonitorTarget::Name(name, node, _) => {
                w.heap.tuple(&[Value::atom(*name), Value::atom(*node)])
            }
            MonitorTarget::Port(id, name) => {
                let port = match name {
                    Some(name) => {
                        let node = w.node_name(w.here());
                        w.heap.tuple(&[Value::atom(*name), Value::atom(node)])
                    }
                    None => Value::port(*id),
                };
                items.push(w.heap.tuple(&[Value::atom(AtomId::PORT), port]));
                continue;
            }
            MonitorTarget::TimeOffset => continue,
        };
        items.push(w.heap.tuple(&[Value::atom(AtomId::PROCESS), target]));
    }
    w.heap.list(&items)
}

/// The value of a process flag, or its default.
pub(crate) fn flag(w: &mut World, pid: PidId, name: &str) -> Value {
    let id = w.atoms.intern(name);
    if let Some(value) = w.run.processes.get(&pid).and_then(|it| it.flags.get(&id)) {
        return *value;
    }
    // A system-wide value is the default for processes that do not set their own.
    if let Some(value) = w.run.system_flags.get(&id) {
        return *value;
    }
    match name {
        "error_handler" => Value::atom(id),
        "message_queue_data" => atom(w, "on_heap"),
        "fullsweep_after" => Value::int(FULLSWEEP_AFTER),
        "min_heap_size" => Value::int(HEAP_WORDS),
        "min_bin_vheap_size" => Value::int(BIN_VHEAP_WORDS),
        "max_heap_size" => {
            let keys = ["error_logger", "kill", "size"].map(|it| atom(w, it));
            let values = [Value::TRUE, Value::TRUE, Value::int(0)];
            w.heap.map(&w.atoms, keys.into_iter().zip(values).collect())
        }
        "sensitive" | "async_dist" => Value::FALSE,
        _ => Value::int(0),
    }
}

fn garbage_collection(w: &mut World, pid: PidId) -> Value {
    let names = ["max_heap_size", "min_bin_vheap_size", "min_heap_size", "fullsweep_after"];
    let mut items: Vec<(&str, Value)> =
        names.into_iter().map(|it| (it, flag(w, pid, it))).collect();
    items.push(("minor_gcs", Value::int(0)));
    pairs(w, &items)
}

pub(crate) fn garbage_collection_info(w: &mut World, heap: HeapSize, n_frames: usize) -> Value {
    let zero = Value::int(0);
    let items = [
        ("old_heap_block_size", zero),
        ("heap_block_size", Value::int(heap.block.max(HEAP_WORDS))),
        ("mbuf_size", zero),
        ("recent_size", zero),
        ("stack_size", count(n_frames)),
        ("old_heap_size", zero),
        ("heap_size", Value::int(heap.used)),
        ("bin_vheap_size", zero),
        ("bin_vheap_block_size", Value::int(BIN_VHEAP_WORDS)),
        ("bin_old_vheap_size", zero),
        ("bin_old_vheap_block_size", Value::int(BIN_VHEAP_WORDS)),
    ];
    pairs(w, &items)
}

// Positions of processes

pub(super) fn execution(w: &World, pid: PidId) -> Option<&Execution> {
    w.run.processes.get(&pid)?.execution.as_ref()
}

fn n_frames(execution: &Execution) -> usize {
    execution.frames.len()
}

fn place(cpu: &mut Cpu<'_>, pid: PidId, name: &str) -> Value {
    let pcs: Vec<u32> = if pid == cpu.world.run.current {
        let callers = cpu.frames.iter().rev().map(|it| it.pc);
        std::iter::once(cpu.pc).chain(callers).collect()
    } else {
        let Some(execution) = execution(cpu.world, pid) else {
            return Value::atom(AtomId::UNDEFINED);
        };
        let callers = execution.frames.iter().rev().map(|it| it.pc);
        // A process that waits is at the instruction with which it will continue.
        std::iter::once(execution.pc + 1).chain(callers).collect()
    };
    if cpu.world.run.processes.get(&pid).is_some_and(|it| it.status == Status::Hibernating) {
        let hibernate = cpu.world.atoms.intern("hibernate");
        return call_place(cpu.world, (AtomId::ERLANG, hibernate, 3), name);
    }
    if execution(cpu.world, pid).is_some_and(Execution::is_new) {
        return new_place(cpu.world, pid, name);
    }
    let frames = frames_at(cpu.program, cpu.world, &pcs);
    match (name, frames.first().copied()) {
        ("current_stacktrace", _) => {
            let most = depth_asked(cpu.world).min(frames.len());
            cpu.world.heap.list(frames.get(..most).unwrap_or_default())
        }
        ("current_location", Some(frame)) => frame,
        (_, Some(frame)) => {
            let call: Vec<Value> = cpu
                .world
                .heap
                .elements(frame)
                .unwrap_or_default()
                .iter()
                .take(3)
                .copied()
                .collect();
            cpu.world.heap.tuple(&call)
        }
        (_, None) => Value::atom(AtomId::UNDEFINED),
    }
}

/// The stack as text. BEAM's has addresses and registers; ours has only functions.
fn backtrace(cpu: &mut Cpu<'_>, pid: PidId) -> Value {
    let frames = place(cpu, pid, "current_stacktrace");
    let mut text = String::new();
    for (n, frame) in cpu.world.heap.list_items(frames).unwrap_or_default().iter().enumerate() {
        let Some([module, name, arity, _]) = cpu.world.heap.elements(*frame) else { continue };
        let atom = |it: &Value| it.as_atom().map_or("", |it| cpu.world.atoms.name(it));
        let arity = arity.as_int().unwrap_or(0);
        let what = if n == 0 { "Program counter:" } else { "Return addr" };
        text.push_str(&format!("{what} ({}:{}/{arity})\n", atom(module), atom(name)));
    }
    cpu.world.heap.binary(text.as_bytes())
}

/// A process that has not run yet is at the beginning of its first function.
fn new_place(w: &mut World, pid: PidId, name: &str) -> Value {
    let call = w.run.processes.get(&pid).map(|it| it.initial_call);
    match call {
        Some(call) => call_place(w, call, name),
        None => Value::atom(AtomId::UNDEFINED),
    }
}

fn call_place(w: &mut World, call: (AtomId, AtomId, u32), name: &str) -> Value {
    let (module, function, arity) = call;
    let (module, function) = (Value::atom(module), Value::atom(function));
    let arity = Value::int(i64::from(arity));
    match name {
        "current_function" => w.heap.tuple(&[module, function, arity]),
        "current_location" => w.heap.tuple(&[module, function, arity, Value::NIL]),
        _ => {
            let frame = w.heap.tuple(&[module, function, arity, Value::NIL]);
            w.heap.list(&[frame])
        }
    }
}
