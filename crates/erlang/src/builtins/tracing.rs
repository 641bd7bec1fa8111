//! Tracing and suspending other processes. The owner of the code implements `erlang:trace_pattern`.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::make::atom;
use crate::builtins::{Builtin, Effect, Fault, How, OnBeam, Request, Shares, Stop, inside};
use crate::lift::Lift;
use crate::machine::World;
use crate::machine::tracing::{Flags, Switch, Tracee, listed};
use values::{AtomId, PidId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    inside("erlang", "trace", 3, Shares::Everything, OnBeam::Never, trace),
    inside("erts_internal", "trace", 3, Shares::Everything, OnBeam::Alike, trace),
    pattern("erlang", 2),
    pattern("erlang", 3),
    pattern("erts_internal", 3),
    inside("erlang", "trace_info", 2, Shares::Everything, OnBeam::Alike, trace_info),
    inside("erlang", "trace_delivered", 1, Shares::Nothing, OnBeam::Alike, trace_delivered),
    inside("erlang", "suspend_process", 1, Shares::Everything, OnBeam::Alike, |w, args| {
        suspend(w, arg(args, 0), Value::NIL)
    }),
    inside("erlang", "suspend_process", 2, Shares::Everything, OnBeam::Alike, |w, args| {
        suspend(w, arg(args, 0), arg(args, 1))
    }),
    inside("erlang", "resume_process", 1, Shares::Everything, OnBeam::Alike, resume),
];

const fn pattern(module: &'static str, arity: u8) -> Builtin {
    Builtin {
        module,
        name: "trace_pattern",
        arity,
        how: How::Machine(Request::TracePattern),
        effect: Effect::Machine,
        shares: Shares::Everything,
        on_beam: OnBeam::Never,
        lift: Lift::Concrete,
    }
}

fn trace(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (what, how) = (arg(args, 0), arg(args, 1));
    let options = match listed(w, arg(args, 2)) {
        Err(Fault::Error(reason)) => {
            let cause = w.atoms.intern("badopt");
            return Err(Fault::Caused(reason, cause));
        }
        other => other?,
    };
    let switch = if badarg(how.as_bool())? { Switch::On } else { Switch::Off };
    let flags = options.flags;
    let tracer = match switch {
        Switch::On => options.tracer.or(Some(w.run.current)),
        Switch::Off => options.tracer,
    };
    if let View::Port(port) = what.view() {
        if port.node() != w.here() {
            return Err(Fault::BADARG);
        }
        return Err(Stop::Unsupported { what: "tracing of ports".to_owned() }.into());
    }
    if let Some(pid) = what.as_pid() {
        let is_there = w.run.processes.contains_key(&pid) && !options.cpu_timestamp;
        if !is_there || !w.trace_process(pid, tracer, flags, switch) {
            return Err(Fault::BADARG);
        }
        return Ok(Value::int(1));
    }
    let (existing, new) = match what.as_atom().map(|it| w.atoms.name(it)) {
        Some("all" | "processes") => (true, true),
        Some("existing" | "existing_processes") => (true, false),
        Some("new" | "new_processes") => (false, true),
        Some("ports" | "existing_ports" | "new_ports") => (false, false),
        _ => return Err(Fault::BADARG),
    };
    if options.cpu_timestamp && !what.is_atom(AtomId::ALL) {
        return Err(Fault::BADARG);
    }
    let mut n = 0;
    if existing && flags.concern_processes() {
        let pids: Vec<PidId> = w.run.processes.keys().copied().collect();
        n = pids.into_iter().filter(|it| w.trace_process(*it, tracer, flags, switch)).count();
    }
    if new && flags != Flags::NONE {
        w.trace_fresh(tracer, flags, switch);
    }
    Ok(Value::int(i64::try_from(n).unwrap_or(i64::MAX)))
}

fn trace_info(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (what, key) = (arg(args, 0), badarg(arg(args, 1).as_atom())?);
    let key_name = w.atoms.name(key).to_owned();
    let answer = |w: &mut World, value: Value| Ok(w.heap.tuple(&[Value::atom(key), value]));
    let tracee = match what.view() {
        View::Pid(pid) if w.run.processes.contains_key(&pid) => w.tracee(pid),
        View::Pid(_) if w.node_of(what) != w.here() => {
            let cause = w.atoms.intern("badopt");
            return Err(Fault::Caused(Value::atom(AtomId::BADARG), cause));
        }
        View::Pid(_) => return Ok(Value::atom(AtomId::UNDEFINED)),
        View::Atom(name) => match w.atoms.name(name) {
            "new" | "new_processes" => w.fresh_tracee(),
            "new_ports" => Tracee::default(),
            "on_load" => return answer(w, Value::FALSE),
            "send" | "receive" if key_name == "match_spec" => return answer(w, Value::TRUE),
            _ => return Err(Fault::BADARG),
        },
        View::Tuple(..) => return function_info(w, what, key),
        _ => return Err(Fault::BADARG),
    };
    match key_name.as_str() {
        "flags" => {
            let flags = w.flags_term(tracee.flags);
            answer(w, flags)
        }
        "tracer" => answer(w, tracee.tracer.map_or(Value::NIL, Value::pid)),
        _ => Err(Fault::BADARG),
    }
}

