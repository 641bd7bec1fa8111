//! Interactions between processes: messages, exit signals, links, monitors, names.
//!
//! Unless the run is scheduled, signals are delivered instantly and in order. This module runs no Erlang code.

use crate::builtins::{Fault, Stop};
use crate::machine::World;
use crate::machine::io;
use crate::machine::process::{AliasKind, Execution, Monitor, MonitorTarget, Process, Status};
use crate::machine::queue::Priority;
use crate::machine::schedule::WaitTurn;
use crate::machine::timers::{Timer, TimerId, TimerTarget};
use crate::machine::world::{INIT, LITERAL_COLLECTOR, NET_KERNEL, STANDARD_ERROR, USER};
use values::{AtomId, NodeId, PidId, RefId, Value, View};

const NANOS_PER_MILLI: u64 = 1_000_000;

impl World {
    // Messages

    pub fn send(&mut self, to: PidId, message: Value) {
        if self.is_device(to) {
            match to.on(NodeId::FIRST) {
                INIT => (),
                NET_KERNEL => self.ask_net_kernel(message),
                LITERAL_COLLECTOR => self.ask_literal_collector(message),
                _ => io::request(self, to, message),
            }
            return;
        }
        if self.run.schedule.is_some() {
            if self.is_lost(to, message) {
                return;
            }
            self.post(to, message);
        }
        if self.run.tracing.is_some() {
            self.trace_received(to, message);
        }
        if let Some(process) = self.run.processes.get_mut(&to) {
            process.mailbox.push_back(message);
            self.heap.add_outside(size_of::<Value>());
            self.wake(to);
        }
    }

    /// Answers `{get_status, Id, To}` with `{Id, idle}`.
    fn ask_literal_collector(&mut self, message: Value) {
        let Some([what, id, to]) = self.heap.elements(message) else { return };
        let (what, id, to) = (*what, *id, *to);
        if what.as_atom().is_some_and(|it| self.atoms.name(it) == "get_status") {
            let idle = Value::atom(self.atoms.intern("idle"));
            let answer = self.heap.tuple(&[id, idle]);
            // If the receiver does not exist, the answer is dropped.
            self.send_to(to, answer).unwrap_or_default();
        }
    }

    /// Sends a message to a pid, a registered name, `{Name, Node}`, a port, or an alias.
    pub fn send_to(&mut self, to: Value, message: Value) -> Result<(), Fault> {
        let to = self.follow_receiver(to);
        match to.view() {
            View::Pid(_) if !self.reaches(self.node_of(to)) => (),
            View::Pid(pid) => self.send(pid, message),
            View::Atom(name) => {
                if let Some(port) = self.ports.names.get(&name).copied() {
                    self.send_to_port(port, message);
                    return Ok(());
                }
                let pid = self.locate(name)?.ok_or(Fault::BADARG)?;
                self.send(pid, message);
            }
            View::Ref(_) if !self.reaches(self.node_of(to)) => (),
            View::Ref(alias) => self.send_to_alias(alias, message),
            View::Port(_) if self.node_of(to) != self.here() => return Err(Fault::BADARG),
            View::Port(id) => self.send_to_port(id, message),
            View::Tuple(..) => match self.heap.elements(to) {
                Some([name, node]) if let Some(node) = node.as_atom() => {
                    let name = name.as_atom().ok_or(Fault::BADARG)?;
                    if let Some(node) = self.heap.nodes.find(node)
                        && self.reaches(node)
                        && let Some(pid) = self.locate_on(node, name)?
                    {
                        self.send(pid, message);
                    }
                }
                _ => return Err(Fault::BADARG),
            },
            View::Int(_)
            | View::Big(_)
            | View::Float(_)
            | View::Nil
            | View::Cons(_)
            | View::Map(_)
            | View::Bits(_)
            | View::Fun(_) => return Err(Fault::BADARG),
        }
        Ok(())
    }

    pub(super) fn send_to_alias(&mut self, alias: RefId, message: Value) {
        let Some(owner) = self.run.processes.get_mut(&alias.owner) else {
            if self.is_ghost_alias(alias) {
                self.send(alias.owner, message);
            }
            return;
        };
        let Some(kind) = owner.aliases.get(&alias).copied() else { return };
        if self.is_lost(alias.owner, message) {
            return;
        }
        let Some(owner) = self.run.processes.get_mut(&alias.owner) else { return };
        if kind == AliasKind::Reply {
            owner.aliases.remove(&alias);
            self.alias_gone(alias);
            self.demonitor(alias.owner, alias);
        }
        self.send(alias.owner, message);
    }

