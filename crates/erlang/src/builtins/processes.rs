//! Processes: spawning, messages, links and monitors, names, and queries.

use crate::builtins::arithmetic::arg;
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside, process_flags};
use crate::lift;
use crate::machine::RunState;
use crate::machine::process::{AliasKind, Execution, Monitor, MonitorTarget};
use crate::machine::signals::Through;
use crate::machine::{LITERAL_COLLECTOR, World};
use term::fit_u32;
use trace::Mode;
use values::{AtomId, NodeId, PidId, PortId, RefId, Value, View};

pub(super) const ROWS: &[Builtin] = &[
    inside("erlang", "self", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        Ok(Value::pid(w.run.current))
    }),
    inside("erlang", "make_ref", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        Ok(Value::reference(w.new_ref()))
    }),
    inside("erlang", "spawn", 1, Shares::Spawn, OnBeam::ByAgent("start"), |w, args| {
        spawn_fun(w, arg(args, 0), Value::NIL)
    })
    .own(lift::spawn_fun),
    inside("erlang", "spawn", 3, Shares::Spawn, OnBeam::ByAgent("start"), |w, args| {
        spawn_mfa(w, args, Value::NIL)
    })
    .own(lift::spawn_call),
    inside(
        "erlang",
        "spawn_link",
        1,
        Shares::SpawnLinked,
        OnBeam::ByAgent("start_link"),
        |w, args| linked(w, |w, opts| spawn_fun(w, arg(args, 0), opts)),
    )
    .own(lift::spawn_fun),
    inside(
        "erlang",
        "spawn_link",
        3,
        Shares::SpawnLinked,
        OnBeam::ByAgent("start_link"),
        |w, args| linked(w, |w, opts| spawn_mfa(w, args, opts)),
    )
    .own(lift::spawn_call),
    inside(
        "erlang",
        "spawn_monitor",
        1,
        Shares::Spawn,
        OnBeam::ByAgent("start_monitor"),
        |w, args| {
            if !matches!(arg(args, 0).view(), View::Fun(at) if w.heap.fun_arity(at) == 0) {
                return Err(Fault::BADARG);
            }
            monitored(w, |w, opts| spawn_fun(w, arg(args, 0), opts))
        },
    )
    .own(lift::spawn_monitor_fun),
    inside(
        "erlang",
        "spawn_monitor",
        3,
        Shares::Spawn,
        OnBeam::ByAgent("start_monitor"),
        |w, args| monitored(w, |w, opts| spawn_mfa(w, args, opts)),
    )
    .own(lift::spawn_call),
    inside(
        "erlang",
        "spawn_opt",
        2,
        Shares::SpawnLinked,
        OnBeam::ByAgent("start_opt"),
        |w, args| spawn_fun(w, arg(args, 0), arg(args, 1)),
    )
    .moves(0b10),
    inside(
        "erlang",
        "spawn_opt",
        4,
        Shares::SpawnLinked,
        OnBeam::ByAgent("start_opt"),
        |w, args| spawn_mfa(w, args, arg(args, 3)),
    )
    .own(lift::spawn_call),
    inside("erlang", "!", 2, Shares::Send, OnBeam::Alike, send).moves(0),
    inside("erlang", "send", 2, Shares::Send, OnBeam::Alike, send).moves(0),
    inside("erlang", "send", 3, Shares::Send, OnBeam::Alike, send_with_options).moves(0b100),
    inside("erlang", "send_nosuspend", 2, Shares::Send, OnBeam::Alike, send_without_waiting)
        .moves(0),
    inside("erlang", "send_nosuspend", 3, Shares::Send, OnBeam::Alike, send_without_waiting)
        .moves(0b100),
    inside("erlang", "exit", 2, Shares::ExitSignal, OnBeam::Alike, exit).moves(0b1),
    inside("erlang", "exit_signal", 2, Shares::ExitSignal, OnBeam::Alike, exit),
    inside("erlang", "link", 1, Shares::Link(Mode::Read), OnBeam::Alike, link),
    inside("erlang", "unlink", 1, Shares::Link(Mode::Write), OnBeam::Alike, unlink),
    inside("erlang", "monitor", 2, Shares::Monitor, OnBeam::Alike, |w, args| {
        monitor(w, arg(args, 0), arg(args, 1), Value::NIL)
    })
    .moves(0b01),
    inside("erlang", "monitor", 3, Shares::Monitor, OnBeam::Alike, |w, args| {
        monitor(w, arg(args, 0), arg(args, 1), arg(args, 2))
    })
    .moves(0b101),
    inside("erlang", "demonitor", 1, Shares::Demonitor, OnBeam::Alike, |w, args| {
        demonitor(w, arg(args, 0), Value::NIL)
    }),
    inside("erlang", "demonitor", 2, Shares::Demonitor, OnBeam::Alike, |w, args| {
        demonitor(w, arg(args, 0), arg(args, 1))
    }),
    inside("erlang", "alias", 0, Shares::Nothing, OnBeam::Alike, |w, _| alias(w, Value::NIL)),
    inside("erlang", "alias", 1, Shares::Nothing, OnBeam::Alike, |w, args| alias(w, arg(args, 0))),
    inside("erlang", "unalias", 1, Shares::Unalias, OnBeam::Alike, unalias),
    inside("erlang", "register", 2, Shares::Register, OnBeam::Alike, register).moves(0b10),
    inside("erlang", "unregister", 1, Shares::Unregister, OnBeam::Alike, unregister).moves(0),
    inside("erlang", "whereis", 1, Shares::WhereIs, OnBeam::Alike, whereis).moves(0),
    inside("erlang", "registered", 0, Shares::RegisteredNames, OnBeam::Alike, registered)
        .environment(),
    inside(
        "erlang",
        "group_leader",
        0,
        Shares::GroupLeader(Mode::Read),
        OnBeam::Alike,
        group_leader,
    ),
    inside(
        "erlang",
        "group_leader",
        2,
        Shares::GroupLeader(Mode::Write),
        OnBeam::Alike,
        set_group_leader,
    ),
    inside("erlang", "is_process_alive", 1, Shares::IsAlive, OnBeam::Alike, is_process_alive),
    inside("erlang", "processes", 0, Shares::Population, OnBeam::Alike, processes).environment(),
    inside("erlang", "garbage_collect", 0, Shares::Nothing, OnBeam::Alike, |w, _| {
        w.trace_collected(w.run.current, "major");
        // The heap of the process is measured at the next point where its size is known.
        if let Some(limit) = w.me().and_then(|it| it.heap_limit.as_mut()) {
            limit.is_due = true;
        }
        Ok(Value::TRUE)
    }),
    inside("erlang", "garbage_collect", 1, Shares::IsAlive, OnBeam::Alike, |w, args| {
        collect(w, arg(args, 0), Value::NIL)
    }),
    inside("erlang", "garbage_collect", 2, Shares::IsAlive, OnBeam::Alike, |w, args| {
        collect(w, arg(args, 0), arg(args, 1))
    }),
    inside("erlang", "bump_reductions", 1, Shares::Nothing, OnBeam::Alike, bump_reductions),
];