const FUNCTION_KEYS: &[&str] =
    &["traced", "match_spec", "meta", "meta_match_spec", "call_count", "call_time", "all"];

fn function_info(w: &mut World, what: Value, key: AtomId) -> Result<Value, Fault> {
    let Some([module, name, arity]) = w.heap.elements(what) else { return Err(Fault::BADARG) };
    let (module, name) = (badarg(module.as_atom())?, badarg(name.as_atom())?);
    let arity = badarg(arity.as_int().and_then(|it| u32::try_from(it).ok()))?;
    let key_name = w.atoms.name(key).to_owned();
    if !FUNCTION_KEYS.contains(&key_name.as_str()) {
        return Err(Fault::BADARG);
    }
    let value = match w.watched((module, name, arity), &key_name) {
        Some(value) => value,
        None if has_function(w, module, name, arity) => Value::FALSE,
        None => Value::atom(AtomId::UNDEFINED),
    };
    Ok(w.heap.tuple(&[Value::atom(key), value]))
}

fn has_function(w: &World, module: AtomId, name: AtomId, arity: u32) -> bool {
    let loaded = w.modules.get(&module);
    let (text, function) = (w.atoms.name(module), w.atoms.name(name));
    loaded.is_some_and(|it| it.functions.contains(&(name, arity)))
        || super::all()
            .any(|it| it.module == text && it.name == function && u32::from(it.arity) == arity)
}

/// `erlang:trace_delivered/1`. Trace messages are delivered at once, so the answer is sent immediately.
fn trace_delivered(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let what = arg(args, 0);
    if what.as_pid().is_none() && !what.is_atom(AtomId::ALL) {
        return Err(Fault::BADARG);
    }
    let reference = Value::reference(w.new_ref());
    let tag = atom(w, "trace_delivered");
    let message = w.heap.tuple(&[tag, what, reference]);
    w.send(w.run.current, message);
    Ok(reference)
}

// Suspending

fn suspend(w: &mut World, who: Value, options: Value) -> Result<Value, Fault> {
    let pid = w.local_pid(who)?;
    let (mut once, mut reply) = (false, None);
    for option in badarg(w.heap.list_items(options))? {
        match (option.as_atom().map(|it| w.atoms.name(it)), w.heap.elements(option)) {
            (Some("unless_suspending"), _) => once = true,
            (Some("asynchronous"), _) => (),
            (None, Some([name, tag]))
                if name.as_atom().is_some_and(|it| w.atoms.name(it) == "asynchronous") =>
            {
                reply = Some(*tag);
            }
            _ => return Err(Fault::BADARG),
        }
    }
    let me = w.run.current;
    if pid == me || (!w.run.processes.contains_key(&pid) && reply.is_none()) {
        return Err(Fault::BADARG);
    }
    let count = w.run.suspended.get(&(me, pid)).copied().unwrap_or(0);
    let does = !(once && count > 0);
    if does && w.run.processes.contains_key(&pid) {
        w.run.suspended.insert((me, pid), count + 1);
        w.note_suspended(pid);
    }
    if let Some(tag) = reply {
        let what = if w.is_alive(pid) { "suspended" } else { "exited" };
        let what = atom(w, what);
        let message = w.heap.tuple(&[tag, what]);
        w.send(me, message);
    }
    Ok(Value::bool(does))
}

fn resume(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let pid = w.local_pid(arg(args, 0))?;
    let me = w.run.current;
    let count = badarg(w.run.suspended.get_mut(&(me, pid)))?;
    *count -= 1;
    if *count == 0 {
        w.run.suspended.remove(&(me, pid));
        w.unstall(pid);
    }
    Ok(Value::TRUE)
}

/// Makes `[{Pid, ActiveCount, OutstandingCount}]` for the processes that a process has suspended.
pub(crate) fn suspending(w: &mut World, pid: PidId) -> Value {
    let mine: Vec<(PidId, i64)> =
        w.run.suspended.iter().filter(|it| it.0.0 == pid).map(|it| (it.0.1, *it.1)).collect();
    let zero = Value::int(0);
    let items: Vec<Value> = mine
        .into_iter()
        .map(|it| w.heap.tuple(&[Value::pid(it.0), Value::int(it.1), zero]))
        .collect();
    w.heap.list(&items)
}
