//! Waiting loops: detects that a process has returned to an earlier state without changing anything.
//!
//! The next round of such a loop would be the same, and other processes can't observe it. So the process is idle until
//! another actor changes something that the round has read, or sends it a message that a receive of the round would
//! take [Kokologiannakis et al. 2021]. No behaviour is lost: a run with a round that changed nothing ends like the run
//! without it.

use crate::builtins::Shares;
use crate::code::{Ins, Program, Reg, Src};
use crate::machine::process::{Execution, Frame, Process, Start};
use crate::machine::schedule::stage::{NANOS_PER_MILLI, Pending, Staged};
use crate::machine::schedule::touch::only_looks;
use crate::machine::schedule::{Draft, touch};
use crate::machine::world::World;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use trace::{
    Access, Actor, Label, MessageId, Mode, Offer, OfferKind, Patience, ReceiveId, Spin, Take,
};
use values::{AtomId, PidId, Value, equal_exact};

/// The latest steps of a process, none of which changed anything.
#[derive(Clone, Debug, Default)]
pub(super) struct Quiet {
    steps: Vec<QuietStep>,
    /// Present if the last steps were a complete round, so that the next step begins another one.
    spin: Option<Spin>,
    /// Present if the process is idle.
    idle: Option<Idle>,
    /// Messages that have already made the process go round once more.
    known: BTreeSet<MessageId>,
}

#[derive(Clone, Debug)]
struct QuietStep {
    before: Rc<Frozen>,
    accesses: Vec<Access>,
    /// The receive that timed out in this step, if any.
    gave_up: Option<ReceiveId>,
    reads_clock: bool,
    millis: u64,
    /// Messages of the process to itself, such as replies of devices.
    sent: Vec<MessageId>,
    took: Option<MessageId>,
}

#[derive(Clone, Copy, Debug)]
struct Idle {
    patience: Option<Patience>,
}

/// The state of a process that only the process itself can change.
#[derive(Debug)]
pub(super) struct Frozen {
    pc: u32,
    base: usize,
    start: Start,
    frames: Vec<Frame>,
    stack: Vec<Value>,
    dictionary: Value,
    flags: BTreeMap<AtomId, Value>,
    trap_exit: bool,
    priority: AtomId,
    group_leader: PidId,
    n_monitors: usize,
    n_aliases: usize,
}

/// The maximum number of steps of a round.
const MAX_STEPS: usize = 64;
/// The maximum stack size, in values, of processes whose rounds are detected.
const MAX_STACK: usize = 4096;

impl Quiet {
    pub(super) fn is_idle(&self) -> bool {
        self.idle.is_some()
    }

    /// The steps of the round that the process would repeat.
    fn round(&self) -> &[QuietStep] {
        let n_steps = self.spin.as_ref().map_or(0, |it| it.n_steps);
        self.steps.get(self.steps.len().saturating_sub(n_steps)..).unwrap_or_default()
    }

    fn is_timed(&self) -> bool {
        self.round().iter().any(|it| it.reads_clock)
    }
}

impl Frozen {
    fn of(program: &Program, process: &Process) -> Option<Frozen> {
        let execution = process.execution.as_ref()?;
        let stack = in_use(program, execution);
        (stack.len() <= MAX_STACK).then(|| Frozen {
            pc: execution.pc,
            base: execution.base,
            start: execution.start,
            frames: execution.frames.clone(),
            stack,
            dictionary: process.dictionary,
            flags: process.flags.clone(),
            trap_exit: process.trap_exit,
            priority: process.priority,
            group_leader: process.group_leader,
            n_monitors: process.monitors.len(),
            n_aliases: process.aliases.len(),
        })
    }

    /// Whether the state of a process is the same as then.
    fn is(&self, (program, world): (&Program, &World), process: &Process) -> bool {
        let Some(execution) = &process.execution else { return false };
        let same = |a: Value, b: Value| match world.record {
            // In recorded runs values must be identical, because parts of equal values may have different shadows.
            Some(_) => a == b,
            None => equal_exact(&world.heap, &world.atoms, a, b),
        };
        let stack = in_use(program, execution);
        (self.pc, self.base, self.start) == (execution.pc, execution.base, execution.start)
            && self.frames == execution.frames
            && self.stack.len() == stack.len()
            && (self.trap_exit, self.priority) == (process.trap_exit, process.priority)
            && self.group_leader == process.group_leader
            && self.n_monitors == process.monitors.len()
            && self.n_aliases == process.aliases.len()
            && self.flags == process.flags
            && self.stack.iter().zip(&stack).all(|it| same(*it.0, *it.1))
            && same(self.dictionary, process.dictionary)
    }
}

