//! Tracing: who is traced, by whom and for what, and which functions are watched.
//!
//! Nothing here costs a program that does not trace: a watched function is entered by another
//! address, and everyone else asks first whether there is any tracing at all.

mod calls;
mod events;
mod flags;
mod patterns;

pub(super) use calls::Seen;
pub(crate) use flags::{Flags, listed};

use crate::builtins::ets::spec::Program as Spec;
use crate::builtins::make::atom;
use crate::code::{FnId, Scope};
use crate::machine::World;
use std::collections::BTreeMap;
use std::sync::Arc;
use values::{AtomId, PidId, Value};

/// Module, function and arity.
pub(crate) type Call = (AtomId, AtomId, u32);

#[derive(Debug, Default)]
pub struct Tracing {
    tracees: BTreeMap<PidId, Tracee>,
    /// What new processes begin with.
    fresh: Tracee,
    watched: BTreeMap<Call, Watch>,
    /// Where the exports of functions that are watched from outside lead otherwise.
    redirected: BTreeMap<Call, FnId>,
    /// Code that stands before a function, made once for each.
    stubs: BTreeMap<(FnId, Scope), FnId>,
    /// What is to be told when the frames that stand for it return.
    returns: BTreeMap<PidId, Vec<Pending>>,
    control_word: u32,
    hears_sends: Heard,
    hears_receives: Heard,
}

/// How a process is traced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tracee {
    pub(crate) flags: Flags,
    pub(crate) tracer: Option<PidId>,
}

/// What becomes of flags that are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switch {
    On,
    Off,
}

/// Whether an event that processes are traced for is told at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Heard {
    #[default]
    Yes,
    No,
}

/// What is watched of a function.
#[derive(Debug, Default)]
struct Watch {
    call: Option<(Scope, Option<Source>)>,
    meta: Option<(PidId, Option<Source>)>,
    count: Option<Count>,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    n: i64,
    is_paused: bool,
}

/// A match specification and the term that it was made of.
#[derive(Clone, Debug)]
struct Source {
    term: Value,
    spec: Arc<Spec>,
}

/// What is told when a call is over.
#[derive(Clone, Copy, Debug)]
enum Pending {
    /// That it returned, and to `meta` instead of the tracer of the process.
    From { call: Call, exceptions: bool, meta: Option<PidId> },
    /// Where it returned to.
    To,
}

impl Watch {
    fn is_empty(&self) -> bool {
        self.call.is_none() && self.meta.is_none() && self.count.is_none()
    }
}

impl Tracing {
    pub(crate) fn visit_roots(&mut self, visit: &mut dyn FnMut(&mut [Value])) {
        for watch in self.watched.values_mut() {
            let call = watch.call.as_mut().and_then(|it| it.1.as_mut());
            let meta = watch.meta.as_mut().and_then(|it| it.1.as_mut());
            for source in call.into_iter().chain(meta) {
                visit(std::slice::from_mut(&mut source.term));
                // Several functions may have been given the same one.
                visit(&mut Arc::make_mut(&mut source.spec).constants);
            }
        }
    }
}

/// What match specifications and `erlang:trace` do.
impl World {
    pub(crate) fn tracing(&mut self) -> &mut Tracing {
        self.tracing.get_or_insert_default()
    }

    pub(crate) fn tracing_control_word(&self) -> u32 {
        self.tracing.as_ref().map_or(0, |it| it.control_word)
    }

    pub(crate) fn set_tracing_control_word(&mut self, new: u32) {
        self.tracing().control_word = new;
    }

    pub(crate) fn tracee(&self, pid: PidId) -> Tracee {
        let found = self.tracing.as_ref().and_then(|it| it.tracees.get(&pid));
        let found = found.copied().unwrap_or_default();
        // A tracer that is gone traces nobody.
        match found.tracer {
            Some(tracer) if self.processes.contains_key(&tracer) => found,
            _ => Tracee::default(),
        }
    }

    pub(crate) fn fresh_tracee(&self) -> Tracee {
        self.tracing.as_ref().map(|it| it.fresh).unwrap_or_default()
    }

    fn set_tracee(&mut self, pid: PidId, tracee: Tracee) {
        let tracing = self.tracing();
        if tracee == Tracee::default() {
            tracing.tracees.remove(&pid);
        } else {
            tracing.tracees.insert(pid, tracee);
        }
    }

