//! Scheduled runs: another component decides the order of the processes' steps, one visible operation at a time.
//!
//! A process stops before each operation that other processes can observe or influence, and waits for its turn. The
//! order is decided elsewhere; this module is the gate at which processes wait, and gathers what each step accesses.
//! Runs without a schedule never execute this code.

mod crash;
mod falls;
mod keep;
mod narrate;
mod receives;
mod signals;
mod spins;
mod stage;
mod tables;
mod touch;

pub use stage::Staged;

use crate::builtins::{Builtin, Shares};
use crate::machine::World;
use crate::machine::farewell::{Farewell, Part};
use crate::machine::process::{AliasKind, Monitor, OnReturn, Process};
use crate::machine::signals::Through;
use rustc_hash::FxHashMap;
use signals::OnTheWay;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use term::{Atom, Term};
use touch::Touch;
use trace::{Access, Actor, MessageId, Mode, Sent, Signal};
use values::{NodeId, PidId, RefId, Value};

/// The part of a world that exists only in scheduled runs.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    gate: Gate,
    /// Whether two messages to the same mailbox conflict.
    is_mail_ordered: bool,
    /// The address of the instruction for which the gate was opened; the gate opens again if that instruction must be
    /// repeated.
    opened_at: Option<u32>,
    /// The operation before which the last stopped process waits.
    stopped_for: Option<StoppedFor>,
    /// The actor of the current step; `None` before the first step.
    actor: Option<Actor>,
    draft: Draft,
    /// Whether signals other than messages are delayed, that is, delivered by steps of their own.
    delays_signals: bool,
    /// Whether signals are delivered at once at the moment, because the current step delivers a signal or takes a node
    /// down.
    is_arriving: bool,
    /// Signals in transit, by the actor that delivers each.
    on_the_way: BTreeMap<Actor, OnTheWay>,
    /// The number of delayed signals that each process has sent.
    n_signals: FxHashMap<PidId, u32>,
    /// Whether a signal was delivered at once when it was sent.
    has_prompt_signals: bool,
    /// Whether the message that the current step sends is lost.
    is_losing: bool,
    n_sent: FxHashMap<Actor, u32>,
    messages: FxHashMap<MessageId, Value>,
    /// Processes that a signal has ended but that have not taken the step of their end.
    doomed: BTreeMap<PidId, Value>,
    /// Processes that are ending, with the remaining parts of their end.
    farewells: BTreeMap<PidId, Farewell>,
    /// The state of processes that have ended: in other schedules, messages to them might have arrived in time.
    ghosts: FxHashMap<PidId, Ghost>,
    /// Monitors of processes that did not exist, by the actor that reports it (as timers are actors).
    vain_monitors: BTreeMap<Actor, RefId>,
    /// Monitors that were removed; otherwise their messages would still come.
    called_off: BTreeMap<RefId, CalledOff>,
    /// Monitors that were removed with the option `flush`.
    flushed: BTreeSet<RefId>,
    discarded: Vec<MessageId>,
    /// Messages that were not sent because their monitor was removed, each with the number of receives at that time:
    /// earlier receives might have taken the message in another schedule.
    never_came: FxHashMap<MessageId, u32>,
    /// For each process, the processes linked to it that have ended: in another order, its end would have concerned
    /// them.
    unlinked: BTreeMap<PidId, Vec<PidId>>,
    /// For each process, the processes that have removed their link to it.
    parted: BTreeMap<PidId, BTreeSet<PidId>>,
    /// The number of receives so far.
    n_receives: u32,
    probed: Option<Probed>,
    /// How often the clock was read.
    n_readings: u64,
    /// The events that instrumented code has reported, and the number of frames that it has allocated.
    pub(crate) told: Vec<Told>,
    n_frames: i64,
    /// The number of choices of the run before the last reported event.
    pub(crate) n_told: usize,
}

/// A reduction, reported by the code that makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub actor: Actor,
    pub what: String,
    pub frame: i64,
    pub place: i64,
    pub value: Term,
    /// Variables that were bound.
    pub bindings: Vec<(Atom, Term)>,
    /// The choices of the run between the previous event and this one.
    pub choices: Range<usize>,
}