/// The values of a process that are in use: the registers below the one for the result of its next operation, and the
/// arguments of that operation. Registers above hold remains of calls that have returned.
fn in_use(program: &Program, execution: &Execution) -> Vec<Value> {
    let Execution { stack, base, .. } = execution;
    let all = || stack.clone();
    if execution.start != Start::Begun {
        return all();
    }
    let code = |pc: u32| program.code.get(pc as usize).copied();
    let entry = program.function_at(execution.pc).map_or(0, |it| it.entry);
    let is_assembled =
        matches!((code(entry), code(entry + 1)), (Some(Ins::Clear { .. }), Some(Ins::Jump { .. })));
    // In code translated from assembly, registers are allocated differently.
    let Some(ins) = code(execution.pc).filter(|_| !is_assembled) else { return all() };
    let args = |at: u32, n: u8| {
        let from = at as usize;
        program.operands.get(from..from + usize::from(n)).unwrap_or_default().to_vec()
    };
    let (depth, args) = if let Ins::Builtin { dst, n, args: at, .. } = ins {
        (dst, args(at, n))
    } else if let Ins::Builtin1 { dst, a, .. } = ins {
        (dst, vec![a])
    } else if let Ins::Builtin2 { dst, a, b, .. } = ins {
        (dst, vec![a, b])
    } else if let Ins::CallImport { base, n, args: at, .. } = ins {
        (base, args(at, n))
    } else if let Ins::TailImport { n, args: at, .. } = ins {
        (Reg(0), args(at, n))
    } else if let Ins::Peek { found, .. } = ins {
        (found, Vec::new())
    } else if let Ins::Wait { depth, timeout, .. } = ins {
        (depth, vec![timeout])
    } else {
        return all();
    };
    let mut res = stack.get(..base + usize::from(depth.0)).unwrap_or(stack).to_vec();
    let registers = args.into_iter().filter_map(Src::as_reg);
    res.extend(registers.filter_map(|it| stack.get(base + usize::from(it.0)).copied()));
    res
}

impl World {
    /// Notes whether the current step only reads, and whether it reads the clock.
    pub(super) fn note_looking(&mut self, shares: Shares, args: &[Value], is_visible: bool) {
        let changes = is_visible && !only_looks(shares) && !self.is_with_device(shares, args);
        if let Some(schedule) = &mut self.run.schedule {
            schedule.draft.reads_clock |= shares == Shares::Clock;
            schedule.draft.changes |= changes;
        }
    }

    /// Whether a process sets or removes a monitor of a device, as every process does that prints something. Devices do
    /// not observe this.
    fn is_with_device(&self, shares: Shares, args: &[Value]) -> bool {
        let target = if let (Shares::Monitor, [_, target, ..]) = (shares, args) {
            target.as_pid()
        } else if let (Shares::Demonitor, [id, ..]) = (shares, args) {
            let mine = self.run.processes.get(&self.run.current).map(|it| &it.monitors);
            let monitor = id.as_ref().and_then(|it| mine?.get(&it));
            monitor.and_then(|it| it.target.pid())
        } else {
            None
        };
        target.is_some_and(|it| self.is_device(it))
    }
}

