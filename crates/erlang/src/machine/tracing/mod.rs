//! Tracing: the traced processes, their tracers and flags, and the traced functions.
//!
//! Programs that do not trace pay nothing: a traced function is entered at another address, and all other trace points
//! first check whether tracing is used at all.

mod calls;
mod events;
mod flags;
mod patterns;

pub(super) use calls::CallForm;
pub(crate) use flags::{Flags, listed};

use crate::builtins::ets::spec::Program as Spec;
use crate::builtins::make::atom;
use crate::code::{FnId, Scope};
use crate::machine::World;
use std::collections::BTreeMap;
use std::sync::Arc;
use values::{AtomId, PidId, Value};

/// Module, function and arity.
pub(crate) type Mfa = (AtomId, AtomId, u32);

#[derive(Debug, Default)]
pub struct Tracing {
    tracees: BTreeMap<PidId, Tracee>,
    /// The trace settings of new processes.
    fresh: Tracee,
    watched: BTreeMap<Mfa, TracedFunction>,
    /// The original targets of exports that are redirected because of global call tracing.
    redirected: BTreeMap<Mfa, FnId>,
    /// The stubs that are executed before traced functions, one for each function and scope.
    stubs: BTreeMap<(FnId, Scope), FnId>,
    /// For each process, the reports to make when its frames with the return address `RETURN_TRACED` return.
    returns: BTreeMap<PidId, Vec<ReturnReport>>,
    control_word: u32,
    hears_sends: Reporting,
    hears_receives: Reporting,
}

/// The trace settings of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tracee {
    pub(crate) flags: Flags,
    pub(crate) tracer: Option<PidId>,
}

/// Whether flags are switched on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switch {
    On,
    Off,
}

/// Whether an event is reported at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Reporting {
    #[default]
    Yes,
    No,
}

/// The ways in which a function is traced.
#[derive(Debug, Default)]
struct TracedFunction {
    call: Option<(Scope, Option<MatchSpec>)>,
    meta: Option<(PidId, Option<MatchSpec>)>,
    count: Option<CallCount>,
}

#[derive(Clone, Copy, Debug)]
struct CallCount {
    n: i64,
    is_paused: bool,
}

/// A match specification and the term from which it was compiled.
#[derive(Clone, Debug)]
struct MatchSpec {
    term: Value,
    spec: Arc<Spec>,
}

/// A report to make at the end of a call.
#[derive(Clone, Copy, Debug)]
enum ReturnReport {
    /// Reports that the call returned; to `meta` if present, otherwise to the tracer of the process.
    From { call: Mfa, exceptions: bool, meta: Option<PidId> },
    /// Reports to which function the call returned.
    To,
}

impl TracedFunction {
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
                // Several functions may share one match specification.
                visit(&mut Arc::make_mut(&mut source.spec).constants);
            }
        }
    }
}

/// The operations of match specifications and `erlang:trace`.
impl World {
    pub(crate) fn tracing(&mut self) -> &mut Tracing {
        self.run.tracing.get_or_insert_default()
    }

    pub(crate) fn tracing_control_word(&self) -> u32 {
        self.run.tracing.as_ref().map_or(0, |it| it.control_word)
    }

    pub(crate) fn set_tracing_control_word(&mut self, new: u32) {
        self.tracing().control_word = new;
    }

    pub(crate) fn tracee(&self, pid: PidId) -> Tracee {
        let found = self.run.tracing.as_ref().and_then(|it| it.tracees.get(&pid));
        let found = found.copied().unwrap_or_default();
        // The settings have no effect once the tracer has ended.
        match found.tracer {
            Some(tracer) if self.run.processes.contains_key(&tracer) => found,
            _ => Tracee::default(),
        }
    }

    pub(crate) fn fresh_tracee(&self) -> Tracee {
        self.run.tracing.as_ref().map(|it| it.fresh).unwrap_or_default()
    }

    fn set_tracee(&mut self, pid: PidId, tracee: Tracee) {
        let tracing = self.tracing();
        if tracee == Tracee::default() {
            tracing.tracees.remove(&pid);
        } else {
            tracing.tracees.insert(pid, tracee);
        }
    }

    /// Switches flags of a process on or off. Returns whether that was possible: a process can have only one tracer.
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

    /// Drops pending reports when the running process drops its stack.
    pub(crate) fn forget_returns(&mut self) {
        let me = self.run.current;
        if let Some(tracing) = &mut self.run.tracing {
            tracing.returns.remove(&me);
        }
    }

    /// Forgets the traced functions of a module that is unloaded.
    pub(crate) fn forget_watched(&mut self, module: AtomId) {
        if let Some(tracing) = &mut self.run.tracing {
            tracing.watched.retain(|it, _| it.0 != module);
            tracing.redirected.retain(|it, _| it.0 != module);
        }
    }

    // Operations of match specifications

    pub(crate) fn trace_silently(&mut self, silent: bool) {
        let me = self.run.current;
        let mut tracee = self.tracee(me);
        tracee.flags =
            if silent { tracee.flags.and(Flags::SILENT) } else { tracee.flags.less(Flags::SILENT) };
        if tracee.tracer.is_some() {
            self.set_tracee(me, tracee);
        }
    }

    /// Executes `{enable_trace, Flag}` or `{enable_trace, Pid, Flag}`.
    pub(crate) fn enable_trace(&mut self, args: &[Value]) -> Option<Value> {
        self.switch_trace(args, Switch::On)
    }

    pub(crate) fn disable_trace(&mut self, args: &[Value]) -> Option<Value> {
        self.switch_trace(args, Switch::Off)
    }

    fn switch_trace(&mut self, args: &[Value], switch: Switch) -> Option<Value> {
        let (subject, flag) = match args {
            [flag] => (Value::pid(self.run.current), *flag),
            [subject, flag] => (*subject, *flag),
            _ => return None,
        };
        let flag = Flags::named(self.atoms.name(flag.as_atom()?))?;
        let (off, on) = match switch {
            Switch::On => (Flags::NONE, flag),
            Switch::Off => (flag, Flags::NONE),
        };
        let tracer = self.tracee(self.run.current).tracer;
        self.change_flags(subject, tracer, off, on)?;
        Some(Value::TRUE)
    }

    /// Executes `{trace, Disable, Enable}` or `{trace, Pid, Disable, Enable}`.
    pub(crate) fn change_trace(&mut self, args: &[Value]) -> Option<Value> {
        let (subject, off, on) = match args {
            [off, on] => (Value::pid(self.run.current), *off, *on),
            [subject, off, on] => (*subject, *off, *on),
            _ => return None,
        };
        let off = flags::read(self, off)?;
        let on = flags::read(self, on)?;
        let tracer = on.tracer.or(off.tracer).or(self.tracee(self.run.current).tracer);
        self.change_flags(subject, tracer, off.flags, on.flags).map(Value::bool)
    }

    /// Changes the flags of a process. Returns whether that changed anything, or `None` if there is no such process.
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
        if !self.run.processes.contains_key(&pid) {
            return None;
        }
        let old = self.tracee(pid);
        let flags = if tracer.is_none() { Flags::NONE } else { old.flags.less(off).and(on) };
        let tracer = tracer.filter(|_| flags != Flags::NONE);
        let new = Tracee { flags, tracer };
        self.set_tracee(pid, new);
        Some(new != old)
    }

    /// The list of flags, as `trace_info` returns it.
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