/// `erlang:garbage_collect/1,2`. Collections are not per process here, so only the replies, traces and limits are
/// simulated.
fn collect(w: &mut World, who: Value, options: Value) -> Result<Value, Fault> {
    let pid = w.former_pid(who)?;
    let (mut kind, mut reply) = ("major", None);
    for option in w.heap.list_items(options).ok_or(Fault::BADARG)? {
        let Some([name, value]) = w.heap.elements(option) else { return Err(Fault::BADARG) };
        let name = name.as_atom().map(|it| w.atoms.name(it));
        match (name, value.as_atom().map(|it| w.atoms.name(it))) {
            (Some("async"), _) => reply = Some(*value),
            (Some("type"), Some("major")) => kind = "major",
            (Some("type"), Some("minor")) => kind = "minor",
            _ => return Err(Fault::BADARG),
        }
    }
    // An exit signal sent to the process earlier arrives before this request.
    let is_there = w.is_alive(pid) && !w.is_doomed(pid);
    let me = w.run.current;
    if let Some(reply) = reply
        && let Some(held) =
            w.run.processes.get_mut(&pid).and_then(|it| it.held_collections.as_mut())
    {
        held.push((me, reply));
        return Ok(Value::atom(AtomId::ASYNC));
    }
    if is_there {
        w.trace_collected(pid, kind);
        w.enforce_heap_limit(pid);
    }
    let Some(reply) = reply else { return Ok(Value::bool(is_there)) };
    tell_collected(w, me, reply, is_there);
    Ok(Value::atom(AtomId::ASYNC))
}