impl Schedule {
    /// Whether the monitor was removed with the option `flush`.
    fn is_flushed(&self, monitor: RefId) -> bool {
        self.flushed.contains(&monitor)
    }

    /// Messages that were flushed from a mailbox, or not sent because their monitor was removed.
    fn unheard(&mut self) -> Vec<MessageId> {
        let mut res = std::mem::take(&mut self.discarded);
        res.extend(self.never_came.keys());
        res.sort_unstable();
        res
    }

    pub(crate) fn next_frame(&mut self) -> i64 {
        self.n_frames += 1;
        self.n_frames
    }
}

/// The state of a process that has ended, as far as it is still needed.
#[derive(Clone, Debug)]
struct Ghost {
    traps: bool,
    /// Whether the process was ended by a signal.
    was_doomed: bool,
    monitors: BTreeMap<RefId, Monitor>,
    aliases: BTreeMap<RefId, AliasKind>,
}

/// A removed monitor, and the number of receives when it was removed.
#[derive(Clone, Debug)]
struct CalledOff {
    monitor: Monitor,
    n_receives: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Gate {
    /// The process stops before its next visible operation.
    #[default]
    Closed,
    /// The process may execute one visible operation.
    Once,
    /// The process may execute any number of operations, which belong to the step that caused them.
    Free,
    /// A receive is probed with this message, or with an empty mailbox.
    Probing(Option<Value>),
}

#[derive(Clone, Debug)]
enum StoppedFor {
    Operation(Touch),
    Receive,
}

/// The reaction of a receive to a message.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Probed {
    Takes,
    Leaves,
    /// There is no message, and the receive would wait for this time.
    Waits(Value),
}

/// The current step, as far as it has been executed.
#[derive(Clone, Debug, Default)]
struct Draft {
    touch: Touch,
    /// Whether the program itself sends a message; otherwise messages come from monitors or links.
    is_sending: bool,
    sent: Vec<Sent>,
    lost: Vec<Sent>,
    spawned: Vec<Actor>,
    signals: Vec<Signal>,
    killed: Vec<PidId>,
    /// Whether the step reads the clock.
    reads_clock: bool,
    /// The number of milliseconds that the step sleeps, in receives that wait for nothing else.
    slept: Option<u64>,
    /// Whether the step changes state that its accesses do not show.
    changes: bool,
}

/// The permission of a receive that is about to examine its next message.
pub(crate) enum Turn {
    /// The process has to wait for its turn.
    Stop,
    /// The receive examines its mailbox as usual.
    Look,
    /// The receive is probed with this message, or with an empty mailbox.
    Show(Option<Value>),
}

/// The permission of a receive that has found no message.
pub(crate) enum WaitTurn {
    /// It waits as usual.
    Usual,
    TimesOut,
    Stop,
}

impl World {
    /// Whether the running process may execute the builtin now; otherwise it stops before it.
    #[inline]
    pub(crate) fn may_go(&mut self, builtin: &'static Builtin, args: &[Value], pc: u32) -> bool {
        self.run.schedule.is_none() || self.is_turn(builtin, args, pc)
    }

    #[cold]
    fn is_turn(&mut self, builtin: &'static Builtin, args: &[Value], pc: u32) -> bool {
        let Some(schedule) = &mut self.run.schedule else { return true };
        let is_once = match schedule.gate {
            Gate::Free | Gate::Probing(_) => return true,
            Gate::Once => true,
            Gate::Closed => false,
        };
        let shares = builtin.shares;
        let touch = touch::of_call(self, shares, args);
        if is_once || touch.is_none() {
            self.note_looking(shares, args, touch.is_some());
        }
        let Some(touch) = touch else { return true };
        let Some(schedule) = &mut self.run.schedule else { return true };
        if is_once {
            schedule.gate = Gate::Closed;
            schedule.opened_at = Some(pc);
            schedule.draft.touch.add(touch);
            schedule.n_readings += u64::from(shares == Shares::Clock);
            schedule.draft.is_sending = matches!(shares, Shares::Send | Shares::ExitSignal);
        } else {
            schedule.stopped_for = Some(StoppedFor::Operation(touch));
        }
        is_once
    }

