//! Running processes in an order that somebody else decides: one visible operation at a time.
//!
//! A process stops before each operation that others can notice, or that depends on what others
//! do, and waits for its turn. Which of them come in which order is decided outside; here is only
//! the gate that they wait at, and what a step leaves behind. Runs that nobody schedules never come
//! here.

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
use crate::data::{NodeId, PidId, RefId, Value};
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

/// The scheduled half of a world.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    gate: Gate,
    /// Whether messages to one mailbox conflict.
    is_mail_ordered: bool,
    /// The instruction that the gate was opened for, to be opened again if it has to be retried.
    opened_at: Option<u32>,
    /// What the process that stopped last stopped for.
    stopped_for: Option<StoppedFor>,
    /// Who takes the step that is going on; nobody before the first one.
    actor: Option<Actor>,
    draft: Draft,
    /// Whether signals take their time, those that are on their way, and how many each process has sent.
    delays_signals: bool,
    /// Whether the step that is going on delivers a signal, or what it does has no signals that wait.
    is_arriving: bool,
    on_the_way: BTreeMap<Actor, OnTheWay>,
    n_signals: FxHashMap<PidId, u32>,
    /// Whether a signal was there when it was sent.
    has_prompt_signals: bool,
    /// The message that the step sends is lost.
    is_losing: bool,
    n_sent: FxHashMap<Actor, u32>,
    messages: FxHashMap<MessageId, Value>,
    /// Processes that a signal has ended, and that are not gone yet.
    doomed: BTreeMap<PidId, Value>,
    /// Processes that have begun to end, and have more to do.
    farewells: BTreeMap<PidId, Farewell>,
    /// What processes that are gone had: messages to them might have come in time.
    ghosts: FxHashMap<PidId, Ghost>,
    /// Monitors of processes that were gone, and who will say so: they are actors, as timers are.
    vain_monitors: BTreeMap<Actor, RefId>,
    /// Monitors that were called off and whose messages nobody wants: but for that, they would come.
    called_off: BTreeMap<RefId, CalledOff>,
    /// Monitors whose owners did not want to hear of them any more, and messages of theirs that were there.
    flushed: BTreeSet<RefId>,
    discarded: Vec<MessageId>,
    /// Messages that never came: receives before these might have taken them.
    never_came: FxHashMap<MessageId, u32>,
    /// Whom a process was linked to that are gone: its end would have been one for them.
    unlinked: BTreeMap<PidId, Vec<PidId>>,
    /// Those who ended their links to a process.
    parted: BTreeMap<PidId, BTreeSet<PidId>>,
    /// How many receives there were so far.
    n_receives: u32,
    probed: Option<Probed>,
    /// How often the clock was looked at.
    n_readings: u64,
    /// What code that was rewritten for it has told, and the frames that it has taken.
    pub(crate) told: Vec<Told>,
    n_frames: i64,
    /// Choices that something told has come after.
    pub(crate) n_told: usize,
}

/// A reduction, told by the code that makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub actor: Actor,
    pub what: String,
    pub frame: i64,
    pub place: i64,
    pub value: Term,
    /// Variables that got a value.
    pub bindings: Vec<(Atom, Term)>,
    /// Choices of the run that were made before it and after what was told last.
    pub choices: Range<usize>,
}

impl Schedule {
    /// Whether whoever owned the monitor called it off and did not want its message.
    fn is_flushed(&self, monitor: RefId) -> bool {
        self.flushed.contains(&monitor)
    }

    /// Messages that nobody wanted, or that did not come at all.
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

/// What is left of a process that ended.
#[derive(Clone, Debug)]
struct Ghost {
    traps: bool,
    /// A signal ended it.
    was_doomed: bool,
    monitors: BTreeMap<RefId, Monitor>,
    aliases: BTreeMap<RefId, AliasKind>,
}

/// A monitor that is no more, and how many receives there were when it was called off.
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
    /// It may do one.
    Once,
    /// It may do all it wants: its doings count as those of the step that caused them.
    Free,
    /// Only to see what a receive does with this message, or with none.
    Probing(Option<Value>),
}

#[derive(Clone, Debug)]
enum StoppedFor {
    Operation(Touch),
    Receive,
}