    pub fn wake(&mut self, pid: PidId) {
        if let Some(process) = self.run.processes.get_mut(&pid)
            && process.status != Status::Runnable
        {
            process.status = Status::Runnable;
            self.enqueue(pid);
        }
    }

    /// Adds a process to the run queue. In scheduled runs, all processes have the same priority.
    pub(crate) fn enqueue(&mut self, pid: PidId) {
        let priority = match &self.run.schedule {
            Some(_) => None,
            None => self.run.processes.get(&pid).map(|it| Priority::of(it.priority)),
        };
        self.run.queue.push(pid, priority.unwrap_or_default());
    }

    /// Lets a receive that only matches messages with a certain reference skip all older messages.
    pub(crate) fn skip_older(&mut self, reference: RefId) {
        // Recorded, scheduled and replayed runs examine every message.
        if self.record.is_some() || self.run.schedule.is_some() || self.replay.is_some() {
            return;
        }
        if let Some(me) = self.me()
            && me.seen == 0
        {
            me.seen = me.marks.n_older(reference);
        }
    }

    pub fn remove_message(&mut self) {
        let Some(me) = self.me() else { return };
        let seen = std::mem::take(&mut me.seen);
        me.looks = false;
        me.mailbox.remove(seen);
        me.letters.remove(seen);
        me.marks.taken(seen);
        let pid = me.pid;
        if me.deadline.take().is_some() {
            self.run.timers.cancel(TimerId::Receive(pid));
        }
    }

    /// Decides what a receive without a matching message does: `Some(true)` if its timeout has expired, `Some(false)`
    /// if there is an unexamined message, `None` if the process has to wait.
    pub fn wait(&mut self, timeout: Value) -> Result<Option<bool>, Fault> {
        if self.run.schedule.is_some() {
            match self.wait_turn(timeout) {
                WaitTurn::TimesOut => return self.time_out(timeout).map(Some),
                WaitTurn::Stop => return Ok(None),
                WaitTurn::Usual => (),
            }
        }
        let now = self.run.clock;
        let Some(me) = self.me() else { return Ok(Some(true)) };
        if me.looks && me.seen < me.mailbox.len() {
            return Ok(Some(false));
        }
        let pid = me.pid;
        if me.deadline.is_none() && !timeout.is_atom(AtomId::INFINITY) {
            let millis = timeout.as_int().and_then(|it| u32::try_from(it).ok());
            if self.follow_time(timeout) {
                self.follow_length(timeout);
            }
            let Some(me) = self.me() else { return Ok(Some(true)) };
            let Some(millis) = millis else {
                me.seen = 0;
                me.looks = false;
                return Err(Fault::Plain(Value::atom(AtomId::TIMEOUT_VALUE)));
            };
            let at = now.saturating_add(u64::from(millis) * NANOS_PER_MILLI);
            me.deadline = Some(at);
            if millis > 0 {
                let id = TimerId::Receive(pid);
                let to = TimerTarget::Process(pid);
                self.run.timers.start(at, Timer { id, to, message: Value::NIL });
            }
        }
        let Some(me) = self.me() else { return Ok(Some(true)) };
        if me.deadline.is_some_and(|it| it <= now) {
            me.deadline = None;
            me.seen = 0;
            me.looks = false;
            self.run.timers.cancel(TimerId::Receive(pid));
            return Ok(Some(true));
        }
        me.status = Status::Waiting;
        Ok(None)
    }

    /// Ends a scheduled receive with a timeout.
    fn time_out(&mut self, timeout: Value) -> Result<bool, Fault> {
        if let Some(me) = self.me() {
            me.seen = 0;
            me.looks = false;
        }
        match timeout.as_int().and_then(|it| u32::try_from(it).ok()) {
            Some(_) => Ok(true),
            None => Err(Fault::Plain(Value::atom(AtomId::TIMEOUT_VALUE))),
        }
    }

    /// Executes what a timer does when it is due.
    pub fn fire(&mut self, timer: Timer) {
        match (timer.id, timer.to) {
            (TimerId::Receive(pid), _) => self.wake(pid),
            (TimerId::Reference(_), TimerTarget::Process(pid)) => self.send(pid, timer.message),
            (TimerId::Reference(id), TimerTarget::Name(name)) => {
                if let Some(pid) = self.whereis_on(id.owner.node(), name) {
                    self.send(pid, timer.message);
                }
            }
        }
    }