    /// The virtual nanoseconds by which reads of the clock have advanced it, so that two reads differ.
    pub(crate) fn clock_ticks(&self) -> u64 {
        self.run.schedule.as_ref().map_or(0, |it| it.n_readings * NANOS_PER_READING)
    }

    /// Decides what a receive may do that is about to examine a message.
    #[cold]
    pub(crate) fn peek_turn(&mut self, pc: u32) -> Turn {
        let looks = self.me().is_some_and(|it| it.looks);
        let Some(schedule) = &mut self.run.schedule else { return Turn::Look };
        match schedule.gate {
            Gate::Free => Turn::Look,
            Gate::Probing(message) => Turn::Show(message),
            Gate::Once => {
                schedule.gate = Gate::Closed;
                schedule.opened_at = Some(pc);
                Turn::Look
            }
            Gate::Closed if looks => Turn::Look,
            Gate::Closed => {
                schedule.stopped_for = Some(StoppedFor::Receive);
                Turn::Stop
            }
        }
    }

    /// Notes that a probed receive does not take the message. Returns whether the receive is being probed.
    pub(crate) fn probed_leaves(&mut self) -> bool {
        self.probed(Probed::Leaves)
    }

    pub(crate) fn probed_takes(&mut self) -> bool {
        self.probed(Probed::Takes)
    }

    fn probed(&mut self, found: Probed) -> bool {
        let Some(schedule) = &mut self.run.schedule else { return false };
        let is_probing = matches!(schedule.gate, Gate::Probing(_));
        if is_probing {
            schedule.probed = Some(found);
        }
        is_probing
    }

    /// Decides what a receive may do that finds no message.
    #[cold]
    pub(crate) fn wait_turn(&mut self, timeout: Value) -> WaitTurn {
        let looks = self.me().is_some_and(|it| it.looks);
        let is_probing = |it: &Schedule| matches!(it.gate, Gate::Probing(_));
        if !looks && self.run.schedule.as_ref().is_some_and(|it| !is_probing(it)) {
            self.follow_time(timeout);
        }
        let Some(schedule) = &mut self.run.schedule else { return WaitTurn::Usual };
        match schedule.gate {
            Gate::Free => WaitTurn::Usual,
            Gate::Probing(_) => {
                schedule.probed = Some(Probed::Waits(timeout));
                WaitTurn::Stop
            }
            // The receive was chosen to time out, or it waits for nothing but the timeout.
            Gate::Closed | Gate::Once if looks => WaitTurn::TimesOut,
            Gate::Closed | Gate::Once if let Some(millis) = timeout.as_int() => {
                let slept = schedule.draft.slept.get_or_insert(0);
                *slept += u64::try_from(millis).unwrap_or(0);
                WaitTurn::TimesOut
            }
            Gate::Closed | Gate::Once => WaitTurn::Usual,
        }
    }

    /// Whether the message that is being sent is lost; it then counts as sent.
    pub(super) fn is_lost(&mut self, to: PidId, message: Value) -> bool {
        let losing = self.run.schedule.as_mut().map(|it| std::mem::take(&mut it.is_losing));
        if losing != Some(true) {
            return false;
        }
        let Some(id) = self.next_message() else { return false };
        if let Some(schedule) = &mut self.run.schedule {
            schedule.messages.insert(id, message);
            schedule.draft.lost.push(Sent { message: id, to: actor(to), is_prompt: false });
        }
        true
    }

    /// Names a message that is delivered to a mailbox.
    pub(super) fn post(&mut self, to: PidId, message: Value) {
        let Some(id) = self.next_message() else { return };
        let Some(schedule) = &mut self.run.schedule else { return };
        match self.run.processes.get_mut(&to) {
            Some(process) if is_inline(process) => return,
            Some(process) => process.letters.push_back(id),
            None if schedule.ghosts.contains_key(&to) => (),
            None => return,
        }
        self.note_message(id, to, message);
    }

    fn next_message(&mut self) -> Option<MessageId> {
        let schedule = self.run.schedule.as_mut()?;
        let from = schedule.actor.unwrap_or(actor(self.run.current));
        let n = schedule.n_sent.entry(from).or_default();
        *n += 1;
        Some(MessageId { from, n: *n - 1 })
    }

