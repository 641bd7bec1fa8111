//! `erts_debug:dirty_cpu/2` and `dirty_io/2`: work on a dirty scheduler, during which a process can't be interrupted.

use crate::builtins::{Builtin, Fault, Stop};
use crate::code::{DIRTY_CPU, DIRTY_IO, FnId, Target};
use crate::machine::World;
use crate::machine::inspect::execution;
use crate::machine::interpret::{Cpu, Flow, Pause, Return, pause};
use values::{AtomId, PidId, Value};

impl Cpu<'_> {
    #[cold]
    pub(super) fn dirty(&mut self, builtin: &'static Builtin, args: &[Value], to: Return) -> Flow {
        let &[what, about] = args else { return self.fault(Fault::BADARG, None) };
        let what = what.as_atom().map(|it| self.world.atoms.name(it).to_owned());
        let answer = match what.as_deref() {
            Some("scheduler") => Ok(Value::atom(self.world.atoms.intern(builtin.name))),
            Some("error") => Err(dirty_error(self.world, about)),
            Some("copy") => Ok(self.world.heap.list(&[about; 1000])),
            Some("send") => {
                tell(self.world, about, AtomId::OK);
                Ok(Value::atom(AtomId::OK))
            }
            // BEAM repeats the call with the number decreased by two until it is zero; odd numbers raise `badarg`.
            Some("reschedule") => match about.as_int() {
                Some(n) if n >= 0 && n % 2 == 0 => Ok(Value::atom(AtomId::OK)),
                _ => Err(Fault::BADARG),
            },
            Some("wait") if about.as_int().is_some_and(|it| it >= 0) => {
                return self.wait_dirtily(builtin, about, to);
            }
            Some("alive_waitexiting") => {
                let alive = self.world.atoms.intern("alive");
                tell(self.world, about, alive);
                return self.wait_dirtily(builtin, Value::atom(AtomId::INFINITY), to);
            }
            Some("ready_wait6_done") => {
                let what = format!("erts_debug:{}(ready_wait6_done, _)", builtin.name);
                return pause(Pause::Stop(Stop::Unsupported { what }));
            }
            _ => Err(Fault::BADARG),
        };
        match answer {
            Ok(value) => self.finish_call(value, to),
            Err(fault) => self.fault(fault, Some((builtin, args))),
        }
    }

    fn wait_dirtily(&mut self, builtin: &Builtin, time: Value, to: Return) -> Flow {
        let function = if builtin.name == "dirty_cpu" { DIRTY_CPU } else { DIRTY_IO };
        let names = (AtomId::ERLANG, AtomId::TIMEOUT);
        let args = [time, Value::atom(AtomId::OK)];
        self.call_target(Some(Target::Function(function)), names, &args, to)
    }

    /// Whether a process runs on a dirty scheduler, so that its status is running even if it waits.
    pub(super) fn is_dirty(&self, pid: PidId) -> bool {
        let Some(execution) = execution(self.world, pid).filter(|it| !it.is_new()) else {
            return false;
        };
        let within = |id: FnId| {
            let info = self.program.function(id);
            info.is_some_and(|it| (it.start..it.end).contains(&execution.pc))
        };
        within(DIRTY_CPU) || within(DIRTY_IO)
    }
}

/// Sends `{What, Pid}` to the process that asked for it.
fn tell(w: &mut World, to: Value, what: AtomId) {
    if let Some(to) = to.as_pid() {
        let message = w.heap.tuple(&[Value::atom(what), Value::pid(w.run.current)]);
        w.send(to, message);
    }
}

fn dirty_error(w: &World, kind: Value) -> Fault {
    match kind.as_atom().map(|it| w.atoms.name(it)) {
        Some("badarith") => Fault::Error(Value::atom(AtomId::BADARITH)),
        Some("system_limit") => Fault::SYSTEM_LIMIT,
        Some("undef") => Fault::Error(Value::atom(AtomId::UNDEF)),
        _ => Fault::BADARG,
    }
}