/// Sends a process the answer to its request for a collection.
pub(super) fn tell_collected(w: &mut World, asker: PidId, reply: Value, is_done: bool) {
    let tag = Value::atom(w.atoms.intern("garbage_collect"));
    let message = w.heap.tuple(&[tag, reply, Value::bool(is_done)]);
    w.send(asker, message);
}

fn bump_reductions(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let n = arg(args, 0).as_int().filter(|it| *it >= 0).ok_or(Fault::BADARG)?;
    if let Some(me) = w.me() {
        me.reductions += u64::try_from(n).unwrap_or(0).min(4000);
    }
    Ok(Value::TRUE)
}

fn pid_arg(value: Value) -> Result<PidId, Fault> {
    value.as_pid().ok_or(Fault::BADARG)
}

// Spawning

fn spawn_fun(w: &mut World, fun: Value, options: Value) -> Result<Value, Fault> {
    // A fun with parameters is spawned too; the new process then fails with `badarity`.
    let View::Fun(_) = fun.view() else { return Err(Fault::BADARG) };
    // OTP's initial call for a spawned fun is `erlang:apply/2`.
    let call = (AtomId::ERLANG, w.atoms.intern("apply"), 2);
    let here = w.here();
    spawn(w, here, Execution::apply_fun(fun, &[]), call, options)
}

pub(super) fn spawn_mfa(w: &mut World, args: &[Value], options: Value) -> Result<Value, Fault> {
    let here = w.here();
    spawn_mfa_on(w, here, args, options)
}

/// Spawns a process that calls `Module:Function(Args)` on the given node.
pub(super) fn spawn_mfa_on(
    w: &mut World,
    node: NodeId,
    args: &[Value],
    options: Value,
) -> Result<Value, Fault> {
    let (module, function) = (arg(args, 0), arg(args, 1));
    let (Some(module_id), Some(name)) = (module.as_atom(), function.as_atom()) else {
        return Err(Fault::BADARG);
    };
    let items = w.listed(0, arg(args, 2)).ok_or(Fault::BADARG)?;
    let arity = fit_u32(items.len());
    let execution = Execution::apply(module, function, &items);
    spawn(w, node, execution, (module_id, name, arity), options)
}

fn spawn(
    w: &mut World,
    node: NodeId,
    execution: Execution,
    call: (AtomId, AtomId, u32),
    options: Value,
) -> Result<Value, Fault> {
    let listed = w.heap.list_items(options);
    let listed = listed.filter(|it| it.iter().all(|it| is_spawn_option(w, *it)));
    let Some(options) = listed.filter(|it| process_flags::are_flags(w, it)) else {
        let cause = w.atoms.intern("badopt");
        return Err(Fault::Caused(Value::atom(AtomId::BADARG), cause));
    };
    let pid = w.spawn_on(node, execution)?;
    if let Some(process) = w.run.processes.get_mut(&pid) {
        process.initial_call = call;
    }
    process_flags::limit_as_usual(w, pid);
    if w.run.tracing.is_some() {
        trace_spawn(w, pid);
    }
    let mut result = Value::pid(pid);
    for option in options {
        let pair = w.heap.elements(option).map(<[Value]>::to_vec);
        match (option.as_atom(), pair.as_deref()) {
            (Some(AtomId::LINK), _) => w.link(pid),
            (Some(AtomId::MONITOR), _) => {
                let reference = w.monitor(Monitor {
                    target: MonitorTarget::Process(pid),
                    tag: None,
                    alias: None,
                });
                result = w.heap.tuple(&[Value::pid(pid), Value::reference(reference)]);
            }
            (_, Some([name, options])) if name.is_atom(AtomId::MONITOR) => {
                let reference = monitor_with(w, MonitorTarget::Process(pid), *options)?;
                result = w.heap.tuple(&[Value::pid(pid), reference]);
            }
            (_, Some([name, value])) if name.is_atom(AtomId::PRIORITY) => {
                if let (Some(process), Some(value)) =
                    (w.run.processes.get_mut(&pid), value.as_atom())
                {
                    process.priority = value;
                }
                w.run.queue.remove(pid);
                w.enqueue(pid);
            }
            (_, Some([name, value])) => {
                if let Some(name) = name.as_atom() {
                    process_flags::set_at_birth(w, pid, name, *value);
                }
            }
            _ => (),
        }
    }
    Ok(result)
}

