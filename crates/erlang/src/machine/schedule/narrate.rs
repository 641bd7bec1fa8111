//! Descriptions of steps and of waiting processes for users.

use crate::code::{FunctionInfo, Ins, Program, Target};
use crate::machine::farewell::Part;
use crate::machine::process::Execution;
use crate::machine::schedule::stage::{End, Pending};
use crate::machine::schedule::{Schedule, Staged, Told, actor};
use crate::machine::world::World;
use term::{Style, Term, print};
use trace::{Actor, Blocked, Label, MessageId, Take};
use values::{PidId, Value, to_marked, to_term};

impl Staged<'_> {
    pub(super) fn blocked(&self) -> Vec<Blocked> {
        if self.act.stopped.is_some() {
            return Vec::new();
        }
        let world = &self.machine.world;
        let of = |(pid, _): (&PidId, &Pending)| {
            let process = world.run.processes.get(pid)?;
            let execution = process.execution.as_ref()?;
            let term = |it: &Value| to_term(&world.heap, &world.atoms, *it).unwrap_or(Term::Nil);
            Some(Blocked {
                actor: actor(*pid),
                is_unit: *pid == self.act.unit,
                is_spinning: self.spins(*pid),
                place: place(&self.machine.program, world, execution),
                mailbox: process.mailbox.iter().map(term).collect(),
            })
        };
        let waits = |it: &(&PidId, &Pending)| self.waits(it.0, it.1);
        self.act.pending.iter().filter(waits).filter_map(of).collect()
    }

    /// The actors other than the unit that wait when no step is possible.
    pub(super) fn waiting(&self) -> Vec<Actor> {
        let others = self.act.pending.iter().filter(|it| *it.0 != self.act.unit);
        let waiting = others.filter(|_| self.act.stopped.is_none());
        waiting.filter(|it| self.waits(it.0, it.1)).map(|it| actor(*it.0)).collect()
    }

    fn waits(&self, pid: &PidId, pending: &Pending) -> bool {
        self.spins(*pid) || matches!(pending, Pending::Receive(_) | Pending::Stuck)
    }

    pub(super) fn spins(&self, pid: PidId) -> bool {
        self.act.spins.get(&pid).is_some_and(|it| it.is_idle())
    }

    /// The events that instrumented code has reported since the last call.
    pub fn told(&mut self) -> Vec<Told> {
        let schedule = self.machine.world.run.schedule.as_mut();
        schedule.map(|it| std::mem::take(&mut it.told)).unwrap_or_default()
    }

    pub fn unit(&self) -> Actor {
        actor(self.act.unit)
    }

    /// Whether the actor is a timer or a process that has ended.
    pub fn is_timer(&self, actor: Actor) -> bool {
        !self.machine.world.run.processes.contains_key(&PidId(actor.0))
    }

    /// A message of this run, with marks where it depends on the input.
    pub fn message(&self, id: MessageId) -> Option<Term> {
        let world = &self.machine.world;
        let value = *world.run.schedule.as_ref()?.messages.get(&id)?;
        to_marked(&world.heap, &world.atoms, value).ok()
    }

    /// The pid of an actor as a term.
    pub fn pid(&self, actor: Actor) -> Option<Term> {
        self.term(Value::pid(PidId(actor.0)))
    }

    /// Describes the step that an actor will take.
    pub(super) fn narrate(&self, label: Label) -> String {
        let pid = PidId(label.actor.0);
        if self.act.timers.contains_key(&label.actor) {
            return "fires".to_owned();
        }
        if self.vain_monitor(label.actor).is_some() {
            return "tells that nobody is there to be watched".to_owned();
        }
        if let Some(signal) = self.signal(label.actor) {
            return self.narrate_signal(signal);
        }
        if self.fall_name(label.actor).is_some() {
            return "goes down".to_owned();
        }
        let world = &self.machine.world;
        let execution = world.run.processes.get(&pid).and_then(|it| it.execution.as_ref());
        let at = execution.map(|it| place(&self.machine.program, world, it)).unwrap_or_default();
        match (self.act.pending.get(&pid), label.take) {
            (Some(Pending::Exit(End::Returned(_))), _) => "ends".to_owned(),
            (Some(Pending::Exit(End::Raised(raised))), _) => {
                format!("fails: {}", self.text(raised.reason))
            }
            (Some(Pending::Exit(End::Killed(reason))), _) => {
                format!("is ended: {}", self.text(*reason))
            }
            (Some(Pending::Ending), _) => self.narrate_end(pid),
            (Some(Pending::Receive(_)), Take::Message(id)) => {
                format!("receives {} at {at}", self.message_text(id))
            }
            (Some(Pending::Receive(_)), Take::Timeout | Take::Next | Take::Lost) => {
                format!("gives up at {at}")
            }
            (Some(Pending::Operation(_) | Pending::Stuck) | None, _) => {
                match execution.and_then(|it| self.call_at(it)) {
                    Some(call) => format!("{call} at {at}"),
                    None => at,
                }
            }
        }
    }

    /// Describes a part of a process's end, other than the first.
    fn narrate_end(&self, pid: PidId) -> String {
        let world = &self.machine.world;
        match world.next_of_end(pid) {
            Some((_, Part::Table(_))) => "its next table goes".to_owned(),
            Some((_, Part::Leave)) | None => "is gone".to_owned(),
            Some((_, Part::Link(other))) => {
                format!("its end reaches {} through their link", world.names.path(other))
            }
            Some((_, Part::Watcher(_, watcher))) => {
                format!("its end is told {}, who watches", world.names.path(watcher))
            }
        }
    }

    /// The module whose code takes a step; `None` for the end of a process.
    pub(super) fn module_at(&self, label: Label) -> Option<String> {
        if self.signal(label.actor).is_some_and(|it| it.is_asked_for()) {
            return Some("erlang".to_owned());
        }
        if self.vain_monitor(label.actor).is_some() || self.signal(label.actor).is_some() {
            // BEAM itself takes this step.
            return Some("erts".to_owned());
        }
        let pid = PidId(label.actor.0);
        if matches!(self.act.pending.get(&pid)?, Pending::Exit(_) | Pending::Ending) {
            return None;
        }
        let world = &self.machine.world;
        let execution = world.run.processes.get(&pid)?.execution.as_ref()?;
        let (function, _) = innermost(&self.machine.program, execution)?;
        Some(world.atoms.name(function.module).to_owned())
    }

    /// The builtin that the process is about to call.
    fn call_at(&self, execution: &Execution) -> Option<String> {
        let program = &self.machine.program;
        let ins = *program.code.get(execution.pc as usize)?;
        let builtin = if let Ins::Builtin { builtin, .. }
        | Ins::Builtin1 { builtin, .. }
        | Ins::Builtin2 { builtin, .. } = ins
        {
            builtin
        } else if let Ins::CallImport { import, .. } | Ins::TailImport { import, .. } = ins
            && let Target::Builtin(builtin) =
                program.imports.get(import.0 as usize)?.target.get()?
        {
            builtin
        } else {
            return None;
        };
        let builtin = program.builtins.get(builtin.0 as usize)?;
        Some(format!("{}:{}/{}", builtin.module, builtin.name, builtin.arity))
    }

    pub(super) fn message_text(&self, id: MessageId) -> String {
        let schedule: Option<&Schedule> = self.machine.world.run.schedule.as_deref();
        let value = schedule.and_then(|it| it.messages.get(&id)).copied();
        value.map(|it| self.text(it)).unwrap_or_default()
    }

    pub(super) fn text(&self, value: Value) -> String {
        self.term(value).map_or_else(|| "…".to_owned(), |it| print(&it, Style::TW))
    }

    fn term(&self, value: Value) -> Option<Term> {
        let world = &self.machine.world;
        to_term(&world.heap, &world.atoms, value).ok()
    }
}

/// The function and line of a process.
fn place(program: &Program, world: &World, execution: &Execution) -> String {
    let Some((function, line)) = innermost(program, execution) else {
        return "its start".to_owned();
    };
    let name = |it| world.atoms.name(it);
    format!("{}:{}/{} line {line}", name(function.module), name(function.name), function.arity)
}

/// The innermost function on the stack that is known, and its line.
fn innermost<'p>(program: &'p Program, execution: &Execution) -> Option<(&'p FunctionInfo, u32)> {
    let counters = std::iter::once(execution.pc.saturating_add(1))
        .chain(execution.frames.iter().rev().map(|it| it.pc));
    counters
        .map(|it| it.saturating_sub(1))
        .find_map(|pc| Some((program.function_at(pc)?, program.place_at(pc).line)))
}