    fn note_message(&mut self, id: MessageId, to: PidId, message: Value) {
        let Some(schedule) = &mut self.run.schedule else { return };
        schedule.messages.insert(id, message);
        let mode = mail_mode(schedule.is_mail_ordered);
        schedule.draft.touch.access(touch::mailbox(to), mode);
        let is_own = schedule.draft.is_sending && to == self.run.current;
        let is_prompt = is_own || schedule.is_arriving;
        schedule.draft.sent.push(Sent { message: id, to: actor(to), is_prompt });
    }

    /// Notes that a monitor was removed, in case its message would have come in another schedule.
    pub(super) fn call_off(&mut self, reference: RefId, monitor: Monitor) {
        let Some(schedule) = &mut self.run.schedule else { return };
        let n_receives = schedule.n_receives;
        schedule.called_off.insert(reference, CalledOff { monitor, n_receives });
    }

    /// Notes that a monitor was removed with the option `flush`, and the message that was flushed, if there was one.
    pub(crate) fn flush(&mut self, monitor: RefId, message: Option<MessageId>) {
        if let Some(schedule) = &mut self.run.schedule {
            schedule.flushed.insert(monitor);
            schedule.discarded.extend(message);
        }
    }

    /// The removed monitor whose message would be sent now, and the number of receives when it was removed.
    pub(super) fn called_off(&mut self, reference: RefId) -> Option<(Monitor, u32)> {
        let found = self.run.schedule.as_mut()?.called_off.remove(&reference)?;
        Some((found.monitor, found.n_receives))
    }

    /// Notes a message that is not sent because its monitor was removed: earlier receives might have taken it in
    /// another schedule.
    pub(super) fn post_unheard(&mut self, to: PidId, message: Value, n_receives: u32) {
        let Some(id) = self.next_message() else { return };
        if let Some(schedule) = &mut self.run.schedule {
            schedule.never_came.insert(id, n_receives);
        }
        self.note_message(id, to, message);
    }

    /// Keeps the state of a process that ended. Returns whether the run is scheduled.
    pub(super) fn bury(&mut self, process: &Process) -> bool {
        let Some(schedule) = &mut self.run.schedule else { return false };
        if !is_inline(process) {
            let (monitors, aliases) = (process.monitors.clone(), process.aliases.clone());
            let (traps, pid) = (process.trap_exit, process.pid);
            let was_doomed = schedule.doomed.remove(&pid).is_some();
            schedule.ghosts.insert(pid, Ghost { traps, was_doomed, monitors, aliases });
        }
        true
    }

    /// Takes a monitor of a process that has ended.
    pub(super) fn ghost_monitor(&mut self, watcher: PidId, id: RefId) -> Option<Monitor> {
        self.run.schedule.as_mut()?.ghosts.get_mut(&watcher)?.monitors.remove(&id)
    }

    /// Whether a process that has ended had the alias.
    pub(super) fn is_ghost_alias(&self, alias: RefId) -> bool {
        let ghost = self.run.schedule.as_ref().and_then(|it| it.ghosts.get(&alias.owner));
        ghost.is_some_and(|it| it.aliases.contains_key(&alias))
    }

    /// Notes that a signal ends a process, which will take a step for it. `false` if the process ends at once.
    pub(super) fn doom(&mut self, pid: PidId, reason: Value) -> bool {
        let Some(schedule) = &mut self.run.schedule else { return false };
        if self.run.processes.get(&pid).is_none_or(is_inline) {
            return false;
        }
        if schedule.doomed.contains_key(&pid) || schedule.farewells.contains_key(&pid) {
            return true;
        }
        schedule.doomed.insert(pid, reason);
        schedule.draft.killed.push(pid);
        schedule.draft.touch.access(touch::doom(pid), Mode::Write);
        true
    }

    /// Notes that a process disappeared before it could take the step of its end.
    pub(super) fn forget_doom(&mut self, pid: PidId) {
        if let Some(schedule) = &mut self.run.schedule {
            schedule.doomed.remove(&pid);
            schedule.farewells.remove(&pid);
            schedule.draft.killed.push(pid);
        }
    }

    /// Notes that a process is suspended: the operation before which it stopped might have been executed before.
    pub(crate) fn note_suspended(&mut self, pid: PidId) {
        if let Some(schedule) = &mut self.run.schedule {
            schedule.draft.killed.push(pid);
        }
    }

