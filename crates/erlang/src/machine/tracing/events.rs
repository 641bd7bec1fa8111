//! Trace events other than calls, and trace messages.

use crate::builtins::clock;
use crate::builtins::make::atom;
use crate::machine::World;
use crate::machine::inspect::{HeapSize, garbage_collection_info};
use crate::machine::tracing::{Flags, Reporting, Tracee};
use values::{AtomId, PidId, Value};

impl World {
    /// How a process is traced, if it is traced for any of these flags and has a tracer.
    pub(crate) fn traced_for(&self, pid: PidId, flags: Flags) -> Option<Tracee> {
        self.run.tracing.as_ref()?;
        let tracee = self.tracee(pid);
        let is_told = tracee.flags.has(flags)
            && tracee.tracer.is_some_and(|it| it != pid)
            && !self.is_sensitive(pid);
        is_told.then_some(tracee)
    }

    /// Whether a process has the flag `sensitive`, so that it is not traced.
    pub(crate) fn is_sensitive(&self, pid: PidId) -> bool {
        let flag = self.atoms.find("sensitive");
        let process = self.run.processes.get(&pid);
        flag.zip(process)
            .and_then(|it| it.1.flags.get(&it.0))
            .is_some_and(|it| it.same_word(Value::TRUE))
    }

    /// Sends `{trace, Pid, Event, ...}`, with a timestamp if the flags ask for one.
    pub(super) fn tell(&mut self, pid: PidId, tracee: Tracee, event: &str, parts: &[Value]) {
        let Some(tracer) = tracee.tracer else { return };
        let time = self.trace_time(tracee.flags);
        let tag = atom(self, if time.is_some() { "trace_ts" } else { "trace" });
        let event = atom(self, event);
        let mut items = vec![tag, Value::pid(pid), event];
        items.extend_from_slice(parts);
        items.extend(time);
        let message = self.heap.tuple(&items);
        if let Some(process) = self.run.processes.get_mut(&tracer) {
            process.mailbox.push_back(message);
            self.wake(tracer);
        }
    }

    fn trace_time(&mut self, flags: Flags) -> Option<Value> {
        if flags.has(Flags::TIMESTAMP) {
            Some(clock::timestamp_now(self))
        } else if flags.has(Flags::STRICT_MONOTONIC) {
            let time = Value::int(clock::monotonic(self));
            let order = clock::next_ordered(self);
            Some(self.heap.tuple(&[time, order]))
        } else if flags.has(Flags::MONOTONIC) {
            Some(Value::int(clock::monotonic(self)))
        } else {
            None
        }
    }

    // Messages

    #[cold]
    pub(crate) fn trace_received(&mut self, pid: PidId, message: Value) {
        let is_heard =
            self.run.tracing.as_ref().is_some_and(|it| it.hears_receives == Reporting::Yes);
        if is_heard && let Some(tracee) = self.traced_for(pid, Flags::RECEIVE) {
            self.tell(pid, tracee, "receive", &[message]);
        }
    }

    /// Reports that the running process sends a message.
    #[cold]
    pub(crate) fn trace_sent(&mut self, to: Value, message: Value) {
        let me = self.run.current;
        let is_heard = self.run.tracing.as_ref().is_some_and(|it| it.hears_sends == Reporting::Yes);
        if is_heard && let Some(tracee) = self.traced_for(me, Flags::SEND) {
            let is_there = to.as_pid().is_none_or(|it| self.is_alive(it));
            let event = if is_there { "send" } else { "send_to_non_existing_process" };
            self.tell(me, tracee, event, &[message, to]);
        }
    }

    // Processes

    /// Reports that the running process has started another one.
    #[cold]
    pub(crate) fn trace_spawned(&mut self, child: PidId, call: [Value; 3]) {
        let me = self.run.current;
        let parent = self.tracee(me);
        let sets = Flags::SET_ON_SPAWN.and(Flags::SET_ON_FIRST_SPAWN);
        if parent.flags.has(sets) {
            self.inherit(me, child, Flags::SET_ON_FIRST_SPAWN, sets);
        } else {
            let fresh = self.fresh_tracee();
            self.set_tracee(child, fresh);
        }
        let call = self.heap.tuple(&call);
        if let Some(tracee) = self.traced_for(me, Flags::PROCS) {
            self.tell(me, tracee, "spawn", &[Value::pid(child), call]);
        }
        if let Some(tracee) = self.traced_for(child, Flags::PROCS) {
            self.tell(child, tracee, "spawned", &[Value::pid(me), call]);
        }
    }

    /// Copies the trace settings of a process to another one. If the flags `once` are set, all flags in `all` are
    /// removed from the first process.
    fn inherit(&mut self, from: PidId, to: PidId, once: Flags, all: Flags) {
        let mut source = self.tracee(from);
        if source.flags.has(once) {
            source.flags = source.flags.less(all);
            self.set_tracee(from, source);
        }
        self.set_tracee(to, source);
    }

    #[cold]
    pub(crate) fn trace_linked(&mut self, pid: PidId, other: Value, event: &str) {
        if let Some(tracee) = self.traced_for(pid, Flags::PROCS) {
            self.tell(pid, tracee, event, &[other]);
        }
    }

    /// Reports that the running process links to another one.
    #[cold]
    pub(crate) fn trace_link(&mut self, other: PidId) {
        let me = self.run.current;
        self.trace_linked(me, Value::pid(other), "link");
        let sets = Flags::SET_ON_LINK.and(Flags::SET_ON_FIRST_LINK);
        if self.tracee(me).flags.has(sets) {
            self.inherit(me, other, Flags::SET_ON_FIRST_LINK, sets);
        }
        self.trace_linked(other, Value::pid(me), "getting_linked");
    }

    #[cold]
    pub(crate) fn trace_named(&mut self, pid: PidId, name: AtomId, event: &str) {
        self.trace_linked(pid, Value::atom(name), event);
    }

    #[cold]
    pub(crate) fn trace_exit(&mut self, pid: PidId, reason: Value) {
        if let Some(tracee) = self.traced_for(pid, Flags::PROCS) {
            self.tell(pid, tracee, "exit", &[reason]);
        }
        if let Some(tracee) = self.traced_for(pid, Flags::EXITING) {
            self.tell_schedule(pid, tracee, "out_exited", Value::int(0));
        }
        let tracing = self.tracing();
        tracing.tracees.remove(&pid);
        tracing.returns.remove(&pid);
    }

    // Scheduling

    #[cold]
    pub(crate) fn trace_scheduled(&mut self, pid: PidId, event: &str, place: Value) {
        if let Some(tracee) = self.traced_for(pid, Flags::RUNNING.and(Flags::RUNNING_PROCS)) {
            self.tell_schedule(pid, tracee, event, place);
        }
    }

    fn tell_schedule(&mut self, pid: PidId, tracee: Tracee, event: &str, place: Value) {
        if tracee.flags.has(Flags::SCHEDULER_ID) {
            self.tell(pid, tracee, event, &[Value::int(1), place]);
        } else {
            self.tell(pid, tracee, event, &[place]);
        }
    }

    /// Reports that a process requested a garbage collection.
    #[cold]
    pub(crate) fn trace_collected(&mut self, pid: PidId, kind: &str) {
        if let Some(tracee) = self.traced_for(pid, Flags::GARBAGE_COLLECTION) {
            let info = garbage_collection_info(self, HeapSize::default(), 0);
            self.tell(pid, tracee, &format!("gc_{kind}_start"), &[info]);
            self.tell(pid, tracee, &format!("gc_{kind}_end"), &[info]);
        }
    }
}