    // Processes

    /// Starts a process on the running process's node, as a child of the running process.
    pub fn spawn(&mut self, execution: Execution) -> Result<PidId, Fault> {
        self.spawn_on(self.here(), execution)
    }

    /// As [`World::spawn`], on another node.
    pub fn spawn_on(&mut self, node: NodeId, execution: Execution) -> Result<PidId, Fault> {
        if self.run.processes.len() >= self.limits.processes {
            return Err(Stop::TooManyProcesses.into());
        }
        let parent = self.run.current;
        let (n, group_leader, resident) = match self.me() {
            Some(me) => {
                me.n_children += 1;
                (me.n_children, me.group_leader, me.resident)
            }
            None => (0, USER, None),
        };
        let pid = self.names.child_on(parent, n, node);
        let dictionary = self.heap.empty_map();
        let mut process = Process::new(pid, parent, execution, dictionary);
        process.group_leader = group_leader;
        process.resident = resident;
        self.run.processes.insert(pid, process);
        self.enqueue(pid);
        self.spawned(pid);
        Ok(pid)
    }

    pub(crate) fn is_suspended(&self, pid: PidId) -> bool {
        !self.run.suspended.is_empty() && self.run.suspended.keys().any(|it| it.1 == pid)
    }

    /// Makes a stalled process runnable unless it is still suspended.
    pub(crate) fn unstall(&mut self, pid: PidId) {
        if !self.is_suspended(pid) && self.run.stalled.remove(&pid) {
            self.enqueue(pid);
        }
    }

    pub(super) fn resume_all_of(&mut self, pid: PidId) {
        let mine: Vec<PidId> =
            self.run.suspended.keys().filter(|it| it.0 == pid).map(|it| it.1).collect();
        self.run.suspended.retain(|it, _| it.0 != pid && it.1 != pid);
        self.run.stalled.remove(&pid);
        for other in mine {
            self.unstall(other);
        }
    }

    pub fn is_alive(&self, pid: PidId) -> bool {
        self.is_device(pid) || self.run.processes.contains_key(&pid)
    }

    /// The process that has the registered name.
    pub fn whereis(&self, name: AtomId) -> Option<PidId> {
        self.whereis_on(self.here(), name)
    }

    /// As [`World::whereis`], on another node.
    pub fn whereis_on(&self, node: NodeId, name: AtomId) -> Option<PidId> {
        self.run.registry.get(&(node, name)).copied().or_else(|| {
            let device = match self.atoms.name(name) {
                "init" => INIT,
                "user" => USER,
                "standard_error" => STANDARD_ERROR,
                "net_kernel" if self.heap.nodes.is_distributed() => NET_KERNEL,
                _ => return None,
            };
            self.is_up(node).then(|| device.on(node))
        })
    }

    pub fn name_of_device(&mut self, pid: PidId) -> Option<AtomId> {
        if !self.is_device(pid) {
            return None;
        }
        match pid.on(NodeId::FIRST) {
            INIT => Some(self.atoms.intern("init")),
            USER => Some(AtomId::USER),
            STANDARD_ERROR => Some(self.atoms.intern("standard_error")),
            LITERAL_COLLECTOR => None,
            _ => Some(self.atoms.intern("net_kernel")),
        }
    }

    /// Whether the pid is that of a device, which is not a process of the machine.
    pub fn is_device(&self, pid: PidId) -> bool {
        let is_one = match pid.on(NodeId::FIRST) {
            INIT | USER | STANDARD_ERROR | LITERAL_COLLECTOR => true,
            NET_KERNEL => self.heap.nodes.is_distributed(),
            _ => false,
        };
        is_one && self.is_up(pid.node())
    }

    pub(super) fn down(&mut self, watcher: PidId, reference: RefId, reason: Value) {
        self.monitor_gone(reference);
        let (monitor, never_comes) = match self.take_monitor(watcher, reference) {
            Some(monitor) => (monitor, None),
            None => match self.called_off(reference) {
                Some((monitor, n_receives)) => (monitor, Some(n_receives)),
                None => return,
            },
        };
        let mut kind = AtomId::PROCESS;
        let object = match monitor.target {
            MonitorTarget::Port(id, name) => {
                kind = AtomId::PORT;
                match name {
                    Some(name) => {
                        let node = self.node_name(watcher.node());
                        self.heap.tuple(&[Value::atom(name), Value::atom(node)])
                    }
                    None => Value::port(id),
                }
            }
            MonitorTarget::Process(pid) => Value::pid(pid),
            MonitorTarget::Name(name, node, _) => {
                self.heap.tuple(&[Value::atom(name), Value::atom(node)])
            }
            MonitorTarget::TimeOffset => return,
        };
        let tag = monitor.tag.unwrap_or(Value::atom(AtomId::DOWN));
        let message =
            self.heap.tuple(&[tag, Value::reference(reference), Value::atom(kind), object, reason]);
        match never_comes {
            Some(n_receives) => self.post_unheard(watcher, message, n_receives),
            None => self.send(watcher, message),
        }
    }