/// Reports the spawn with its initial call to the tracer.
fn trace_spawn(w: &mut World, pid: PidId) {
    let Some(process) = w.run.processes.get(&pid) else { return };
    let (module, name, _) = process.initial_call;
    let values = process.execution.as_ref().map(Execution::initial).unwrap_or_default();
    let args = match values.as_slice() {
        [module, name, args @ ..] if module.as_atom().is_some() && name.as_atom().is_some() => {
            args.to_vec()
        }
        [fun, args @ ..] => {
            let args = w.heap.list(args);
            vec![*fun, args]
        }
        [] => Vec::new(),
    };
    let args = w.heap.list(&args);
    w.trace_spawned(pid, [Value::atom(module), Value::atom(name), args]);
}

fn is_spawn_option(w: &World, option: Value) -> bool {
    match option.as_atom() {
        Some(name) => matches!(name, AtomId::LINK | AtomId::MONITOR),
        None => matches!(w.heap.elements(option), Some([_, _])),
    }
}

fn linked(
    w: &mut World,
    spawn: impl FnOnce(&mut World, Value) -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    let options = w.heap.list(&[Value::atom(AtomId::LINK)]);
    spawn(w, options)
}

fn monitored(
    w: &mut World,
    spawn: impl FnOnce(&mut World, Value) -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    let options = w.heap.list(&[Value::atom(AtomId::MONITOR)]);
    spawn(w, options)
}

// Messages and signals

fn send(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    if w.run.tracing.is_some() {
        w.trace_sent(arg(args, 0), arg(args, 1));
    }
    w.send_to(arg(args, 0), arg(args, 1))?;
    // A port ends the process that sends it an invalid message.
    unless_killed(w, arg(args, 1))
}

/// Returns the value, unless the operation has ended the running process.
fn unless_killed(w: &mut World, value: Value) -> Result<Value, Fault> {
    match w.run.killed.take() {
        Some(reason) => Err(Fault::Killed(reason)),
        None => Ok(value),
    }
}

fn send_with_options(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let options = w.heap.list_items(arg(args, 2)).ok_or(Fault::BADARG)?;
    if options.iter().any(|it| it.is_atom(AtomId::NOCONNECT)) && !is_connected(w, arg(args, 0)) {
        return Ok(Value::atom(AtomId::NOCONNECT));
    }
    if w.run.tracing.is_some() {
        w.trace_sent(arg(args, 0), arg(args, 1));
    }
    w.send_to(arg(args, 0), arg(args, 1))?;
    Ok(Value::atom(AtomId::OK))
}

fn send_without_waiting(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let sent = send_with_options(w, args)?;
    Ok(Value::bool(sent.is_atom(AtomId::OK)))
}

/// Whether the receiver's node can be reached without connecting to it first.
fn is_connected(w: &World, to: Value) -> bool {
    match to.view() {
        View::Pid(pid) => w.is_connected(pid.node()),
        View::Ref(alias) => w.is_connected(alias.owner.node()),
        View::Tuple(..) => match w.heap.elements(to) {
            Some([_, node]) => {
                let node = node.as_atom().and_then(|it| w.heap.nodes.find(it));
                node.is_some_and(|it| w.is_connected(it))
            }
            _ => true,
        },
        _ => true,
    }
}

fn exit(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let to = match arg(args, 0).view() {
        View::Pid(_) if !w.reaches(w.node_of(arg(args, 0))) => return Ok(Value::TRUE),
        View::Port(_) if w.node_of(arg(args, 0)) != w.here() => return Err(Fault::BADARG),
        View::Pid(pid) => pid,
        View::Port(id) => {
            let me = w.run.current;
            w.port_signal(me, id, arg(args, 1));
            return unless_killed(w, Value::TRUE);
        }
        _ => return Err(Fault::BADARG),
    };
    let me = w.run.current;
    w.exit_signal(me, to, arg(args, 1), Through::Exit);
    unless_killed(w, Value::TRUE)
}

