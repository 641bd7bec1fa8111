//! Receives, current and past: which messages they would take, including messages that were never sent.

use crate::machine::interpret::run;
use crate::machine::process::Execution;
use crate::machine::run::Machine;
use crate::machine::schedule::stage::{Act, NANOS_PER_MILLI, Pending, SLICE, next, set_gate};
use crate::machine::schedule::{Gate, Probed, Staged, StoppedFor, actor, touch};
use std::rc::Rc;
use std::sync::Arc;
use term::fit_u32;
use trace::{Access, Actor, Match, MessageId, Mode, OfferKind, Patience, ReceiveId, Take, Waiting};
use values::{AtomId, PidId, Value};

/// The state of a receive when its process reached it, from which it can be probed.
#[derive(Clone, Debug)]
pub(super) struct Receive {
    pub(super) pid: PidId,
    pub(super) pc: u32,
    pub(super) registers: Vec<Value>,
    /// The timeout in milliseconds; `None` if the receive never times out.
    pub(super) millis: Option<u64>,
    /// The number of messages in the mailbox that were examined, and the resulting offer.
    pub(super) n_tested: usize,
    pub(super) offered: Arc<OfferKind>,
}

impl Receive {
    /// The objects that the receive accesses if it takes this message, or times out.
    pub(super) fn touched(&self, take: Take) -> &[Access] {
        match &*self.offered {
            OfferKind::Receive(waiting) => waiting.touched(take),
            OfferKind::Next { .. } => &[],
        }
    }

    pub(super) fn change(&mut self, change: impl FnOnce(&mut Waiting)) {
        if let OfferKind::Receive(waiting) = Arc::make_mut(&mut self.offered) {
            change(waiting);
        }
    }
}