    fn take_monitor(&mut self, watcher: PidId, reference: RefId) -> Option<Monitor> {
        let Some(process) = self.run.processes.get_mut(&watcher) else {
            return self.ghost_monitor(watcher, reference);
        };
        let monitor = process.monitors.remove(&reference)?;
        if monitor.alias.is_some_and(|it| it != AliasKind::Explicit) {
            process.aliases.remove(&reference);
            self.alias_gone(reference);
        }
        Some(monitor)
    }

    /// Sends an exit signal of a process to a process that is not running.
    pub fn exit_signal(&mut self, from: PidId, to: PidId, reason: Value, through: Through) {
        if through == Through::Exit && self.sets_out(from, to, reason, through) {
            return;
        }
        self.signal(Value::pid(from), to, reason, through);
    }

    /// Delivers an exit signal of a process or port.
    pub(crate) fn signal(&mut self, from: Value, to: PidId, reason: Value, through: Through) {
        self.signalled(to, reason, through);
        let is_kill = reason.is_atom(AtomId::KILL) && through == Through::Exit;
        let Some(process) = self.run.processes.get_mut(&to) else {
            if !is_kill && self.did_trap(to) {
                // In another order, the signal might have arrived before the process ended.
                let message = self.heap.tuple(&[Value::atom(AtomId::EXIT_SIGNAL), from, reason]);
                self.send(to, message);
            }
            return;
        };
        if is_kill {
            self.kill(to, Value::atom(AtomId::KILLED));
        } else if process.trap_exit {
            let message = self.heap.tuple(&[Value::atom(AtomId::EXIT_SIGNAL), from, reason]);
            self.send(to, message);
        } else if !reason.is_atom(AtomId::NORMAL)
            || (from.same_word(Value::pid(to)) && through == Through::Exit)
        {
            self.kill(to, reason);
        }
    }

    /// Ends a process. The running process is only marked, and ended by the interpreter.
    fn kill(&mut self, pid: PidId, reason: Value) {
        if pid == self.run.current
            && self.run.processes.get(&pid).is_some_and(|it| it.execution.is_none())
        {
            self.run.killed.get_or_insert(reason);
        } else if !self.doom(pid, reason) {
            self.terminate(pid, reason);
        }
    }

    // Links and monitors

    pub fn link(&mut self, other: PidId) {
        let me = self.run.current;
        if me == other || self.me().is_some_and(|it| it.links.contains(&other)) {
            return;
        }
        if let Some(process) = self.run.processes.get_mut(&other) {
            process.links.insert(me);
            self.link_mended(me, other);
            if let Some(process) = self.me() {
                process.links.insert(other);
            }
            if self.run.tracing.is_some() {
                self.trace_link(other);
            }
        } else {
            self.exit_signal(other, me, Value::atom(AtomId::NOPROC), Through::Link);
        }
    }

    pub fn unlink(&mut self, other: PidId) {
        let me = self.run.current;
        self.link_undone(me, other);
        if let Some(process) = self.run.processes.get_mut(&other) {
            process.links.remove(&me);
        }
        let was_linked = self.me().is_some_and(|it| it.links.remove(&other));
        if was_linked {
            self.link_ended(other, me);
        }
        if self.run.tracing.is_some() {
            self.trace_linked(me, Value::pid(other), "unlink");
            if was_linked {
                self.trace_linked(other, Value::pid(me), "getting_unlinked");
            }
        }
    }

