//! Executes a call under a schedule: offers the steps that its actors could take now, and takes the chosen one.
//!
//! Garbage is not collected during a scheduled run, so values may be kept anywhere; a run that needs more memory than
//! its limit is stopped.

use crate::builtins::Stop;
use crate::machine::farewell::Part;
use crate::machine::interpret::{Pause, run};
use crate::machine::process::{Execution, OnReturn, Process, Status};
use crate::machine::queue::Schedulers;
use crate::machine::raise::Raised;
use crate::machine::run::{Machine, MachineError, Stopped};
use crate::machine::schedule::crash::Crash;
use crate::machine::schedule::keep::Kept;
use crate::machine::schedule::receives::Receive;
use crate::machine::schedule::spins::Quiet;
use crate::machine::schedule::touch;
use crate::machine::schedule::touch::Touch;
use crate::machine::schedule::{Gate, Schedule, actor, is_inline, mail_mode};
use crate::machine::timers::TimerId;
use crate::machine::world::{USER, World};
use crate::machine::{FromSpec, Recorder};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use term::{Atom, Exprs};
use trace::{
    Access, Actor, ActorName, Covered, ExecutorError, Input, Label, Match, MessageId, Mode, Offer,
    OfferKind, Patience, Performed, ReceiveId, Stage, Step, StepText, Take,
};
use values::{AtomId, NodeId, PidId, RefId, Value};

/// A function of a loaded program that is run under schedules decided elsewhere.
#[derive(Debug)]
pub struct Staged<'m> {
    pub(super) machine: &'m mut Machine,
    module: Atom,
    function: Atom,
    recorder: Recorder,
    /// Whether the arguments are symbolic.
    pub is_recorded: bool,
    /// Whether steps are described in words.
    pub is_narrated: bool,
    /// Timeouts of at least this many milliseconds happen only when no other step is possible.
    pub long_timeout: u64,
    /// The output of the program in the run that ended last.
    pub output: Vec<u8>,
    /// Whether waiting loops are detected, so that their rounds are repeated only if that can make a difference.
    pub sees_spins: bool,
    /// Whether signals other than messages are delayed.
    pub delays_signals: bool,
    /// The nodes that go down, each at some time.
    pub falling: Vec<NodeId>,
    pub(super) is_mail_ordered: bool,
    /// The number of steps of the current run.
    n_steps: usize,
    /// Checkpoints along the last run, in the order of their number of steps.
    kept: Vec<Kept>,
    /// The heap cells of the last checkpoint.
    cells: Vec<Value>,
    pub(super) act: Act,
}

/// The current run.
#[derive(Clone, Debug, Default)]
pub(super) struct Act {
    pub(super) pending: BTreeMap<PidId, Pending>,
    pub(super) receives: Vec<Rc<Receive>>,
    pub(super) spins: BTreeMap<PidId, Rc<Quiet>>,
    /// The process that each process is about to query.
    pub(super) asked: BTreeMap<PidId, PidId>,
    pub(super) timers: FxHashMap<Actor, TimerId>,
    pub(super) crashes: Vec<Crash>,
    pub(super) stopped: Option<trace::Stopped>,
    pub(super) unit: PidId,
    is_open: bool,
    /// Whether no step is possible except by letting time pass.
    pub(super) is_last: bool,
}

/// The next step of a process.
#[derive(Clone, Debug)]
pub(super) enum Pending {
    Operation(Arc<OfferKind>),
    Receive(ReceiveId),
    Exit(End),
    /// The process has begun to end and continues with the next part.
    Ending,
    /// The process waits for nothing, as in a receive without clauses, so it never continues.
    Stuck,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Returned(Value),
    Raised(Raised),
    Killed(Value),
}

/// The minimum distance between two checkpoints in steps, and the maximum number of checkpoints.
const KEEP_EVERY: usize = 4;
const MAX_KEPT: usize = 256;

pub(super) const SLICE: u32 = 4000;
pub(super) const NANOS_PER_MILLI: u64 = 1_000_000;

impl Staged<'_> {
    pub fn new(machine: &mut Machine, module: Atom, function: Atom) -> Staged<'_> {
        Staged {
            machine,
            module,
            function,
            recorder: Recorder::default(),
            is_recorded: false,
            is_narrated: false,
            long_timeout: super::LONG_MILLIS.cast_unsigned(),
            output: Vec::new(),
            sees_spins: true,
            delays_signals: false,
            falling: Vec::new(),
            is_mail_ordered: false,
            n_steps: 0,
            kept: Vec::new(),
            cells: Vec::new(),
            act: Act::default(),
        }
    }
}