    /// Switches flags of a process on or off. Says whether that was possible: a process has one
    /// tracer.
    pub(crate) fn trace_process(
        &mut self,
        pid: PidId,
        tracer: Option<PidId>,
        flags: Flags,
        switch: Switch,
    ) -> bool {
        let old = self.tracee(pid);
        if tracer.is_some() && old.tracer.is_some() && old.tracer != tracer {
            return false;
        }
        self.set_tracee(pid, old.with(tracer, flags, switch));
        true
    }

    pub(crate) fn trace_fresh(&mut self, tracer: Option<PidId>, flags: Flags, switch: Switch) {
        let tracing = self.tracing();
        tracing.fresh = tracing.fresh.with(tracer, flags, switch);
    }

    /// The running process drops its stack.
    pub(crate) fn forget_returns(&mut self) {
        let me = self.current;
        if let Some(tracing) = &mut self.tracing {
            tracing.returns.remove(&me);
        }
    }

    /// The functions of a module are not there any more.
    pub(crate) fn forget_watched(&mut self, module: AtomId) {
        if let Some(tracing) = &mut self.tracing {
            tracing.watched.retain(|it, _| it.0 != module);
            tracing.redirected.retain(|it, _| it.0 != module);
        }
    }

    // What match specifications do

    pub(crate) fn trace_silently(&mut self, silent: bool) {
        let me = self.current;
        let mut tracee = self.tracee(me);
        tracee.flags =
            if silent { tracee.flags.and(Flags::SILENT) } else { tracee.flags.less(Flags::SILENT) };
        if tracee.tracer.is_some() {
            self.set_tracee(me, tracee);
        }
    }

    /// `{enable_trace, Flag}` and `{enable_trace, Pid, Flag}`.
    pub(crate) fn enable_trace(&mut self, args: &[Value]) -> Option<Value> {
        self.switch_trace(args, Switch::On)
    }

    pub(crate) fn disable_trace(&mut self, args: &[Value]) -> Option<Value> {
        self.switch_trace(args, Switch::Off)
    }

    fn switch_trace(&mut self, args: &[Value], switch: Switch) -> Option<Value> {
        let (subject, flag) = match args {
            [flag] => (Value::pid(self.current), *flag),
            [subject, flag] => (*subject, *flag),
            _ => return None,
        };
        let flag = Flags::named(self.atoms.name(flag.as_atom()?))?;
        let (off, on) = match switch {
            Switch::On => (Flags::NONE, flag),
            Switch::Off => (flag, Flags::NONE),
        };
        let tracer = self.tracee(self.current).tracer;
        self.change_flags(subject, tracer, off, on)?;
        Some(Value::TRUE)
    }

    /// `{trace, Disable, Enable}` and `{trace, Pid, Disable, Enable}`.
    pub(crate) fn change_trace(&mut self, args: &[Value]) -> Option<Value> {
        let (subject, off, on) = match args {
            [off, on] => (Value::pid(self.current), *off, *on),
            [subject, off, on] => (*subject, *off, *on),
            _ => return None,
        };
        let off = flags::read(self, off)?;
        let on = flags::read(self, on)?;
        let tracer = on.tracer.or(off.tracer).or(self.tracee(self.current).tracer);
        self.change_flags(subject, tracer, off.flags, on.flags).map(Value::bool)
    }

    /// Says whether anything changed; `None` if there is no such process.
    fn change_flags(
        &mut self,
        subject: Value,
        tracer: Option<PidId>,
        off: Flags,
        on: Flags,
    ) -> Option<bool> {
        let pid = match subject.as_atom() {
            Some(name) => self.whereis(name)?,
            None => subject.as_pid()?,
        };
        if !self.processes.contains_key(&pid) {
            return None;
        }
        let old = self.tracee(pid);
        let flags = if tracer.is_none() { Flags::NONE } else { old.flags.less(off).and(on) };
        let tracer = tracer.filter(|_| flags != Flags::NONE);
        let new = Tracee { flags, tracer };
        self.set_tracee(pid, new);
        Some(new != old)
    }

    /// `[Flag]` as `trace_info` shows them.
    pub(crate) fn flags_term(&mut self, flags: Flags) -> Value {
        let names: Vec<Value> = flags.names().map(|it| atom(self, it)).collect();
        self.heap.list(&names)
    }
}

impl Tracee {
    fn with(self, tracer: Option<PidId>, flags: Flags, switch: Switch) -> Tracee {
        let flags = match switch {
            Switch::On => self.flags.and(flags),
            Switch::Off => self.flags.less(flags),
        };
        if flags == Flags::NONE {
            return Tracee::default();
        }
        Tracee { flags, tracer: tracer.or(self.tracer) }
    }
}