    pub fn monitor(&mut self, monitor: Monitor) -> RefId {
        let me = self.run.current;
        let reference = self.new_ref();
        let target = monitor.target.pid();
        let port = matches!(monitor.target, MonitorTarget::Port(..)).then_some(monitor.target);
        // The target's node: `None` if the target has none, `Some(None)` if the node is unknown.
        let node = match monitor.target {
            MonitorTarget::Process(pid) => Some(Some(self.node_of(Value::pid(pid)))),
            MonitorTarget::Name(_, node, _) => Some(self.heap.nodes.find(node)),
            MonitorTarget::Port(..) | MonitorTarget::TimeOffset => None,
        };
        let alias = monitor.alias;
        if let Some(process) = self.me() {
            if target != Some(me) {
                process.monitors.insert(reference, monitor);
            }
            if let Some(kind) = alias {
                process.aliases.insert(reference, kind);
            }
        }
        if let Some(MonitorTarget::Port(id, _)) = port {
            match self.ports.open.get_mut(&id) {
                Some(port) => port.watchers.push((reference, me)),
                None => self.down(me, reference, Value::atom(AtomId::NOPROC)),
            }
            return reference;
        }
        if let Some(node) = node
            && !node.is_some_and(|it| self.reaches(it))
        {
            self.down(me, reference, Value::atom(AtomId::NOCONNECTION));
            return reference;
        }
        if target.is_some_and(|it| self.monitor_sets_out(reference, it)) {
            return reference;
        }
        // The request arrives after a signal that ends the process.
        let is_late = |it: PidId| self.delays(me, it) && self.is_doomed(it);
        if target.is_some_and(is_late) {
            self.monitor_in_vain(reference);
            return reference;
        }
        let is_device = target.is_some_and(|it| self.is_device(it));
        match target.and_then(|it| self.run.processes.get_mut(&it)) {
            // A monitor of the running process itself never fires.
            Some(process) if process.pid == me => (),
            Some(process) => {
                process.monitored_by.push((reference, me));
            }
            // Devices never end.
            None if is_device => (),
            None if target.is_some() => self.monitor_in_vain(reference),
            None => self.down(me, reference, Value::atom(AtomId::NOPROC)),
        }
        reference
    }

    /// Notes that the target of a new monitor does not exist; the process gets the `'DOWN'` message later.
    fn monitor_in_vain(&mut self, reference: RefId) {
        if !self.schedule_vain_monitor(reference)
            && let Some(process) = self.me()
        {
            process.vain_monitors.push(reference);
        }
    }

    /// Sends the `'DOWN'` messages of monitors whose targets did not exist, when a process waits or has used up its
    /// slice.
    pub(super) fn tell_vain_monitors(&mut self, pid: PidId) {
        // The check needs no mutable access, which would copy a process shared with a checkpoint.
        if self.run.processes.get(&pid).is_none_or(|it| it.vain_monitors.is_empty()) {
            return;
        }
        let process = self.run.processes.get_mut(&pid);
        let vain = process.map(|it| std::mem::take(&mut it.vain_monitors)).unwrap_or_default();
        for reference in vain {
            self.down(pid, reference, Value::atom(AtomId::NOPROC));
        }
    }

    /// Removes a monitor of the running process and drops its message. Returns whether there was such a monitor.
    pub fn demonitor_flushing(&mut self, reference: RefId) -> bool {
        if self.run.schedule.is_none() {
            return self.demonitor(self.run.current, reference);
        }
        let Some(monitor) = self.take_monitor(self.run.current, reference) else { return false };
        self.call_off(reference, monitor);
        self.flush(reference, None);
        true
    }

    /// Removes a monitor. Returns whether there was such a monitor.
    pub fn demonitor(&mut self, owner: PidId, reference: RefId) -> bool {
        let Some(process) = self.run.processes.get_mut(&owner) else { return false };
        let Some(monitor) = process.monitors.remove(&reference) else { return false };
        if monitor.alias.is_some_and(|it| it != AliasKind::Explicit) {
            process.aliases.remove(&reference);
        }
        // In a scheduled run, the end of the target has a step for the monitor, in which then nothing happens.
        if self.run.schedule.is_none()
            && let Some(target) =
                monitor.target.pid().and_then(|it| self.run.processes.get_mut(&it))
        {
            target.monitored_by.retain(|it| it.0 != reference);
        }
        if let MonitorTarget::Port(id, _) = monitor.target
            && let Some(port) = self.ports.open.get_mut(&id)
        {
            port.watchers.retain(|it| it.0 != reference);
        }
        true
    }
}

/// The origin of an exit signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// `exit/2`
    Exit,
    Link,
}

impl MonitorTarget {
    pub(in crate::machine) fn pid(self) -> Option<PidId> {
        match self {
            MonitorTarget::Process(pid) => Some(pid),
            MonitorTarget::Name(_, _, pid) => pid,
            MonitorTarget::Port(..) | MonitorTarget::TimeOffset => None,
        }
    }
}