/// What a receive does with a message.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Probed {
    Takes,
    Leaves,
    /// There is none, and it would wait this long.
    Waits(Value),
}

/// The step that is going on, as far as it has come.
#[derive(Clone, Debug, Default)]
struct Draft {
    touch: Touch,
    /// The program asked for what is sent; no monitor or link did.
    is_sending: bool,
    sent: Vec<Sent>,
    lost: Vec<Sent>,
    spawned: Vec<Actor>,
    signals: Vec<Signal>,
    killed: Vec<PidId>,
    /// It asks for the time.
    reads_clock: bool,
    /// It lets so many milliseconds pass, in which it waits for nothing else.
    slept: Option<u64>,
    /// It does more than look, though what it touches does not say so.
    changes: bool,
}

/// What a receive finds at the gate.
pub(crate) enum Turn {
    /// It is not its turn yet.
    Stop,
    /// It looks at its messages as always.
    Look,
    /// It is shown this, or nothing.
    Show(Option<Value>),
}

/// What waiting comes to.
pub(crate) enum WaitTurn {
    /// As always.
    Usual,
    TimesOut,
    Stop,
}

impl World {
    /// Whether the running process may do this now. If not, it stops before it.
    #[inline]
    pub(crate) fn may_go(&mut self, builtin: &'static Builtin, args: &[Value], pc: u32) -> bool {
        self.schedule.is_none() || self.is_turn(builtin, args, pc)
    }

