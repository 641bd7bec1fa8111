//! Failures of processes: which of them go unnoticed by all other processes and are reported.

use crate::machine::raise::{self, Raised};
use crate::machine::schedule::actor;
use crate::machine::schedule::stage::{End, Staged};
use crate::machine::world::World;
use term::{Atom, Term};
use trace::ActorCrash;
use values::{AtomId, PidId, RefId, Value, to_term};

impl Staged<'_> {
    /// Records that a process other than the unit failed, unless a linked process traps exits.
    pub(super) fn note_crash(&mut self, pid: PidId, end: End) {
        let End::Raised(Raised { class, reason, trace }) = end else { return };
        let world = &mut self.machine.world;
        let Some(process) = world.run.processes.get(&pid) else { return };
        let traps = |it: &PidId| world.run.processes.get(it).is_some_and(|it| it.trap_exit);
        let is_trapped = process.links.iter().any(traps);
        let watches = |id: &RefId, watcher: &PidId| {
            world.run.processes.get(watcher).is_some_and(|it| it.monitors.contains_key(id))
        };
        let monitors = process.monitored_by.iter().filter(|it| watches(&it.0, &it.1));
        let monitors: Vec<RefId> = monitors.map(|it| it.0).collect();
        // On a connection failure, OTP starts this process in place of the one on the other node.
        let (module, name, _) = process.initial_call;
        let is_stand_in =
            (world.atoms.name(module), world.atoms.name(name)) == ("erts_internal", "crasher");
        if pid == self.act.unit
            || is_trapped
            || is_stand_in
            || (class == AtomId::EXIT && is_orderly(world, reason))
        {
            return;
        }
        let trace = raise::build_trace(&self.machine.program, world, trace);
        let world = &self.machine.world;
        let term = |it| to_term(&world.heap, &world.atoms, it).unwrap_or(Term::Nil);
        let crash = ActorCrash {
            actor: actor(pid),
            class: Atom::new(world.atoms.name(class)),
            reason: term(reason),
            trace: term(trace),
        };
        self.act.crashes.push(Crash { crash, monitors });
    }

    /// The failures that no other process is told of. A process that removed its monitor with the option `flush` is not
    /// told, whatever the order of the two.
    pub(super) fn unheard(&self, crashes: Vec<Crash>) -> Vec<ActorCrash> {
        let world = &self.machine.world;
        let is_flushed =
            |it: &RefId| world.run.schedule.as_ref().is_some_and(|of| of.is_flushed(*it));
        let is_unheard = |it: &Crash| it.monitors.iter().all(is_flushed);
        crashes.into_iter().filter(is_unheard).map(|it| it.crash).collect()
    }
}

/// A failure of a process that no linked process trapped, and the monitors of the process at that time.
#[derive(Clone, Debug)]
pub(super) struct Crash {
    crash: ActorCrash,
    monitors: Vec<RefId>,
}

/// Whether the reason is that of a normal end: `normal`, `shutdown`, or a pair that begins with one of them.
pub(super) fn is_orderly(world: &World, reason: Value) -> bool {
    let is_name = |it: Value| {
        it.as_atom().is_some_and(|it| matches!(world.atoms.name(it), "normal" | "shutdown"))
    };
    is_name(reason) || matches!(world.heap.elements(reason), Some([tag, _]) if is_name(*tag))
}