impl<'m> Staged<'m> {
    /// Restricts inputs and results by a spec.
    #[must_use]
    pub fn within(mut self, spec: FromSpec) -> Staged<'m> {
        self.recorder = Recorder::within(spec);
        self
    }
}

impl Stage for Staged<'_> {
    fn order_mail(&mut self, is_ordered: bool) {
        self.is_mail_ordered = is_ordered;
    }

    fn delay_signals(&mut self, are_delayed: bool) {
        self.delays_signals = are_delayed;
    }

    fn begin(&mut self, input: &Input) -> Result<(), ExecutorError> {
        if self.act.is_open {
            self.end()?;
        }
        self.kept.clear();
        self.open(input).map_err(|it| error(&it))
    }

    fn offers(&mut self) -> Result<Vec<Offer>, ExecutorError> {
        if self.act.stopped.is_some() {
            return Ok(Vec::new());
        }
        self.act.is_last = false;
        let mut res = Vec::with_capacity(self.act.pending.len());
        let pids: Vec<PidId> = self.act.pending.keys().copied().collect();
        for pid in pids {
            if let Some(offer) = self.offer(pid) {
                res.push(self.offer_of_idle(pid, offer));
            }
        }
        // The offer with the earliest timeout, which is made if no other step is possible.
        let mut last: Option<(u64, Offer)> = None;
        let mut is_open = false;
        for offer in &res {
            let later = self.offer_later(offer);
            if let Some(later) = later.filter(|it| last.as_ref().is_none_or(|of| it.0 < of.0)) {
                last = Some(later);
            }
            let waiting = match &*offer.kind {
                OfferKind::Next { is_idle, .. } => {
                    is_open |= !is_idle;
                    continue;
                }
                OfferKind::Receive(waiting) => waiting,
            };
            match waiting.patience {
                Patience::Soon => is_open = true,
                Patience::Never | Patience::Last(_) | Patience::Idle
                    if !waiting.matching.is_empty() =>
                {
                    is_open = true;
                }
                Patience::Last(at) if last.as_ref().is_none_or(|it| at < it.0) => {
                    let mut offer = offer.clone();
                    if let OfferKind::Receive(waiting) = Arc::make_mut(&mut offer.kind) {
                        waiting.patience = Patience::Soon;
                    }
                    last = Some((at, offer));
                }
                Patience::Never | Patience::Last(_) | Patience::Idle => (),
            }
        }
        let long = self.long_timeout * NANOS_PER_MILLI;
        let now = self.machine.world.run.clock;
        let mail_mode = self.mail_mode();
        for (at, id) in self.machine.world.run.timers.running() {
            let timer = self.machine.world.timer_actor(id);
            self.act.timers.insert(timer, TimerId::Reference(id));
            let mut touch = Touch::default();
            touch.access(touch::timer(id), Mode::Write);
            touch.mail = self.machine.world.run.timers.target(id);
            let offer = next(timer, touch, mail_mode);
            if at.saturating_sub(now) < long {
                is_open = true;
                res.push(offer);
            } else if last.as_ref().is_none_or(|it| at < it.0) {
                last = Some((at, offer));
            }
        }
        let vain = self.offer_vain_monitors();
        is_open |= !vain.is_empty();
        res.extend(vain);
        let signals = self.offer_signals();
        is_open |= !signals.is_empty();
        res.extend(signals);
        let falls = self.offer_falls();
        is_open |= !falls.is_empty();
        res.extend(falls);
        if !is_open && let Some((at, offer)) = last {
            self.machine.world.run.clock = now.max(at);
            self.act.is_last = true;
            res.retain(|it| it.actor != offer.actor);
            res.push(offer);
        }
        Ok(res)
    }

    fn begin_again(&mut self, input: &Input, n_steps: usize) -> Result<usize, ExecutorError> {
        if self.act.is_open {
            self.end()?;
        }
        while self.kept.last().is_some_and(|it| n_steps < it.n_steps) {
            self.kept.pop();
        }
        if let Some(kept) = self.kept.last() {
            self.machine.begin().map_err(|it| error(&it))?;
            if let Some(act) = kept.restore(self.machine, &self.cells) {
                self.act = act;
                self.n_steps = kept.n_steps;
                return Ok(self.n_steps);
            }
        }
        self.begin(input)?;
        Ok(0)
    }

    fn step(&mut self, label: Label) -> Result<Step, ExecutorError> {
        let is_due = self.kept.last().map_or(0, |it| it.n_steps) + KEEP_EVERY <= self.n_steps;
        if is_due && self.kept.len() < MAX_KEPT {
            self.kept.extend(Kept::of(self.machine, &self.act, self.n_steps));
        }
        self.take(label).map_err(|it| error(&it))
    }

    fn again(&mut self, label: Label, is_last: bool) -> Result<(), ExecutorError> {
        // Computing offers advances the clock and assigns actors to timers.
        if is_last || !self.act.pending.contains_key(&PidId(label.actor.0)) {
            self.offers()?;
        }
        self.act.is_last = is_last;
        self.take(label).map(|_| ()).map_err(|it| error(&it))
    }

    fn matches(&mut self, receive: ReceiveId, message: MessageId) -> Result<Match, ExecutorError> {
        let schedule = self.machine.world.run.schedule.as_ref();
        let value = schedule.and_then(|it| it.messages.get(&message)).copied();
        let Some(value) = value else { return Ok(Match::default()) };
        let never_came = schedule.and_then(|it| it.never_came.get(&message));
        if never_came.is_some_and(|it| *it <= receive.0) {
            return Ok(Match::default());
        }
        Ok(self.would_take(receive, value))
    }

    fn end(&mut self) -> Result<Performed, ExecutorError> {
        let res = self.close().map_err(|it| error(&it));
        self.act = Act::default();
        res
    }

    fn exprs(&mut self) -> &mut Exprs {
        match &mut self.machine.world.record {
            Some(record) => &mut record.exprs,
            None => &mut self.recorder.exprs,
        }
    }

    fn forget(&mut self) {
        self.recorder.exprs = Exprs::default();
    }

    fn names(&self) -> Vec<ActorName> {
        self.machine.world.names.all()
    }

    fn n_names(&self) -> usize {
        self.machine.world.names.len()
    }

    fn set_names(&mut self, names: &[ActorName]) {
        self.machine.world.names.set(names);
    }

    fn name(&self, actor: Actor) -> String {
        let process = || self.machine.world.names.path(PidId(actor.0));
        self.fall_name(actor).unwrap_or_else(process)
    }
}