    #[cold]
    fn is_turn(&mut self, builtin: &'static Builtin, args: &[Value], pc: u32) -> bool {
        let Some(schedule) = &mut self.schedule else { return true };
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
        let Some(schedule) = &mut self.schedule else { return true };
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

    /// Nanoseconds by which a clock that is looked at has gone on, though no time has passed.
    pub(crate) fn clock_ticks(&self) -> u64 {
        self.schedule.as_ref().map_or(0, |it| it.n_readings * NANOS_PER_READING)
    }

    /// A receive is about to look at a message.
    #[cold]
    pub(crate) fn peek_turn(&mut self, pc: u32) -> Turn {
        let looks = self.me().is_some_and(|it| it.looks);
        let Some(schedule) = &mut self.schedule else { return Turn::Look };
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

    /// A receive did not want the message. `true`: that is all that was asked.
    pub(crate) fn probed_leaves(&mut self) -> bool {
        self.probed(Probed::Leaves)
    }

    pub(crate) fn probed_takes(&mut self) -> bool {
        self.probed(Probed::Takes)
    }

    fn probed(&mut self, found: Probed) -> bool {
        let Some(schedule) = &mut self.schedule else { return false };
        let is_probing = matches!(schedule.gate, Gate::Probing(_));
        if is_probing {
            schedule.probed = Some(found);
        }
        is_probing
    }

    /// A receive has nothing to take.
    #[cold]
    pub(crate) fn wait_turn(&mut self, timeout: Value) -> WaitTurn {
        let looks = self.me().is_some_and(|it| it.looks);
        let is_probing = |it: &Schedule| matches!(it.gate, Gate::Probing(_));
        if !looks && self.schedule.as_ref().is_some_and(|it| !is_probing(it)) {
            self.follow_time(timeout);
        }
        let Some(schedule) = &mut self.schedule else { return WaitTurn::Usual };
        match schedule.gate {
            Gate::Free => WaitTurn::Usual,
            Gate::Probing(_) => {
                schedule.probed = Some(Probed::Waits(timeout));
                WaitTurn::Stop
            }
            // It was its turn to give up, or it waits for nothing but the time.
            Gate::Closed | Gate::Once if looks => WaitTurn::TimesOut,
            Gate::Closed | Gate::Once if let Some(millis) = timeout.as_int() => {
                let slept = schedule.draft.slept.get_or_insert(0);
                *slept += u64::try_from(millis).unwrap_or(0);
                WaitTurn::TimesOut
            }
            Gate::Closed | Gate::Once => WaitTurn::Usual,
        }
    }

    /// Whether the message that is being sent is lost on its way; it is then as if it had been sent.
    pub(super) fn is_lost(&mut self, to: PidId, message: Value) -> bool {
        let losing = self.schedule.as_mut().map(|it| std::mem::take(&mut it.is_losing));
        if losing != Some(true) {
            return false;
        }
        let Some(id) = self.next_message() else { return false };
        if let Some(schedule) = &mut self.schedule {
            schedule.messages.insert(id, message);
            schedule.draft.lost.push(Sent { message: id, to: actor(to), is_prompt: false });
        }
        true
    }

    /// A message goes to a mailbox: what it is called.
    pub(super) fn post(&mut self, to: PidId, message: Value) {
        let Some(id) = self.next_message() else { return };
        let Some(schedule) = &mut self.schedule else { return };
        match self.processes.get_mut(&to) {
            Some(process) if is_inline(process) => return,
            Some(process) => process.letters.push_back(id),
            None if schedule.ghosts.contains_key(&to) => (),
            None => return,
        }
        self.note_message(id, to, message);
    }

    fn next_message(&mut self) -> Option<MessageId> {
        let schedule = self.schedule.as_mut()?;
        let from = schedule.actor.unwrap_or(actor(self.current));
        let n = schedule.n_sent.entry(from).or_default();
        *n += 1;
        Some(MessageId { from, n: *n - 1 })
    }

    fn note_message(&mut self, id: MessageId, to: PidId, message: Value) {
        let Some(schedule) = &mut self.schedule else { return };
        schedule.messages.insert(id, message);
        let mode = mail_mode(schedule.is_mail_ordered);
        schedule.draft.touch.access(touch::mailbox(to), mode);
        let is_own = schedule.draft.is_sending && to == self.current;
        let is_prompt = is_own || schedule.is_arriving;
        schedule.draft.sent.push(Sent { message: id, to: actor(to), is_prompt });
    }

    /// A monitor is called off, and its message is not wanted if it is there.
    pub(super) fn call_off(&mut self, reference: RefId, monitor: Monitor) {
        let Some(schedule) = &mut self.schedule else { return };
        let n_receives = schedule.n_receives;
        schedule.called_off.insert(reference, CalledOff { monitor, n_receives });
    }

    /// Who owns the monitor does not want to hear of it: it throws this message away, if it has come.
    pub(crate) fn flush(&mut self, monitor: RefId, message: Option<MessageId>) {
        if let Some(schedule) = &mut self.schedule {
            schedule.flushed.insert(monitor);
            schedule.discarded.extend(message);
        }
    }

    /// The monitor of a message that will not come, as it was called off.
    pub(super) fn called_off(&mut self, reference: RefId) -> Option<(Monitor, u32)> {
        let found = self.schedule.as_mut()?.called_off.remove(&reference)?;
        Some((found.monitor, found.n_receives))
    }

    /// A message that does not come: receives before some one might have taken it in other schedules.
    pub(super) fn post_unheard(&mut self, to: PidId, message: Value, n_receives: u32) {
        let Some(id) = self.next_message() else { return };
        if let Some(schedule) = &mut self.schedule {
            schedule.never_came.insert(id, n_receives);
        }
        self.note_message(id, to, message);
    }

    /// Keeps what a process had. `false`: nobody needs it.
    pub(super) fn bury(&mut self, process: &Process) -> bool {
        let Some(schedule) = &mut self.schedule else { return false };
        if !is_inline(process) {
            let (monitors, aliases) = (process.monitors.clone(), process.aliases.clone());
            let (traps, pid) = (process.trap_exit, process.pid);
            let was_doomed = schedule.doomed.remove(&pid).is_some();
            schedule.ghosts.insert(pid, Ghost { traps, was_doomed, monitors, aliases });
        }
        true
    }

    /// A monitor of a process that is gone.
    pub(super) fn ghost_monitor(&mut self, watcher: PidId, id: RefId) -> Option<Monitor> {
        self.schedule.as_mut()?.ghosts.get_mut(&watcher)?.monitors.remove(&id)
    }

    /// Whether a process that is gone had the alias.
    pub(super) fn is_ghost_alias(&self, alias: RefId) -> bool {
        let ghost = self.schedule.as_ref().and_then(|it| it.ghosts.get(&alias.owner));
        ghost.is_some_and(|it| it.aliases.contains_key(&alias))
    }

    /// A signal ends a process, which will do so in a step of its own. `false`: it ends at once.
    pub(super) fn doom(&mut self, pid: PidId, reason: Value) -> bool {
        let Some(schedule) = &mut self.schedule else { return false };
        if self.processes.get(&pid).is_none_or(is_inline) {
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

    /// A process is gone before it could end by itself.
    pub(super) fn forget_doom(&mut self, pid: PidId) {
        if let Some(schedule) = &mut self.schedule {
            schedule.doomed.remove(&pid);
            schedule.farewells.remove(&pid);
            schedule.draft.killed.push(pid);
        }
    }

    /// A process is suspended: what it was about to do it might have done before.
    pub(crate) fn note_suspended(&mut self, pid: PidId) {
        if let Some(schedule) = &mut self.schedule {
            schedule.draft.killed.push(pid);
        }
    }

    pub(crate) fn is_doomed(&self, pid: PidId) -> bool {
        self.schedule.as_ref().is_some_and(|it| it.doomed.contains_key(&pid))
    }

    /// Whether a process that is gone was ended by a signal.
    fn was_doomed(&self, pid: PidId) -> bool {
        self.ghost(pid).is_some_and(|it| it.was_doomed)
    }

    /// Whether a process that is gone trapped exits.
    pub(super) fn did_trap(&self, pid: PidId) -> bool {
        self.ghost(pid).is_some_and(|it| it.traps)
    }

    fn ghost(&self, pid: PidId) -> Option<&Ghost> {
        self.schedule.as_ref()?.ghosts.get(&pid)
    }

    pub(super) fn spawned(&mut self, pid: PidId) {
        if let Some(schedule) = &mut self.schedule {
            schedule.draft.spawned.push(actor(pid));
        }
    }

    /// A timer has started: it is an actor too, a child of who started it.
    pub(crate) fn timer_started(&mut self, id: RefId) {
        if self.schedule.is_none() {
            return;
        }
        let timer = self.timer_actor(id);
        if let Some(schedule) = &mut self.schedule {
            schedule.draft.spawned.push(timer);
        }
    }

    /// The running process will hear in a step of its own that its monitor is in vain. `false`: nobody
    /// decides when.
    pub(super) fn schedule_vain_monitor(&mut self, id: RefId) -> bool {
        if self.schedule.is_none() || self.me().is_none_or(|it| is_inline(it)) {
            return false;
        }
        let teller = self.timer_actor(id);
        if let Some(schedule) = &mut self.schedule {
            schedule.draft.spawned.push(teller);
            schedule.vain_monitors.insert(teller, id);
        }
        true
    }

    /// A timer that was running is no more.
    pub(crate) fn timer_cancelled(&mut self, id: RefId) {
        if self.schedule.is_none() {
            return;
        }
        let timer = self.timer_actor(id);
        if let Some(schedule) = &mut self.schedule {
            schedule.draft.killed.push(PidId(timer.0));
        }
    }

    fn timer_actor(&mut self, id: RefId) -> Actor {
        actor(self.names.child(id.owner, TIMER | id.n))
    }

    /// The step that is going on touches something besides what its operation says.
    pub(super) fn touches(&mut self, access: impl FnOnce() -> Access) {
        if let Some(schedule) = &mut self.schedule {
            schedule.draft.touch.accesses.push(access());
        }
    }

    pub(super) fn signalled(&mut self, to: PidId, reason: Value, through: Through) {
        if self.schedule.is_none() {
            return;
        }
        let touch = touch::of_signal(self, to, reason, through);
        if let Some(schedule) = &mut self.schedule {
            schedule.draft.touch.add(touch);
        }
    }

    /// Whether the end of a process is several steps.
    pub(super) fn ends_by_parts(&self, pid: PidId) -> bool {
        self.schedule.is_some() && self.processes.get(&pid).is_some_and(|it| !is_inline(it))
    }

    pub(super) fn touch_end(&mut self, pid: PidId) {
        self.touches(|| touch::ending(pid));
    }

    pub(super) fn touch_part(&mut self, pid: PidId, reason: Value, part: Part) {
        if self.schedule.is_none() {
            return;
        }
        let touch = touch::of_part(self, pid, reason, part);
        if let Some(schedule) = &mut self.schedule {
            schedule.draft.touch.add(touch);
        }
    }

    pub(super) fn keep_farewell(&mut self, pid: PidId, farewell: Farewell) {
        if let Some(schedule) = &mut self.schedule {
            schedule.farewells.insert(pid, farewell);
        }
    }

    /// What a process does next that has begun to end, and why it ends.
    fn next_of_end(&self, pid: PidId) -> Option<(Value, Part)> {
        let farewell = self.schedule.as_ref()?.farewells.get(&pid)?;
        Some((farewell.reason(), self.next_part(pid, farewell)?))
    }

    /// Processes of a node that have left and have not told everyone.
    fn endings_on(&self, node: NodeId) -> Vec<PidId> {
        let all = self.schedule.iter().flat_map(|it| it.farewells.keys());
        all.copied().filter(|it| it.node() == node && !self.processes.contains_key(it)).collect()
    }

    /// They will not do so any more.
    pub(super) fn cut_farewells(&mut self, node: NodeId) -> Vec<PidId> {
        let gone = self.endings_on(node);
        gone.iter().for_each(|it| self.forget_doom(*it));
        gone
    }

    pub(super) fn take_farewell(&mut self, pid: PidId) -> Option<Farewell> {
        self.schedule.as_mut()?.farewells.remove(&pid)
    }

    /// A process that was linked to another is gone.
    pub(super) fn link_gone(&mut self, pid: PidId, gone: PidId) {
        if let Some(schedule) = &mut self.schedule {
            schedule.unlinked.entry(pid).or_default().push(gone);
        }
    }

    /// A process does not want to hear of another.
    pub(super) fn link_undone(&mut self, pid: PidId, other: PidId) {
        if let Some(gone) = self.schedule.as_mut().and_then(|it| it.unlinked.get_mut(&pid)) {
            gone.retain(|it| *it != other);
        }
    }

    /// A process has ended its link to another, whose end would have been one for it.
    pub(super) fn link_ended(&mut self, of: PidId, by: PidId) {
        if let Some(schedule) = &mut self.schedule {
            schedule.parted.entry(of).or_default().insert(by);
        }
    }

    /// They are linked again.
    pub(super) fn link_mended(&mut self, a: PidId, b: PidId) {
        for (of, by) in [(a, b), (b, a)] {
            if let Some(parted) = self.schedule.as_mut().and_then(|it| it.parted.get_mut(&of)) {
                parted.remove(&by);
            }
        }
    }

    /// Whether the second process has ended its link to the first.
    pub(super) fn is_parted(&self, of: PidId, by: PidId) -> bool {
        let parted = self.schedule.as_ref().and_then(|it| it.parted.get(&of));
        parted.is_some_and(|it| it.contains(&by))
    }

    /// Those who were linked to a process and went before it, or ended the link.
    pub(super) fn former_links(&self, pid: PidId) -> Vec<PidId> {
        let Some(schedule) = &self.schedule else { return Vec::new() };
        let gone = schedule.unlinked.get(&pid).into_iter().flatten();
        gone.chain(schedule.parted.get(&pid).into_iter().flatten()).copied().collect()
    }

    /// A monitor fires.
    pub(super) fn monitor_gone(&mut self, id: RefId) {
        self.touches(|| Access { object: touch::monitor(id), mode: Mode::Write });
    }

    /// An alias ceases to be one.
    pub(super) fn alias_gone(&mut self, alias: RefId) {
        // Whoever ends it: it is over.
        self.touches(|| Access { object: touch::alias(alias), mode: Mode::Put(0) });
    }
}

/// A microsecond: the finest unit of some clocks.
const NANOS_PER_READING: u64 = 1000;

/// Timeouts of so many milliseconds or more happen only when nobody else can do anything.
pub(crate) const LONG_MILLIS: i64 = 5000;

/// Numbers of timers among the children of a process.
const TIMER: u32 = 1 << 31;

/// How messages touch the mailboxes that they come to.
fn mail_mode(is_ordered: bool) -> Mode {
    if is_ordered { Mode::Mail } else { Mode::WritePart }
}

pub(crate) fn actor(pid: PidId) -> Actor {
    Actor(pid.0)
}

/// Whether a process is run as part of the steps of others: it belongs to the system, or formats
/// what somebody prints.
fn is_inline(process: &Process) -> bool {
    process.resident.is_some()
        || matches!(process.on_return, OnReturn::Output { .. } | OnReturn::Boot { .. })
}