    pub(crate) fn is_doomed(&self, pid: PidId) -> bool {
        self.run.schedule.as_ref().is_some_and(|it| it.doomed.contains_key(&pid))
    }

    /// Whether a process that has ended was ended by a signal.
    fn was_doomed(&self, pid: PidId) -> bool {
        self.ghost(pid).is_some_and(|it| it.was_doomed)
    }

    /// Whether a process that has ended trapped exits.
    pub(super) fn did_trap(&self, pid: PidId) -> bool {
        self.ghost(pid).is_some_and(|it| it.traps)
    }

    fn ghost(&self, pid: PidId) -> Option<&Ghost> {
        self.run.schedule.as_ref()?.ghosts.get(&pid)
    }

    pub(super) fn spawned(&mut self, pid: PidId) {
        if let Some(schedule) = &mut self.run.schedule {
            schedule.draft.spawned.push(actor(pid));
        }
    }

    /// Notes that a timer was started: it becomes an actor, a child of the process that started it.
    pub(crate) fn timer_started(&mut self, id: RefId) {
        if self.run.schedule.is_none() {
            return;
        }
        let timer = self.timer_actor(id);
        if let Some(schedule) = &mut self.run.schedule {
            schedule.draft.spawned.push(timer);
        }
    }

    /// Delays the message that a monitor's target does not exist: it becomes a step of its own. `false` if the run is
    /// not scheduled or the process runs inline.
    pub(super) fn schedule_vain_monitor(&mut self, id: RefId) -> bool {
        if self.run.schedule.is_none() || self.me().is_none_or(|it| is_inline(it)) {
            return false;
        }
        let teller = self.timer_actor(id);
        if let Some(schedule) = &mut self.run.schedule {
            schedule.draft.spawned.push(teller);
            schedule.vain_monitors.insert(teller, id);
        }
        true
    }

    /// Notes that a running timer was cancelled.
    pub(crate) fn timer_cancelled(&mut self, id: RefId) {
        if self.run.schedule.is_none() {
            return;
        }
        let timer = self.timer_actor(id);
        if let Some(schedule) = &mut self.run.schedule {
            schedule.draft.killed.push(PidId(timer.0));
        }
    }

    fn timer_actor(&mut self, id: RefId) -> Actor {
        actor(self.names.child(id.owner, TIMER | id.n))
    }

    /// Adds an access to the current step that its operation does not imply.
    pub(super) fn touches(&mut self, access: impl FnOnce() -> Access) {
        if let Some(schedule) = &mut self.run.schedule {
            schedule.draft.touch.accesses.push(access());
        }
    }

    pub(super) fn signalled(&mut self, to: PidId, reason: Value, through: Through) {
        if self.run.schedule.is_none() {
            return;
        }
        let touch = touch::of_signal(self, to, reason, through);
        if let Some(schedule) = &mut self.run.schedule {
            schedule.draft.touch.add(touch);
        }
    }

    /// Whether the end of the process consists of several steps.
    pub(super) fn ends_by_parts(&self, pid: PidId) -> bool {
        self.run.schedule.is_some() && self.run.processes.get(&pid).is_some_and(|it| !is_inline(it))
    }

    pub(super) fn touch_end(&mut self, pid: PidId) {
        self.touches(|| touch::ending(pid));
    }

    pub(super) fn touch_part(&mut self, pid: PidId, reason: Value, part: Part) {
        if self.run.schedule.is_none() {
            return;
        }
        let touch = touch::of_part(self, pid, reason, part);
        if let Some(schedule) = &mut self.run.schedule {
            schedule.draft.touch.add(touch);
        }
    }

    pub(super) fn keep_farewell(&mut self, pid: PidId, farewell: Farewell) {
        if let Some(schedule) = &mut self.run.schedule {
            schedule.farewells.insert(pid, farewell);
        }
    }

    /// The next part of a process's end, and the exit reason.
    fn next_of_end(&self, pid: PidId) -> Option<(Value, Part)> {
        let farewell = self.run.schedule.as_ref()?.farewells.get(&pid)?;
        Some((farewell.reason(), self.next_part(pid, farewell)?))
    }