/// The offer of an operation with these accesses. The message that it sends accesses its receiver's mailbox in the
/// given mode.
pub(super) fn next(actor: Actor, touch: Touch, mail_mode: Mode) -> Offer {
    let Touch { accesses, is_global, kills, mail, may_lose, .. } = touch;
    let mail = mail.map(|it| Access { object: touch::mailbox(it), mode: mail_mode });
    let kills = kills.into_iter().map(super::actor).collect();
    let kind = OfferKind::Next { accesses, is_global, kills, mail, may_lose, is_idle: false };
    Offer { actor, kind: Arc::new(kind) }
}

impl Staged<'_> {
    fn open(&mut self, input: &Input) -> Result<(), MachineError> {
        self.machine.begin()?;
        let mut args = self.machine.values(&input.args);
        if self.is_recorded {
            let mut recorder = std::mem::take(&mut self.recorder);
            self.machine.begin_record(&mut recorder);
            for (n, arg) in args.iter_mut().enumerate() {
                *arg = recorder.argument(n, *arg);
            }
            self.machine.world.record = Some(Box::new(recorder));
        }
        let world = &mut self.machine.world;
        world.heap.keep_all();
        let is_mail_ordered = self.is_mail_ordered;
        let delays_signals = self.delays_signals;
        let schedule = Schedule { is_mail_ordered, delays_signals, ..Schedule::default() };
        world.run.schedule = Some(Box::new(schedule));
        self.n_steps = 0;
        let world = &mut self.machine.world;
        let module = Value::atom(world.atoms.intern(self.module.as_str()));
        let function = Value::atom(world.atoms.intern(self.function.as_str()));
        let unit = world.names.child(PidId(0), 0);
        let dictionary = world.heap.empty_map();
        let execution = Execution::apply(module, function, &args);
        let mut process = Process::new(unit, PidId(0), execution, dictionary);
        process.on_return = OnReturn::Unit;
        process.group_leader = USER;
        world.run.processes.insert(unit, process);
        self.act = Act { unit, is_open: true, ..Act::default() };
        self.advance(unit, Gate::Closed)?;
        self.drain()
    }

    /// The access mode of sent messages to their receivers' mailboxes.
    pub(super) fn mail_mode(&self) -> Mode {
        mail_mode(self.is_mail_ordered)
    }

    /// The step that a process could take.
    fn offer(&mut self, pid: PidId) -> Option<Offer> {
        let who = actor(pid);
        let pending = self.act.pending.get(&pid)?;
        // A suspended process takes no steps except those of its end.
        let goes_on = matches!(pending, Pending::Exit(End::Killed(_)) | Pending::Ending);
        if !goes_on && self.machine.world.is_suspended(pid) {
            return None;
        }
        match pending {
            Pending::Operation(kind) => {
                let mut offer = Offer { actor: who, kind: Arc::clone(kind) };
                // The signals that the process sent to the queried one must arrive first.
                let asked = self.act.asked.get(&pid);
                if asked.is_some_and(|it| self.machine.world.is_signalled(pid, *it))
                    && let OfferKind::Next { is_idle, .. } = Arc::make_mut(&mut offer.kind)
                {
                    *is_idle = true;
                }
                Some(offer)
            }
            Pending::Exit(end) => {
                let touch = touch::of_end(&self.machine.world, pid, *end);
                Some(next(who, touch, self.mail_mode()))
            }
            Pending::Ending => {
                let (reason, part) = self.machine.world.next_of_end(pid)?;
                let touch = touch::of_part(&self.machine.world, pid, reason, part);
                Some(next(who, touch, self.mail_mode()))
            }
            Pending::Stuck => None,
            Pending::Receive(id) => {
                let id = *id;
                self.test_letters(id);
                let receive = self.act.receives.get(id.0 as usize)?;
                Some(Offer { actor: who, kind: Arc::clone(&receive.offered) })
            }
        }
    }

    /// Runs a process until its next visible operation.
    fn advance(&mut self, pid: PidId, gate: Gate) -> Result<(), MachineError> {
        self.act.pending.remove(&pid);
        set_gate(&mut self.machine.world, gate);
        loop {
            let Some(pause) = self.run_slice(pid) else { return Ok(()) };
            match pause {
                Pause::Yield => (),
                Pause::Stop(Stop::NeedTurn) => {
                    let pending = self.stopped_at(pid);
                    self.act.pending.insert(pid, pending);
                    return Ok(());
                }
                Pause::Wait => {
                    let process = self.machine.world.run.processes.get_mut(&pid);
                    if let Some(process) = process.filter(|it| it.status == Status::Hibernating) {
                        // A hibernating process continues with the first message, which it will receive.
                        process.status = Status::Runnable;
                    } else {
                        self.act.pending.insert(pid, Pending::Stuck);
                        return Ok(());
                    }
                }
                Pause::Returned(value) => return self.will_end(pid, End::Returned(value)),
                Pause::Raised(raised) => return self.will_end(pid, End::Raised(raised)),
                Pause::Killed(reason) => return self.will_end(pid, End::Killed(reason)),
                Pause::Load(module) | Pause::Stop(Stop::NeedModule(module)) => {
                    self.machine.load(module)?;
                    self.open_again(pid);
                }
                Pause::Stop(Stop::NeedProcess(node, name)) => {
                    let known = touch::resident(&self.machine.world, name);
                    self.machine.world.touches(|| Access { object: known, mode: Mode::Write });
                    self.machine.world.boot(node, name, pid);
                    if !self.drain_until(pid)? {
                        let why = "a part of the system can't be started".to_owned();
                        self.stop(trace::Stopped::Unsupported { why });
                        return Ok(());
                    }
                    self.open_again(pid);
                }
                Pause::Stop(Stop::NeedFact(name)) => {
                    if let Some(stop) = self.machine.learn(name) {
                        self.stop(stop.into());
                        return Ok(());
                    }
                    self.open_again(pid);
                }
                Pause::Host { builtin, args } => {
                    if let Some(stop) = self.machine.ask_host(pid, builtin, &args)? {
                        self.stop(stop.into());
                        return Ok(());
                    }
                }
                Pause::Stop(stop) => {
                    if let Stop::Halted { .. } = stop {
                        self.end_all_but(pid);
                    }
                    self.stop(stop.into());
                    return Ok(());
                }
            }
        }
    }

    /// Runs a slice of a process. `None` if the run has been stopped, or the process does not exist.
    fn run_slice(&mut self, pid: PidId) -> Option<Pause> {
        let Machine { program, world, reductions, .. } = &mut *self.machine;
        world.run.current = pid;
        let mut execution = world.run.processes.get_mut(&pid)?.execution.take()?;
        let left = world.limits.reductions.saturating_sub(*reductions);
        let slice = u32::try_from(left).unwrap_or(u32::MAX).min(SLICE);
        let (pause, used) = run(program, world, &mut execution, slice);
        *reductions += u64::from(used);
        execution.live = execution.stack.len();
        let killed = world.run.killed.take();
        if let Some(process) = world.run.processes.get_mut(&pid) {
            process.reductions += u64::from(used);
            process.execution = Some(execution);
        }
        let stop = if *reductions >= world.limits.reductions {
            Some(Stop::OutOfReductions)
        } else if world.heap.bytes_used() > world.limits.memory_bytes {
            Some(Stop::OutOfMemory)
        } else if self.machine.interrupt.load(Ordering::Relaxed) {
            Some(Stop::Interrupted)
        } else {
            None
        };
        if let Some(stop) = stop {
            self.stop(stop.into());
            return None;
        }
        Some(killed.map_or(pause, Pause::Killed))
    }

    /// Notes that the system halts: the operations before which other processes stopped might have been executed
    /// before.
    fn end_all_but(&mut self, pid: PidId) {
        let others: Vec<PidId> = self.act.pending.keys().copied().filter(|it| *it != pid).collect();
        if let Some(schedule) = &mut self.machine.world.run.schedule {
            schedule.draft.killed.extend(others);
        }
    }

    fn stop(&mut self, why: trace::Stopped) {
        self.act.stopped.get_or_insert(why);
    }

    /// Opens the gate again if the operation that was let through must be repeated.
    fn open_again(&mut self, pid: PidId) {
        let pc = self
            .machine
            .world
            .run
            .processes
            .get(&pid)
            .and_then(|it| Some(it.execution.as_ref()?.pc));
        if let Some(schedule) = &mut self.machine.world.run.schedule
            && let (Some(opened_at), Some(pc)) = (schedule.opened_at, pc)
            && opened_at.saturating_sub(1) == pc
        {
            schedule.gate = Gate::Once;
        }
    }

    fn will_end(&mut self, pid: PidId, end: End) -> Result<(), MachineError> {
        self.act.pending.insert(pid, Pending::Exit(end));
        Ok(())
    }

    /// Runs all processes that were started or woken until they wait for their turn.
    fn drain(&mut self) -> Result<(), MachineError> {
        self.drain_until(PidId(u32::MAX)).map(|_| ())
    }

    /// As [`Staged::drain`], but stops when a process is to continue. Returns whether it is.
    fn drain_until(&mut self, wanted: PidId) -> Result<bool, MachineError> {
        while self.act.stopped.is_none() {
            let Some(pid) = self.machine.world.run.queue.take(Schedulers::One) else {
                return Ok(false);
            };
            if pid == wanted {
                return Ok(true);
            }
            let Some(process) = self.machine.world.run.processes.get(&pid) else { continue };
            if is_inline(process) {
                let name = process.resident;
                self.run_inline(pid)?;
                if let Some(name) = name {
                    let object = touch::resident(&self.machine.world, name);
                    self.machine.world.touches(|| Access { object, mode: Mode::Write });
                }
            } else if !self.act.pending.contains_key(&pid) {
                let gate = gate(&self.machine.world);
                self.advance(pid, Gate::Closed)?;
                set_gate(&mut self.machine.world, gate);
            }
        }
        Ok(false)
    }

    /// Runs a slice of a process that runs inline.
    fn run_inline(&mut self, pid: PidId) -> Result<(), MachineError> {
        let gate = set_gate(&mut self.machine.world, Gate::Free);
        let current = self.machine.world.run.current;
        if let Some(pause) = self.run_slice(pid)
            && let Some(stop) = self.machine.after(pid, pause)?
        {
            self.stop(stop.into());
        }
        self.machine.world.run.current = current;
        set_gate(&mut self.machine.world, gate);
        Ok(())
    }

    fn take(&mut self, label: Label) -> Result<Step, MachineError> {
        self.n_steps += 1;
        let pid = PidId(label.actor.0);
        let first_choice = self.machine.world.record.as_ref().map_or(0, |it| it.choices.len());
        if let Some(schedule) = &mut self.machine.world.run.schedule {
            schedule.actor = Some(label.actor);
            schedule.draft = super::Draft::default();
            schedule.opened_at = None;
        }
        let spin = self.begin_round(label);
        let frozen = self.freeze(label);
        let reads = spin.iter().flat_map(|it| &it.reads).filter(|_| label.take == Take::Next);
        reads.for_each(|it| self.machine.world.touches(|| *it));
        let place = if self.is_narrated { self.narrate(label) } else { String::new() };
        let module = self.is_narrated.then(|| self.module_at(label)).flatten();
        let mut receive = None;
        if let Some(timer) = self.act.timers.get(&label.actor).copied() {
            self.fire(timer);
        } else if let Some(monitor) = self.vain_monitor(label.actor) {
            self.tell_vain_monitor(label.actor, monitor);
        } else if let Some(signal) = self.signal(label.actor) {
            self.arrive(label.actor, signal);
        } else if let Some(node) = self.machine.world.names.falling_node(pid) {
            self.fall(node);
        } else {
            match self.act.pending.remove(&pid) {
                Some(Pending::Operation(_)) => {
                    if let Some(schedule) = &mut self.machine.world.run.schedule {
                        schedule.is_losing = label.take == Take::Lost;
                    }
                    self.advance(pid, Gate::Once)?;
                }
                Some(Pending::Receive(id)) => {
                    receive = Some(id);
                    let waits = usize::try_from(id.0).ok().and_then(|it| self.act.receives.get(it));
                    let touched = waits.map(|it| it.touched(label.take)).unwrap_or_default();
                    touched.iter().for_each(|it| self.machine.world.touches(|| *it));
                    if let Some(process) = self.machine.world.run.processes.get_mut(&pid) {
                        process.seen = match label.take {
                            Take::Message(id) => process.letters.iter().position(|it| *it == id),
                            Take::Timeout | Take::Next | Take::Lost => None,
                        }
                        .unwrap_or(process.mailbox.len());
                    }
                    self.advance(pid, Gate::Once)?;
                }
                Some(Pending::Exit(end)) => self.exit(pid, end),
                Some(Pending::Ending) => {
                    self.machine.world.run.current = pid;
                    self.machine.world.go_on_ending(pid);
                }
                Some(Pending::Stuck) | None => (),
            }
        }
        self.drain()?;
        let mut draft = super::Draft::default();
        if let Some(schedule) = &mut self.machine.world.run.schedule {
            draft = std::mem::take(&mut schedule.draft);
            schedule.is_losing = false;
            for killed in &draft.killed {
                if let Some(reason) = schedule.doomed.get(killed) {
                    self.act.pending.insert(*killed, Pending::Exit(End::Killed(*reason)));
                }
            }
            for ending in schedule.farewells.keys() {
                self.act.pending.insert(*ending, Pending::Ending);
            }
        }
        let n_choices = self.machine.world.record.as_ref().map_or(0, |it| it.choices.len());
        self.end_round(label, frozen, &draft, receive, first_choice < n_choices);
        let text = self.is_narrated.then(|| StepText {
            what: place,
            module,
            sent: draft.sent.iter().map(|it| self.message_text(it.message)).collect(),
            lost: draft.lost.iter().map(|it| self.message_text(it.message)).collect(),
        });
        let Touch { accesses, is_global, might_differ, asks, .. } = draft.touch;
        Ok(Step {
            label,
            accesses,
            is_global,
            might_differ,
            sent: draft.sent,
            lost: draft.lost,
            spawned: draft.spawned,
            signals: draft.signals,
            might_wait: asks.is_some(),
            killed: draft.killed.into_iter().map(actor).collect(),
            receive,
            is_last: self.act.is_last,
            spin,
            has_waited: draft.slept.is_some() || label.take == Take::Timeout,
            choices: first_choice..n_choices,
            text,
        })
    }

    /// The offers of actors that report that a monitor's target does not exist.
    fn offer_vain_monitors(&self) -> Vec<Offer> {
        let world = &self.machine.world;
        let vain = world.run.schedule.iter().flat_map(|it| &it.vain_monitors);
        let offer = |(teller, id): (&Actor, &RefId)| {
            let part = Part::Watcher(*id, id.owner);
            let touch = touch::of_part(world, id.owner, Value::NIL, part);
            next(*teller, touch, self.mail_mode())
        };
        vain.map(offer).collect()
    }

    /// The monitor that an actor reports on.
    pub(super) fn vain_monitor(&self, teller: Actor) -> Option<RefId> {
        self.machine.world.run.schedule.as_ref()?.vain_monitors.get(&teller).copied()
    }

    fn tell_vain_monitor(&mut self, teller: Actor, id: RefId) {
        let world = &mut self.machine.world;
        if let Some(schedule) = &mut world.run.schedule {
            schedule.vain_monitors.remove(&teller);
        }
        world.down(id.owner, id, Value::atom(AtomId::NOPROC));
    }

    fn fire(&mut self, id: TimerId) {
        let world = &mut self.machine.world;
        if let TimerId::Reference(id) = id {
            world.touches(|| Access { object: touch::timer(id), mode: Mode::Write });
            if let Some(name) = world.run.timers.target_name(id) {
                let object = touch::name(world, id.owner.node(), name);
                world.touches(|| Access { object, mode: Mode::Read });
            }
        }
        if let Some(timer) = world.run.timers.take(id) {
            world.fire(timer);
        }
    }

    fn exit(&mut self, pid: PidId, end: End) {
        self.note_crash(pid, end);
        if let End::Raised(raised) = end {
            let accesses = touch::of_failure(&self.machine.world, pid, raised);
            accesses.into_iter().for_each(|it| self.machine.world.touches(|| it));
        }
        self.machine.world.run.current = pid;
        match end {
            End::Returned(value) => self.machine.returned(pid, value),
            End::Raised(raised) => self.machine.uncaught(pid, raised),
            End::Killed(reason) => self.machine.world.terminate(pid, reason),
        }
        if let Some(schedule) = &mut self.machine.world.run.schedule {
            schedule.gate = Gate::Closed;
        }
    }

    fn close(&mut self) -> Result<Performed, MachineError> {
        let (waiting, is_spinning) = (self.waiting(), self.spins(self.act.unit));
        let blocked = if self.is_narrated { self.blocked() } else { Vec::new() };
        let outcome = if self.machine.world.run.ended.is_some() {
            self.machine.outcome(Ok(Stopped::Ended))?.into()
        } else {
            match &self.act.stopped {
                Some(why) => trace::Outcome::Stopped(why.clone()),
                None => trace::Outcome::Deadlock,
            }
        };
        let covered = Covered::from_words(std::mem::take(&mut self.machine.world.run.covered));
        let (mut choices, mut losses) = (Vec::new(), Vec::new());
        if let Some(mut recorder) = self.machine.world.record.take() {
            choices = std::mem::take(&mut recorder.choices);
            losses = std::mem::take(&mut recorder.losses);
            self.recorder = *recorder;
        }
        let Act { crashes, stopped, .. } = std::mem::take(&mut self.act);
        let crashes = self.unheard(crashes);
        let (mut unheard, mut has_prompt_signals) = (Vec::new(), false);
        if let Some(schedule) = &mut self.machine.world.run.schedule {
            unheard = schedule.unheard();
            has_prompt_signals = schedule.has_prompt_signals;
        }
        self.machine.world.run.schedule = None;
        self.output = std::mem::take(&mut self.machine.world.run.output);
        if let Some(kept) = self.kept.last() {
            kept.save(self.machine, &mut self.cells);
        }
        self.machine.end();
        Ok(Performed {
            outcome,
            crashes,
            is_spinning,
            waiting,
            blocked,
            has_prompt_signals,
            unheard,
            stopped,
            choices,
            losses,
            covered,
        })
    }
}

fn gate(world: &World) -> Gate {
    world.run.schedule.as_ref().map_or(Gate::Closed, |it| it.gate)
}

/// Sets the gate. Returns its previous state.
pub(super) fn set_gate(world: &mut World, gate: Gate) -> Gate {
    match &mut world.run.schedule {
        Some(schedule) => std::mem::replace(&mut schedule.gate, gate),
        None => Gate::Closed,
    }
}

fn error(error: &MachineError) -> ExecutorError {
    ExecutorError { why: error.to_string() }
}