// Links and monitors

fn link(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    if let View::Port(id) = arg(args, 0).view() {
        if w.node_of(arg(args, 0)) != w.here() {
            return Err(Fault::BADARG);
        }
        let me = w.run.current;
        let traps = w.me().is_some_and(|it| it.trap_exit);
        let noproc = Value::atom(AtomId::NOPROC);
        return match w.ports.open.get_mut(&id) {
            Some(port) => {
                port.links.insert(me);
                Ok(Value::TRUE)
            }
            None if traps => {
                w.signal(arg(args, 0), me, noproc, Through::Link);
                Ok(Value::TRUE)
            }
            None => Err(Fault::Error(noproc)),
        };
    }
    let pid = pid_arg(arg(args, 0))?;
    let me = w.run.current;
    let node = w.node_of(arg(args, 0));
    if !w.reaches(node) {
        w.exit_signal(pid, me, Value::atom(AtomId::NOCONNECTION), Through::Link);
        return unless_killed(w, Value::TRUE);
    }
    let traps = w.me().is_some_and(|it| it.trap_exit);
    // For a process on another node, the missing process is reported later by a signal.
    if !w.is_alive(pid) && pid != me && !traps && node == w.here() {
        return Err(Fault::Error(Value::atom(AtomId::NOPROC)));
    }
    w.link(pid);
    unless_killed(w, Value::TRUE)
}

fn unlink(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    if let View::Port(id) = arg(args, 0).view() {
        if w.node_of(arg(args, 0)) != w.here() {
            return Err(Fault::BADARG);
        }
        let me = w.run.current;
        if let Some(port) = w.ports.open.get_mut(&id) {
            port.links.remove(&me);
        }
        return Ok(Value::TRUE);
    }
    let pid = pid_arg(arg(args, 0))?;
    w.unlink(pid);
    Ok(Value::TRUE)
}

fn monitor(w: &mut World, kind: Value, object: Value, options: Value) -> Result<Value, Fault> {
    let object = w.follow_receiver(object);
    let target = match (kind.as_atom(), object.view()) {
        (Some(AtomId::PROCESS), View::Pid(pid)) => MonitorTarget::Process(pid),
        (Some(AtomId::PROCESS), View::Atom(name)) => {
            MonitorTarget::Name(name, w.node_name(w.here()), w.locate(name)?)
        }
        (Some(AtomId::PROCESS), View::Tuple(..)) => match w.heap.elements(object) {
            Some([name, node]) if let Some(node) = node.as_atom() => {
                let name = name.as_atom().ok_or(Fault::BADARG)?;
                let place = w.heap.nodes.find(node).filter(|it| w.is_up(*it));
                // A node that is not distributed knows no other nodes.
                if place.is_none() && !w.heap.nodes.is_distributed() {
                    return Err(Fault::BADARG);
                }
                let found = place.map(|it| w.locate_on(it, name)).transpose()?;
                MonitorTarget::Name(name, node, found.flatten())
            }
            _ => return Err(Fault::BADARG),
        },
        (Some(AtomId::PORT), View::Port(id)) if w.node_of(object) == w.here() => {
            MonitorTarget::Port(id, None)
        }
        // The port of an earlier incarnation of this node, which no longer exists.
        (Some(AtomId::PORT), View::Port(_))
            if w.heap.nodes.name_of(object) == Some(w.node_name(w.here())) =>
        {
            MonitorTarget::Port(NO_PORT, None)
        }
        (Some(AtomId::PORT), View::Atom(name)) => port_named(w, name),
        (Some(AtomId::PORT), View::Tuple(..)) => match w.heap.elements(object) {
            Some([name, node]) if node.as_atom() == Some(w.node_name(w.here())) => {
                let name = name.as_atom().ok_or(Fault::BADARG)?;
                port_named(w, name)
            }
            _ => return Err(Fault::BADARG),
        },
        (Some(AtomId::TIME_OFFSET), View::Atom(_)) => MonitorTarget::TimeOffset,
        _ => return Err(Fault::BADARG),
    };
    monitor_with(w, target, options)
}

