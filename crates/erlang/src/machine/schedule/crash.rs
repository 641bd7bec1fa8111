//! Processes that fail: whose business that is, and what is told of it.

use crate::data::{AtomId, PidId, Value, to_term};
use crate::machine::raise::{self, Raised};
use crate::machine::schedule::actor;
use crate::machine::schedule::stage::{End, Staged};
use crate::machine::world::World;
use term::{Atom, Term};
use trace::ActorCrash;

impl Staged<'_> {
    /// A process other than the unit fails, and nobody is there to see it.
    pub(super) fn note_crash(&mut self, pid: PidId, end: End) {
        let End::Raised(Raised { class, reason, trace }) = end else { return };
        let world = &mut self.machine.world;
        let Some(process) = world.processes.get(&pid) else { return };
        // Who trapped it and is gone, or ended the link, might have heard of it.
        let links = world.former_links(pid);
        let mut links = links.iter().chain(&process.links);
        let is_watched = process.was_monitored || links.any(|it| world.traps(*it));
        // OTP starts it in place of one on a node that can't be reached.
        let (module, name, _) = process.initial_call;
        let is_stand_in =
            (world.atoms.name(module), world.atoms.name(name)) == ("erts_internal", "crasher");
        if pid == self.act.unit
            || is_watched
            || is_stand_in
            || (class == AtomId::EXIT && is_orderly(world, reason))
        {
            return;
        }
        let trace = raise::build_trace(&self.machine.program, world, trace);
        let world = &self.machine.world;
        let term = |it| to_term(&world.heap, &world.atoms, it).unwrap_or(Term::Nil);
        self.act.crashes.push(ActorCrash {
            actor: actor(pid),
            class: Atom::new(world.atoms.name(class)),
            reason: term(reason),
            trace: term(trace),
        });
    }
}

/// Reasons that processes end for when all is well.
fn is_orderly(world: &World, reason: Value) -> bool {
    let is_name = |it: Value| {
        it.as_atom().is_some_and(|it| matches!(world.atoms.name(it), "normal" | "shutdown"))
    };
    is_name(reason) || matches!(world.heap.elements(reason), Some([tag, _]) if is_name(*tag))
}