    /// The processes of a node that have left but not notified all links and monitors.
    fn endings_on(&self, node: NodeId) -> Vec<PidId> {
        let all = self.run.schedule.iter().flat_map(|it| it.farewells.keys());
        all.copied()
            .filter(|it| it.node() == node && !self.run.processes.contains_key(it))
            .collect()
    }

    /// Cancels the remaining parts of the ends of a node's processes. Returns those processes.
    pub(super) fn cut_farewells(&mut self, node: NodeId) -> Vec<PidId> {
        let gone = self.endings_on(node);
        gone.iter().for_each(|it| self.forget_doom(*it));
        gone
    }

    pub(super) fn take_farewell(&mut self, pid: PidId) -> Option<Farewell> {
        self.run.schedule.as_mut()?.farewells.remove(&pid)
    }

    /// Notes that a process ended to which `pid` was linked.
    pub(super) fn link_gone(&mut self, pid: PidId, gone: PidId) {
        if let Some(schedule) = &mut self.run.schedule {
            schedule.unlinked.entry(pid).or_default().push(gone);
        }
    }

    /// Notes that a process removed its link to another one.
    pub(super) fn link_undone(&mut self, pid: PidId, other: PidId) {
        if let Some(gone) = self.run.schedule.as_mut().and_then(|it| it.unlinked.get_mut(&pid)) {
            gone.retain(|it| *it != other);
        }
    }

    /// Notes that process `by` has removed its link to process `of`, whose end would otherwise concern it.
    pub(super) fn link_ended(&mut self, of: PidId, by: PidId) {
        if let Some(schedule) = &mut self.run.schedule {
            schedule.parted.entry(of).or_default().insert(by);
        }
    }

    /// Notes that two processes are linked again.
    pub(super) fn link_mended(&mut self, a: PidId, b: PidId) {
        for (of, by) in [(a, b), (b, a)] {
            if let Some(parted) = self.run.schedule.as_mut().and_then(|it| it.parted.get_mut(&of)) {
                parted.remove(&by);
            }
        }
    }

    /// Whether process `by` has removed its link to process `of`.
    pub(super) fn is_parted(&self, of: PidId, by: PidId) -> bool {
        let parted = self.run.schedule.as_ref().and_then(|it| it.parted.get(&of));
        parted.is_some_and(|it| it.contains(&by))
    }

    /// The processes that were linked to a process and ended before it, or removed the link.
    pub(super) fn former_links(&self, pid: PidId) -> Vec<PidId> {
        let Some(schedule) = &self.run.schedule else { return Vec::new() };
        let gone = schedule.unlinked.get(&pid).into_iter().flatten();
        gone.chain(schedule.parted.get(&pid).into_iter().flatten()).copied().collect()
    }

    /// Notes that a monitor fires.
    pub(super) fn monitor_gone(&mut self, id: RefId) {
        self.touches(|| Access { object: touch::monitor(id), mode: Mode::Write });
    }

    /// Notes that an alias is deactivated.
    pub(super) fn alias_gone(&mut self, alias: RefId) {
        // Writing the same value twice does not conflict: the order in which several operations deactivate an alias
        // makes no difference.
        self.touches(|| Access { object: touch::alias(alias), mode: Mode::Put(0) });
    }
}

/// The virtual time that passes at each read of the clock: a microsecond, the finest unit of some clocks.
const NANOS_PER_READING: u64 = 1000;

/// The length in milliseconds from which on a timeout is long: long timeouts expire only when no process can go on.
pub(crate) const LONG_MILLIS: i64 = 5000;

/// The bit that distinguishes the numbers of timers from those of processes among the children of a process.
const TIMER: u32 = 1 << 31;

/// The access mode of sent messages to their receivers' mailboxes.
fn mail_mode(is_ordered: bool) -> Mode {
    if is_ordered { Mode::Mail } else { Mode::WritePart }
}

pub(crate) fn actor(pid: PidId) -> Actor {
    Actor(pid.0)
}

/// Whether a process runs as part of the steps of others: it belongs to the runtime system, or formats output.
fn is_inline(process: &Process) -> bool {
    process.resident.is_some()
        || matches!(process.on_return, OnReturn::Output { .. } | OnReturn::Boot { .. })
}