impl Staged<'_> {
    /// The state of a process before a step that might change nothing.
    pub(super) fn freeze(&mut self, label: Label) -> Option<Rc<Frozen>> {
        let pid = PidId(label.actor.0);
        let world = &self.machine.world;
        let has_effects = world.ports.n_opened > 0 || !world.files.is_unused();
        if !self.sees_spins || has_effects {
            return None;
        }
        let may_be_quiet = match self.act.pending.get(&pid)? {
            Pending::Operation(kind) => match &**kind {
                OfferKind::Next { accesses, is_global, kills, mail, .. } => {
                    let is_quiet = !is_global && kills.is_empty() && mail.is_none();
                    is_quiet
                        && label.take == Take::Next
                        && !accesses.iter().any(|it| writes(*it, pid))
                }
                OfferKind::Receive(_) => false,
            },
            Pending::Receive(_) => match label.take {
                Take::Timeout => true,
                Take::Message(id) => id.from == label.actor,
                Take::Next | Take::Lost => false,
            },
            Pending::Exit(_) | Pending::Ending | Pending::Stuck => false,
        };
        let process = world.run.processes.get(&pid).filter(|_| may_be_quiet)?;
        Frozen::of(&self.machine.program, process).map(Rc::new)
    }

    /// Begins a step of a process. Returns the round that the step begins to repeat, if any.
    pub(super) fn begin_round(&mut self, label: Label) -> Option<Spin> {
        let pid = PidId(label.actor.0);
        if self.act.is_last {
            self.let_time_pass();
        }
        let quiet = Rc::make_mut(self.act.spins.get_mut(&pid)?);
        let spin = quiet.spin.take().filter(|_| matches!(label.take, Take::Next | Take::Timeout));
        if quiet.idle.take().is_some() {
            // A message has come that the round would take, or time has passed.
            let process = self.machine.world.run.processes.get(&pid);
            quiet.known.extend(process.into_iter().flat_map(|it| &it.letters));
            quiet.steps.clear();
        }
        spin
    }

    /// Ends a step, whose accesses are now known: wakes the processes that depend on it, and checks whether its process
    /// has completed a round.
    pub(super) fn end_round(
        &mut self,
        label: Label,
        frozen: Option<Rc<Frozen>>,
        draft: &Draft,
        receive: Option<ReceiveId>,
        chooses: bool,
    ) {
        let pid = PidId(label.actor.0);
        self.wake_spinning(pid, draft);
        let is_own = |it: &MessageId| it.from == label.actor;
        // Processes that formatted output have ended within the step, and no other process knew of them.
        let gone = draft.spawned.iter().filter(|it| !self.is_there(**it)).map(|it| PidId(it.0));
        let gone: Vec<PidId> = gone.collect();
        let is_of_gone = |it: &Access| {
            let life = |pid: &PidId| it.object == touch::life(*pid) || *it == touch::ending(*pid);
            gone.iter().any(life) || !gone.is_empty() && it.object == touch::population()
        };
        let changes = chooses
            || draft.changes
            || draft.touch.is_global
            || !(draft.killed.is_empty() && draft.lost.is_empty())
            || gone.len() < draft.spawned.len()
            || draft.sent.iter().any(|it| it.to != label.actor || !is_own(&it.message))
            || draft.touch.accesses.iter().any(|it| writes(*it, pid) && !is_of_gone(it));
        let Some(before) = frozen.filter(|_| !changes) else {
            self.act.spins.remove(&pid);
            return;
        };
        let gave_up = receive.filter(|_| label.take == Take::Timeout);
        let of = |id: ReceiveId| self.act.receives.get(id.0 as usize);
        let waited = gave_up.and_then(of).and_then(|it| it.millis).unwrap_or(0);
        let millis = draft.slept.unwrap_or(0) + waited;
        let took = match label.take {
            Take::Message(id) => Some(id),
            Take::Next | Take::Timeout | Take::Lost => None,
        };
        let sent = draft.sent.iter().map(|it| it.message).collect();
        let is_kept = |it: &Access| !is_own_or_clock(*it, pid) && !is_of_gone(it);
        let accesses = draft.touch.accesses.iter().copied().filter(is_kept).collect();
        let reads_clock = draft.reads_clock;
        let quiet = Rc::make_mut(self.act.spins.entry(pid).or_default());
        quiet.steps.push(QuietStep { before, accesses, gave_up, reads_clock, millis, sent, took });
        if quiet.steps.len() > MAX_STEPS {
            quiet.steps.remove(0);
        }
        self.look_for_round(pid);
    }

    /// Whether an actor that a step started still exists after it. Processes that format output do not.
    fn is_there(&self, actor: Actor) -> bool {
        let pid = PidId(actor.0);
        self.machine.world.run.processes.contains_key(&pid)
            || !self.machine.world.names.is_process(pid)
    }

    fn look_for_round(&mut self, pid: PidId) {
        let (program, world) = (&self.machine.program, &self.machine.world);
        let may_go_on =
            matches!(self.act.pending.get(&pid), Some(Pending::Operation(_) | Pending::Receive(_)));
        let (Some(process), Some(quiet)) =
            (world.run.processes.get(&pid), self.act.spins.get(&pid))
        else {
            return;
        };
        let is_round = |from: &usize| {
            let Some(steps) = quiet.steps.get(*from..) else { return false };
            let mut sent: Vec<MessageId> = steps.iter().flat_map(|it| it.sent.clone()).collect();
            let mut took: Vec<MessageId> = steps.iter().filter_map(|it| it.took).collect();
            sent.sort_unstable();
            took.sort_unstable();
            sent == took && steps.first().is_some_and(|it| it.before.is((program, world), process))
        };
        let from = (0..quiet.steps.len()).rev().filter(|_| may_go_on).find(is_round);
        let Some(round) = from.and_then(|it| quiet.steps.get(it..)) else { return };
        let mut reads: Vec<Access> = Vec::new();
        for access in round.iter().flat_map(|it| &it.accesses) {
            if !reads.contains(access) {
                reads.push(*access);
            }
        }
        if round.iter().any(|it| it.gave_up.is_some()) {
            reads.push(Access { object: touch::mailbox(pid), mode: Mode::Read });
        }
        let spin = Spin { n_steps: round.len(), reads };
        let is_idle = self.offer_spin(pid, &spin);
        if let Some(quiet) = self.act.spins.get_mut(&pid) {
            let quiet = Rc::make_mut(quiet);
            (quiet.spin, quiet.idle) = (Some(spin), is_idle);
        }
    }

    /// Makes the next step of a process that is idle depend on all reads of the round.
    fn offer_spin(&mut self, pid: PidId, spin: &Spin) -> Option<Idle> {
        match self.act.pending.get_mut(&pid)? {
            Pending::Operation(kind) => {
                if let OfferKind::Next { accesses, is_idle, .. } = Arc::make_mut(kind) {
                    accesses.extend(&spin.reads);
                    *is_idle = true;
                }
                Some(Idle { patience: None })
            }
            Pending::Receive(id) => {
                let receive = self.act.receives.get_mut(id.0 as usize)?;
                let mut patience = None;
                Rc::make_mut(receive).change(|it| {
                    if it.patience != Patience::Never {
                        patience = Some(std::mem::replace(&mut it.patience, Patience::Idle));
                        it.giving_up.extend(&spin.reads);
                    }
                });
                patience.map(|it| Idle { patience: Some(it) })
            }
            Pending::Exit(_) | Pending::Ending | Pending::Stuck => None,
        }
    }

    /// Wakes idle processes whose rounds have read something that the step changed.
    fn wake_spinning(&mut self, by: PidId, draft: &Draft) {
        let changed: Vec<Access> =
            draft.touch.accesses.iter().copied().filter(|it| is_write(it.mode)).collect();
        if changed.is_empty() && !draft.touch.is_global {
            return;
        }
        let pids: Vec<PidId> = self.act.spins.keys().copied().filter(|it| *it != by).collect();
        for pid in pids {
            let is_stale = |it: &QuietStep| {
                let conflicts = |own: &Access| changed.iter().any(|it| own.conflicts(*it));
                draft.touch.is_global || it.accesses.iter().any(conflicts)
            };
            self.forget_steps(pid, &is_stale);
        }
    }

    /// Wakes idle processes whose rounds have read the clock.
    fn let_time_pass(&mut self) {
        let pids: Vec<PidId> = self.act.spins.keys().copied().collect();
        pids.into_iter().for_each(|it| self.forget_steps(it, &|it| it.reads_clock));
    }

    /// Forgets the steps of a process up to the last one whose outcome would now be different.
    fn forget_steps(&mut self, pid: PidId, is_stale: &dyn Fn(&QuietStep) -> bool) {
        let Some(quiet) = self.act.spins.get(&pid) else { return };
        let Some(last) = quiet.steps.iter().rposition(is_stale) else { return };
        let n_left = quiet.steps.len() - last - 1;
        let is_broken = quiet.spin.as_ref().is_some_and(|it| n_left < it.n_steps);
        let Some(quiet) = self.act.spins.get_mut(&pid) else { return };
        let quiet = Rc::make_mut(quiet);
        quiet.steps.drain(..=last);
        if let Some(idle) = quiet.idle.take_if(|_| is_broken) {
            self.stir(pid, idle);
        }
    }

    /// Makes an idle process runnable: it may go round once more.
    fn stir(&mut self, pid: PidId, idle: Idle) {
        match self.act.pending.get_mut(&pid) {
            Some(Pending::Operation(kind)) => {
                if let OfferKind::Next { is_idle, .. } = Arc::make_mut(kind) {
                    *is_idle = false;
                }
            }
            Some(Pending::Receive(id)) => {
                if let Some(receive) = self.act.receives.get_mut(id.0 as usize) {
                    let patience = idle.patience.unwrap_or(Patience::Never);
                    Rc::make_mut(receive).change(|it| it.patience = patience);
                }
            }
            Some(Pending::Exit(_) | Pending::Ending | Pending::Stuck) | None => (),
        }
    }

    /// The offer of an idle process: the normal one if a message has come that its round would take.
    pub(super) fn offer_of_idle(&mut self, pid: PidId, offer: Offer) -> Offer {
        let Some(idle) = self.act.spins.get(&pid).and_then(|it| it.idle) else { return offer };
        if self.is_wanted(pid, &offer) { awake(offer, idle.patience) } else { offer }
    }

    /// If the round of an idle process reads the clock: the time at which the process may continue, and its offer then.
    pub(super) fn offer_later(&self, offer: &Offer) -> Option<(u64, Offer)> {
        let quiet = self.act.spins.get(&PidId(offer.actor.0))?;
        let idle = quiet.idle.filter(|_| quiet.is_timed())?;
        let millis: u64 = quiet.round().iter().map(|it| it.millis).sum();
        let at = self.machine.world.run.clock.saturating_add(millis.max(1) * NANOS_PER_MILLI);
        Some((at, awake(offer.clone(), idle.patience.map(|_| Patience::Soon))))
    }

    /// Whether a message has come that some receive of the round would take, other than the receive at which the
    /// process waits.
    fn is_wanted(&mut self, pid: PidId, offer: &Offer) -> bool {
        let Some(quiet) = self.act.spins.get(&pid).map(Rc::clone) else { return false };
        let Some(process) = self.machine.world.run.processes.get(&pid) else { return false };
        let taken: &[MessageId] = match &*offer.kind {
            OfferKind::Receive(waiting) => &waiting.matching,
            OfferKind::Next { .. } => &[],
        };
        let is_news =
            |it: &(MessageId, Value)| !taken.contains(&it.0) && !quiet.known.contains(&it.0);
        let letters = process.letters.iter().copied().zip(process.mailbox.iter().copied());
        let letters: Vec<(MessageId, Value)> = letters.filter(is_news).collect();
        let receives: Vec<ReceiveId> = quiet.round().iter().filter_map(|it| it.gave_up).collect();
        let mut pairs = receives.iter().flat_map(|of| letters.iter().map(move |it| (*of, it.1)));
        pairs.any(|(receive, message)| self.would_take(receive, message).holds)
    }
}

fn awake(mut offer: Offer, patience: Option<Patience>) -> Offer {
    match Arc::make_mut(&mut offer.kind) {
        OfferKind::Next { is_idle, .. } => *is_idle = false,
        OfferKind::Receive(it) => it.patience = patience.unwrap_or(it.patience),
    }
    offer
}

/// Whether an access of a process is a write that others might observe.
fn writes(access: Access, by: PidId) -> bool {
    is_write(access.mode) && !is_own_or_clock(access, by)
}

fn is_write(mode: Mode) -> bool {
    match mode {
        Mode::Read | Mode::ReadPart => false,
        Mode::Write | Mode::Put(_) | Mode::Mail | Mode::WritePart => true,
    }
}

/// Whether an access is a write to the process's own mailbox or to the clock. What a process sends to itself is taken
/// out again within the round, and the passing of time is handled separately.
fn is_own_or_clock(access: Access, by: PidId) -> bool {
    let is_own = [touch::mailbox(by), touch::taken(by)].contains(&access.object);
    is_write(access.mode) && (is_own || access.object == touch::clock())
}
