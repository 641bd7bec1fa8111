//! Receives that are waiting or over: which messages they would take, also those that never came.

use crate::data::{PidId, Value};
use crate::machine::interpret::run;
use crate::machine::process::Execution;
use crate::machine::run::Machine;
use crate::machine::schedule::stage::{Act, SLICE, set_gate};
use crate::machine::schedule::{Gate, Probed, Staged};
use std::rc::Rc;
use std::sync::Arc;
use trace::{Access, Match, MessageId, OfferKind, ReceiveId, Take, Waiting};

/// A receive as it was when its process came to it: enough to ask what it would do.
#[derive(Clone, Debug)]
pub(super) struct Receive {
    pub(super) pid: PidId,
    pub(super) pc: u32,
    pub(super) registers: Vec<Value>,
    /// How many letters of the mailbox were looked at, and what it could do with them.
    pub(super) n_tested: usize,
    pub(super) offered: Arc<OfferKind>,
}

impl Receive {
    /// What it touches if it does this.
    pub(super) fn touched(&self, take: Take) -> Option<Access> {
        match &*self.offered {
            OfferKind::Receive(waiting) => waiting.touched(take),
            OfferKind::Next { .. } => None,
        }
    }

    pub(super) fn change(&mut self, change: impl FnOnce(&mut Waiting)) {
        if let OfferKind::Receive(waiting) = Arc::make_mut(&mut self.offered) {
            change(waiting);
        }
    }
}

impl Staged<'_> {
    /// Looks at the messages that came since a receive was last asked about.
    pub(super) fn test_letters(&mut self, id: ReceiveId) {
        loop {
            let Some(receive) = self.act.receives.get(id.0 as usize) else { return };
            let Some(process) = self.machine.world.processes.get(&receive.pid) else { return };
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

    pub(super) fn would_take(&mut self, id: ReceiveId, message: Value) -> Match {
        let mut record = self.machine.world.record.take();
        // What the other way would have looked at is not part of this run.
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

    /// Shows a receive one message, or none, and sees what it does.
    pub(super) fn probe(&mut self, id: ReceiveId, message: Option<Value>) -> Option<Probed> {
        let Act { receives, .. } = &self.act;
        let receive = receives.get(id.0 as usize)?;
        let Machine { program, world, .. } = &mut *self.machine;
        let stack = receive.registers.clone();
        let live = stack.len();
        let mut execution =
            Execution { live, top: live, stack, pc: receive.pc, ..Execution::default() };
        let current = std::mem::replace(&mut world.current, receive.pid);
        let covered = std::mem::take(&mut world.covered);
        let gate = set_gate(world, Gate::Probing(message));
        run(program, world, &mut execution, SLICE);
        set_gate(world, gate);
        world.covered = covered;
        world.current = current;
        world.schedule.as_mut().and_then(|it| it.probed.take())
    }

    /// Takes a message that nobody has taken out of its mailbox.
    pub fn lose(&mut self, id: MessageId) {
        let mut processes = self.machine.world.processes.values_mut();
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