const NO_PORT: PortId = PortId(u64::MAX);

/// Returns the monitor target for a port name. An unused name stands for a closed port.
fn port_named(w: &World, name: AtomId) -> MonitorTarget {
    let id = w.ports.names.get(&name).copied().unwrap_or(NO_PORT);
    MonitorTarget::Port(id, Some(name))
}

fn monitor_with(w: &mut World, target: MonitorTarget, options: Value) -> Result<Value, Fault> {
    let mut monitor = Monitor { target, tag: None, alias: None };
    for option in w.heap.list_items(options).ok_or(Fault::BADARG)? {
        match w.heap.elements(option) {
            Some([name, value]) if name.is_atom(AtomId::ALIAS) => {
                monitor.alias = Some(alias_kind(*value)?);
            }
            Some([name, value]) if name.is_atom(AtomId::TAG) => monitor.tag = Some(*value),
            _ => return Err(Fault::BADARG),
        }
    }
    Ok(Value::reference(w.monitor(monitor)))
}

fn alias_kind(value: Value) -> Result<AliasKind, Fault> {
    match value.as_atom() {
        Some(AtomId::EXPLICIT_UNALIAS) => Ok(AliasKind::Explicit),
        Some(AtomId::DEMONITOR) => Ok(AliasKind::Demonitor),
        Some(AtomId::REPLY_DEMONITOR) => Ok(AliasKind::Reply),
        _ => Err(Fault::BADARG),
    }
}

fn demonitor(w: &mut World, reference: Value, options: Value) -> Result<Value, Fault> {
    let is_here = w.node_of(reference) == w.here();
    let id = reference.as_ref().filter(|_| is_here).ok_or(Fault::BADARG)?;
    let options = w.heap.list_items(options).ok_or(Fault::BADARG)?;
    let has = |name: AtomId| options.iter().any(|it| it.is_atom(name));
    if options.iter().any(|it| !it.is_atom(AtomId::FLUSH) && !it.is_atom(AtomId::INFO)) {
        return Err(Fault::BADARG);
    }
    let me = w.run.current;
    // A monitor of another process can't be removed.
    let mut was_there = id.owner == me
        && match has(AtomId::FLUSH) && !has(AtomId::INFO) {
            true => w.demonitor_flushing(id),
            false => w.demonitor(me, id),
        };
    if has(AtomId::FLUSH) && !was_there {
        let flushed = flush_down(w, id);
        was_there = flushed && !has(AtomId::INFO);
    }
    Ok(Value::bool(!has(AtomId::INFO) || was_there))
}

/// Removes the `'DOWN'` message of a monitor from the mailbox. Returns whether it was there.
fn flush_down(w: &mut World, id: RefId) -> bool {
    let reference = Value::reference(id);
    let World { heap, run: RunState { processes, current, .. }, .. } = w;
    let Some(me) = processes.get_mut(current) else { return false };
    let place = me.mailbox.iter().position(
        |it| matches!(heap.elements(*it), Some([_, id, _, _, _]) if id.same_word(reference)),
    );
    let Some(place) = place else { return false };
    let letter = me.letters.remove(place);
    me.marks.taken(place);
    me.mailbox.remove(place);
    w.flush(id, letter);
    true
}

fn alias(w: &mut World, options: Value) -> Result<Value, Fault> {
    let options = w.heap.list_items(options).ok_or(Fault::BADARG)?;
    let mut kind = AliasKind::Explicit;
    for option in options {
        kind = match option.as_atom() {
            Some(AtomId::EXPLICIT_UNALIAS) => AliasKind::Explicit,
            Some(name) if w.atoms.name(name) == "reply" => AliasKind::Reply,
            _ => return Err(Fault::BADARG),
        };
    }
    let reference = w.new_ref();
    if let Some(me) = w.me() {
        me.aliases.insert(reference, kind);
    }
    Ok(Value::reference(reference))
}

fn unalias(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let id = arg(args, 0).as_ref().ok_or(Fault::BADARG)?;
    let removed = w.me().and_then(|it| it.aliases.remove(&id));
    Ok(Value::bool(removed.is_some()))
}