impl Staged<'_> {
    /// Probes a receive with the messages that arrived since it was probed last.
    pub(super) fn test_letters(&mut self, id: ReceiveId) {
        loop {
            let Some(receive) = self.act.receives.get(id.0 as usize) else { return };
            let Some(process) = self.machine.world.run.processes.get(&receive.pid) else { return };
            let n = receive.n_tested;
            let (Some(letter), Some(message)) =
                (process.letters.get(n).copied(), process.mailbox.get(n).copied())
            else {
                return;
            };
            let found = self.would_take(id, message);
            let Some(receive) = self.act.receives.get_mut(id.0 as usize) else { return };
            let receive = Rc::make_mut(receive);
            receive.n_tested += 1;
            receive.change(|it| {
                if found.holds {
                    it.matching.push(letter);
                }
                if !found.choices.is_empty() {
                    it.symbolic.push((letter, found));
                }
            });
        }
    }

    /// The pending operation of a process that has stopped at the gate.
    pub(super) fn stopped_at(&mut self, pid: PidId) -> Pending {
        let schedule = self.machine.world.run.schedule.as_mut();
        match schedule.and_then(|it| it.stopped_for.take()) {
            Some(StoppedFor::Operation(touch)) => {
                match touch.asks {
                    Some(asked) => self.act.asked.insert(pid, asked),
                    None => self.act.asked.remove(&pid),
                };
                Pending::Operation(next(actor(pid), touch, self.mail_mode()).kind)
            }
            Some(StoppedFor::Receive) | None => {
                let id = ReceiveId(fit_u32(self.act.receives.len()));
                let execution = self.machine.world.run.processes.get(&pid);
                let execution = execution.and_then(|it| it.execution.as_ref());
                let registers =
                    execution.and_then(|it| it.stack.get(it.base..)).unwrap_or_default();
                let waiting = Waiting {
                    receive: id,
                    matching: Vec::new(),
                    symbolic: Vec::new(),
                    patience: Patience::Never,
                    taking: Access { object: touch::taken(pid), mode: Mode::WritePart },
                    giving_up: self
                        .is_mail_ordered
                        .then(|| Access { object: touch::mailbox(pid), mode: Mode::ReadPart })
                        .into_iter()
                        .collect(),
                };
                self.act.receives.push(Rc::new(Receive {
                    pid,
                    pc: execution.map_or(0, |it| it.pc),
                    registers: registers.to_vec(),
                    millis: None,
                    n_tested: 0,
                    offered: Arc::new(OfferKind::Receive(waiting)),
                }));
                if let Some(schedule) = &mut self.machine.world.run.schedule {
                    schedule.n_receives = id.0 + 1;
                }
                let record = self.machine.world.record.take();
                let probed = self.probe(id, None);
                self.machine.world.record = record;
                if let Some(Probed::Waits(time)) = probed
                    && self.machine.world.follow_time(time)
                {
                    self.machine.world.follow_length(time);
                }
                let (patience, millis) = match probed {
                    Some(Probed::Waits(time)) => (self.patience(time), milliseconds(time)),
                    Some(Probed::Takes | Probed::Leaves) | None => (Patience::Never, None),
                };
                if let Some(receive) = self.act.receives.last_mut() {
                    let receive = Rc::make_mut(receive);
                    receive.millis = millis;
                    receive.change(|it| it.patience = patience);
                }
                Pending::Receive(id)
            }
        }
    }

    fn patience(&self, time: Value) -> Patience {
        if time.is_atom(AtomId::INFINITY) {
            return Patience::Never;
        }
        match milliseconds(time) {
            Some(millis) if millis >= self.long_timeout => Patience::Last(
                self.machine.world.run.clock.saturating_add(millis * NANOS_PER_MILLI),
            ),
            // An invalid timeout raises an error immediately.
            Some(_) | None => Patience::Soon,
        }
    }

    pub(super) fn would_take(&mut self, id: ReceiveId, message: Value) -> Match {
        let mut record = self.machine.world.record.take();
        // Choices made while probing are returned separately; they are not part of this run.
        if let Some(record) = &mut record {
            let known = record.known.clone();
            let n_choices = record.choices.len();
            let n_losses = record.losses.len();
            self.machine.world.record = Some(std::mem::take(record));
            let holds = self.probe(id, Some(message)) == Some(Probed::Takes);
            let mut record = self.machine.world.record.take().unwrap_or_default();
            let choices = record.choices.split_off(n_choices);
            record.losses.truncate(n_losses);
            record.known = known;
            self.machine.world.record = Some(record);
            return Match { holds, choices };
        }
        let holds = self.probe(id, Some(message)) == Some(Probed::Takes);
        Match { holds, choices: Vec::new() }
    }

    /// Runs a copy of a receive on one message, or on an empty mailbox, and returns what it does.
    pub(super) fn probe(&mut self, id: ReceiveId, message: Option<Value>) -> Option<Probed> {
        let Act { receives, .. } = &self.act;
        let receive = receives.get(id.0 as usize)?;
        let Machine { program, world, .. } = &mut *self.machine;
        let stack = receive.registers.clone();
        let live = stack.len();
        let mut execution =
            Execution { live, top: live, stack, pc: receive.pc, ..Execution::default() };
        let current = std::mem::replace(&mut world.run.current, receive.pid);
        let covered = std::mem::take(&mut world.run.covered);
        let gate = set_gate(world, Gate::Probing(message));
        run(program, world, &mut execution, SLICE);
        set_gate(world, gate);
        world.run.covered = covered;
        world.run.current = current;
        world.run.schedule.as_mut().and_then(|it| it.probed.take())
    }

    /// Moves the message that an actor has just sent to a process before the first message that must come later.
    pub(super) fn put_before(
        &mut self,
        pid: PidId,
        from: Actor,
        is_later: impl Fn(&MessageId) -> bool,
    ) {
        let Some(process) = self.machine.world.run.processes.get_mut(&pid) else { return };
        let (letters, mailbox) = (&mut process.letters, &mut process.mailbox);
        let place = letters.iter().position(is_later);
        let (Some(place), Some(last)) = (place, letters.back().copied()) else { return };
        if last.from != from {
            return;
        }
        if let (Some(letter), Some(message)) = (letters.pop_back(), mailbox.pop_back()) {
            letters.insert(place, letter);
            mailbox.insert(place, message);
        }
        // The receive examines all messages again.
        if let Some(Pending::Receive(id)) = self.act.pending.get(&pid)
            && let Some(receive) = self.act.receives.get_mut(id.0 as usize)
        {
            let receive = Rc::make_mut(receive);
            receive.n_tested = 0;
            receive.change(|it| {
                it.matching.clear();
                it.symbolic.clear();
            });
        }
    }

    /// Removes a message from its mailbox that no receive has taken.
    pub fn lose(&mut self, id: MessageId) {
        let mut processes = self.machine.world.run.processes.values_mut();
        let found =
            processes.find_map(|it| Some((it.letters.iter().position(|it| *it == id)?, it)));
        let Some((place, process)) = found else { return };
        process.letters.remove(place);
        process.mailbox.remove(place);
        let pid = process.pid;
        for receive in self.act.receives.iter_mut().filter(|it| it.pid == pid) {
            let receive = Rc::make_mut(receive);
            receive.n_tested -= usize::from(place < receive.n_tested);
            receive.change(|it| {
                it.matching.retain(|it| *it != id);
                it.symbolic.retain(|it| it.0 != id);
            });
        }
    }
}

fn milliseconds(time: Value) -> Option<u64> {
    time.as_int().and_then(|it| u64::try_from(it).ok())
}
