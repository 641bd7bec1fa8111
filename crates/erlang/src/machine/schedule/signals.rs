//! Delayed signals other than messages: exit signals, and requests to monitor that follow an exit signal to the same
//! process.
//!
//! A signal in transit is an actor whose only step is its arrival. The effect of the arrival depends on the state of
//! the receiver at that time.

use crate::machine::farewell::Part;
use crate::machine::schedule::stage::{Staged, next};
use crate::machine::schedule::touch::{self, Touch};
use crate::machine::schedule::{actor, is_inline};
use crate::machine::signals::Through;
use crate::machine::world::World;
use trace::{Actor, Mode, Offer, Signal};
use values::{AtomId, PidId, RefId, Value};

#[derive(Clone, Copy, Debug)]
pub(super) struct OnTheWay {
    from: PidId,
    to: PidId,
    what: What,
    /// The number of messages that the sender had sent before this signal.
    n_sent: u32,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Exit(Value, Through),
    Monitor(RefId),
}

impl OnTheWay {
    /// Whether the program sent the signal itself, by `exit/2`.
    pub(super) fn is_asked_for(self) -> bool {
        matches!(self.what, What::Exit(_, Through::Exit))
    }
}

impl World {
    /// Whether signals from one process to another are delayed.
    pub(in crate::machine) fn delays(&self, from: PidId, to: PidId) -> bool {
        let Some(schedule) = &self.run.schedule else { return false };
        let has_been = || schedule.ghosts.contains_key(&to);
        let is_there = || self.run.processes.get(&to).map_or_else(has_been, |it| !is_inline(it));
        schedule.delays_signals && !schedule.is_arriving && from != to && is_there()
    }

    /// Sends a delayed exit signal. `false` if signals are not delayed, so that it must be delivered at once.
    pub(in crate::machine) fn sets_out(
        &mut self,
        from: PidId,
        to: PidId,
        reason: Value,
        through: Through,
    ) -> bool {
        let is_delayed = self.delays(from, to);
        if is_delayed {
            self.set_out(from, to, What::Exit(reason, through));
        } else if let Some(schedule) = &mut self.run.schedule {
            let is_other =
                from != to && self.run.processes.get(&to).is_some_and(|it| !is_inline(it));
            schedule.has_prompt_signals |= is_other && !schedule.is_arriving;
        }
        is_delayed
    }

    /// Delays the monitor request of the running process if an exit signal of it to the same process is in transit,
    /// because signals between two processes keep their order. `false` if the request takes effect at once.
    pub(in crate::machine) fn monitor_sets_out(&mut self, id: RefId, to: PidId) -> bool {
        let from = self.run.current;
        let is_delayed = self.delays(from, to) && self.is_signalled(from, to);
        if is_delayed {
            self.set_out(from, to, What::Monitor(id));
        }
        is_delayed
    }

    fn set_out(&mut self, from: PidId, to: PidId, what: What) {
        let Some(schedule) = &mut self.run.schedule else { return };
        let n = schedule.n_signals.entry(from).or_default();
        *n += 1;
        let signal = actor(self.names.signal(from, *n - 1));
        let n_sent = schedule.n_sent.get(&actor(from)).copied().unwrap_or(0);
        schedule.on_the_way.insert(signal, OnTheWay { from, to, what, n_sent });
        schedule.draft.spawned.push(signal);
        schedule.draft.signals.push(Signal { actor: signal, to: actor(to) });
    }

    /// Whether a signal from one process to another is in transit.
    pub(super) fn is_signalled(&self, from: PidId, to: PidId) -> bool {
        let mut all = self.run.schedule.iter().flat_map(|it| it.on_the_way.values());
        all.any(|it| (it.from, it.to) == (from, to))
    }

    /// Sets whether signals are delivered at once for now.
    pub(in crate::machine) fn let_arrive(&mut self, are_prompt: bool) {
        if let Some(schedule) = &mut self.run.schedule {
            schedule.is_arriving = are_prompt;
        }
    }

    fn touch_of_signal(&self, signal: &OnTheWay) -> Touch {
        let OnTheWay { from, to, what, .. } = *signal;
        let mut touch = match what {
            What::Exit(reason, Through::Link) => touch::of_link_part(self, from, to, reason),
            What::Exit(reason, Through::Exit) => {
                let mut touch = touch::of_signal(self, to, reason, Through::Exit);
                touch.kills.push(to);
                touch
            }
            What::Monitor(id) => {
                let mut touch = touch::of_part(self, to, Value::NIL, Part::Watcher(id, from));
                touch.access(touch::life(to), Mode::Read);
                touch.access(touch::doom(to), Mode::Read);
                touch
            }
        };
        touch.access(touch::channel(from, to), Mode::Write);
        touch
    }
}

impl Staged<'_> {
    pub(super) fn offer_signals(&self) -> Vec<Offer> {
        let world = &self.machine.world;
        let all = world.run.schedule.iter().flat_map(|it| &it.on_the_way);
        let mail_mode = self.mail_mode();
        all.map(|it| next(*it.0, world.touch_of_signal(it.1), mail_mode)).collect()
    }

    pub(super) fn signal(&self, actor: Actor) -> Option<OnTheWay> {
        self.machine.world.run.schedule.as_ref()?.on_the_way.get(&actor).copied()
    }

    pub(super) fn arrive(&mut self, actor: Actor, signal: OnTheWay) {
        let world = &mut self.machine.world;
        let touch = world.touch_of_signal(&signal);
        if let Some(schedule) = &mut world.run.schedule {
            schedule.on_the_way.remove(&actor);
            schedule.draft.touch.add(touch);
        }
        let OnTheWay { from, to, what, n_sent } = signal;
        world.run.current = from;
        world.let_arrive(true);
        match what {
            What::Exit(reason, Through::Exit) => world.exit_signal(from, to, reason, Through::Exit),
            What::Exit(reason, Through::Link) => world.end_link(from, to, reason),
            What::Monitor(id) if world.is_doomed(to) || !world.run.processes.contains_key(&to) => {
                world.down(from, id, Value::atom(AtomId::NOPROC));
            }
            What::Monitor(id) => {
                if let Some(process) = world.run.processes.get_mut(&to) {
                    process.monitored_by.push((id, from));
                }
            }
        }
        world.let_arrive(false);
        self.put_before(to, actor, |it| it.from == super::actor(from) && n_sent <= it.n);
    }

    /// Describes a signal.
    pub(super) fn narrate_signal(&self, signal: OnTheWay) -> String {
        let path = |it| self.machine.world.names.path(it);
        let (from, to) = (path(signal.from), path(signal.to));
        match signal.what {
            What::Exit(reason, _) => {
                format!("the exit signal of {from} reaches {to}: {}", self.text(reason))
            }
            What::Monitor(_) => format!("{to} learns that {from} monitors it"),
        }
    }
}