// Names

fn register(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let is_gone = w.local_pid(arg(args, 1)).is_ok_and(|it| !w.is_alive(it));
    give_name(w, args).map_err(|_| {
        let cause = w.atoms.intern(if is_gone { "notalive" } else { "none" });
        Fault::Caused(Value::atom(AtomId::BADARG), cause)
    })
}

fn give_name(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    w.follow_given_name(arg(args, 0));
    let name = arg(args, 0).as_atom().filter(|it| *it != AtomId::UNDEFINED).ok_or(Fault::BADARG)?;
    if w.run.registry.contains_key(&(w.here(), name)) || w.ports.names.contains_key(&name) {
        return Err(Fault::BADARG);
    }
    if let View::Port(id) = arg(args, 1).view() {
        let port = w.ports.open.get_mut(&id).ok_or(Fault::BADARG)?;
        if port.registered.is_some() {
            return Err(Fault::BADARG);
        }
        port.registered = Some(name);
        w.ports.names.insert(name, id);
        return Ok(Value::TRUE);
    }
    let pid = w.local_pid(arg(args, 1))?;
    let process = w.run.processes.get_mut(&pid).ok_or(Fault::BADARG)?;
    if process.name.is_some() {
        return Err(Fault::BADARG);
    }
    process.name = Some(name);
    w.run.registry.insert((pid.node(), name), pid);
    if w.run.tracing.is_some() {
        w.trace_named(pid, name, "register");
    }
    Ok(Value::TRUE)
}

fn unregister(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    w.follow_name(arg(args, 0));
    let name = arg(args, 0).as_atom().ok_or(Fault::BADARG)?;
    if let Some(id) = w.ports.names.remove(&name) {
        if let Some(port) = w.ports.open.get_mut(&id) {
            port.registered = None;
        }
        return Ok(Value::TRUE);
    }
    let pid = w.run.registry.remove(&(w.here(), name)).ok_or(Fault::BADARG)?;
    if let Some(process) = w.run.processes.get_mut(&pid) {
        process.name = None;
    }
    if w.run.tracing.is_some() {
        w.trace_named(pid, name, "unregister");
    }
    Ok(Value::TRUE)
}

fn whereis(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    w.follow_name(arg(args, 0));
    let name = arg(args, 0).as_atom().ok_or(Fault::BADARG)?;
    if let Some(port) = w.ports.names.get(&name) {
        return Ok(Value::port(*port));
    }
    Ok(w.locate(name)?.map_or(Value::atom(AtomId::UNDEFINED), Value::pid))
}

fn registered(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let here = w.here();
    let names = w.run.registry.keys().filter(|it| it.0 == here).map(|it| it.1);
    let names = names.chain(w.ports.names.keys().copied());
    let names: Vec<Value> = names.map(Value::atom).collect();
    Ok(w.heap.list(&names))
}

fn group_leader(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    Ok(Value::pid(w.me().map_or(crate::machine::USER, |it| it.group_leader)))
}

fn set_group_leader(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (leader, pid) = (pid_arg(arg(args, 0))?, pid_arg(arg(args, 1))?);
    if !w.reaches(w.node_of(arg(args, 1))) {
        return Ok(Value::TRUE);
    }
    match w.run.processes.get_mut(&pid) {
        Some(process) => process.group_leader = leader,
        // Devices are their own group leaders.
        None => w.is_device(pid).then_some(()).ok_or(Fault::BADARG)?,
    }
    Ok(Value::TRUE)
}

// Queries

fn is_process_alive(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let pid = w.former_pid(arg(args, 0))?;
    Ok(Value::bool(w.is_alive(pid) && !w.is_doomed(pid)))
}

fn processes(w: &mut World, _: &[Value]) -> Result<Value, Fault> {
    let here = w.here();
    let own =
        w.run.processes.keys().filter(|it| it.node() == here && !w.is_from_the_beginning(**it));
    // Processes that every system starts with are hidden, except the literal collector, which has no name to look it up
    // by.
    let collector = std::iter::once(LITERAL_COLLECTOR.on(here));
    let pids: Vec<Value> = collector.chain(own.copied()).map(Value::pid).collect();
    Ok(w.heap.list(&pids))
}
