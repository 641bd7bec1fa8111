//! The objects that a step reads and writes, which determine with which other steps it conflicts.
//!
//! What a builtin shares with other processes is a column of its row ([`Shares`]); this module computes the objects of
//! one call from it. Two messages to the same mailbox do not conflict: which message a receive takes is decided by the
//! receive.

use crate::builtins::{CHANGING_ITEMS, Shares, SystemItem, phash2};
use crate::machine::World;
use crate::machine::farewell::Part;
use crate::machine::process::{AliasKind, Process};
use crate::machine::raise::Raised;
use crate::machine::schedule::crash::is_orderly;
use crate::machine::schedule::stage::End;
use crate::machine::schedule::{is_inline, tables};
use crate::machine::signals::Through;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use trace::{Access, Mode, Object};
use values::{AtomId, NodeId, PidId, RefId, Value};

/// The accesses and effects of an operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Touch {
    pub(super) accesses: Vec<Access>,
    pub(super) is_global: bool,
    /// Whether the operation might access other objects or reach other processes if other steps came before it. The
    /// existence of tables is not taken into account.
    pub(super) might_differ: bool,
    /// The processes that the operation may end.
    pub(super) kills: Vec<PidId>,
    /// The receiver of the message that the operation sends.
    pub(super) mail: Option<PidId>,
    /// Whether this message may be lost.
    pub(super) may_lose: bool,
    /// The process that the operation queries: the answer depends on signals that were sent to it before.
    pub(super) asks: Option<PidId>,
}

impl Touch {
    pub(super) fn access(&mut self, object: Object, mode: Mode) {
        self.accesses.push(Access { object, mode });
    }

    pub(super) fn add(&mut self, other: Touch) {
        self.accesses.extend(other.accesses);
        self.is_global |= other.is_global;
        self.might_differ |= other.might_differ;
        self.kills.extend(other.kills);
        self.mail = self.mail.or(other.mail);
        self.asks = self.asks.or(other.asks);
    }

    /// Adds the query of another process, at which all earlier signals of the running process have arrived.
    fn ask(&mut self, w: &World, pid: PidId) {
        if w.delays(w.run.current, pid) {
            self.asks = Some(pid);
            self.access(channel(w.run.current, pid), Mode::Read);
        }
    }

    fn of(accesses: &[(Object, Mode)]) -> Touch {
        let accesses = accesses.iter().map(|it| Access { object: it.0, mode: it.1 }).collect();
        Touch { accesses, ..Touch::default() }
    }
}

/// Whether the accesses of a call depend on the steps before it.
fn might_differ(shares: Shares) -> bool {
    match shares {
        Shares::Nothing | Shares::InItsCode | Shares::Everything | Shares::StartTimer => false,
        Shares::Spawn | Shares::SpawnLinked | Shares::Population | Shares::GroupLeader(_) => false,
        Shares::WhereIs | Shares::RegisteredNames | Shares::ProcessFlag => false,
        Shares::ProcessInfo | Shares::PersistentTerm(_) | Shares::PersistentTerms(_) => false,
        Shares::Cell(_) | Shares::Nodes | Shares::Clock | Shares::UniqueInteger => false,
        Shares::Variable(_) | Shares::Variables | Shares::SystemFlags(_) => false,
        Shares::SystemInfo | Shares::Ports(_) | Shares::Files(_) | Shares::Handle => false,
        Shares::LoadedCode(_) | Shares::CodePath(_) | Shares::FlagOfOther => false,
        Shares::Send | Shares::ExitSignal | Shares::Link(_) | Shares::Monitor => true,
        Shares::Demonitor | Shares::Unalias | Shares::Register | Shares::Unregister => true,
        Shares::IsAlive | Shares::Timer(_) | Shares::Table(_) | Shares::Node(_) => true,
    }
}

/// Whether a call never changes the state that its row describes. Sent messages and started processes are tracked
/// separately.
pub(super) fn only_looks(shares: Shares) -> bool {
    match shares {
        Shares::Nothing | Shares::InItsCode | Shares::Population | Shares::Send => true,
        Shares::WhereIs | Shares::RegisteredNames | Shares::IsAlive | Shares::ProcessInfo => true,
        Shares::Clock | Shares::Nodes | Shares::Variables | Shares::SystemInfo => true,
        Shares::GroupLeader(mode) | Shares::Timer(mode) | Shares::PersistentTerm(mode) => {
            mode == Mode::Read
        }
        Shares::PersistentTerms(mode) | Shares::Cell(mode) | Shares::Variable(mode) => {
            mode == Mode::Read
        }
        Shares::SystemFlags(mode) | Shares::Ports(mode) | Shares::Files(mode) => mode == Mode::Read,
        Shares::LoadedCode(mode) | Shares::CodePath(mode) => mode == Mode::Read,
        Shares::Table(using) => tables::only_looks(using),
        Shares::Everything | Shares::StartTimer | Shares::Spawn | Shares::SpawnLinked => false,
        Shares::ExitSignal | Shares::Link(_) | Shares::Monitor | Shares::Demonitor => false,
        Shares::Unalias | Shares::Register | Shares::Unregister | Shares::ProcessFlag => false,
        Shares::FlagOfOther | Shares::UniqueInteger | Shares::Node(_) | Shares::Handle => false,
    }
}

/// The accesses of a call; `None` if no other process can observe it.
pub(super) fn of_call(w: &World, shares: Shares, args: &[Value]) -> Option<Touch> {
    let first = args.first().copied().unwrap_or(Value::NIL);
    let second = args.get(1).copied().unwrap_or(Value::NIL);
    let mut touch = Touch { might_differ: might_differ(shares), ..Touch::default() };
    match shares {
        Shares::Nothing | Shares::InItsCode => return None,
        Shares::Everything => touch.is_global = true,
        Shares::StartTimer => (),
        Shares::Spawn => touch = of_spawn(w),
        Shares::SpawnLinked => {
            touch = of_spawn(w);
            touch.access(links(w.run.current), Mode::WritePart);
        }
        Shares::Population => touch.access(population(), Mode::Read),
        Shares::GroupLeader(Mode::Write) => {
            for pid in [first.as_pid(), second.as_pid()].into_iter().flatten() {
                touch.access(life(pid), Mode::Read);
            }
            touch.access(leader(second.as_pid()?), Mode::Write);
        }
        Shares::GroupLeader(mode) => touch.access(leader(w.run.current), mode),
        Shares::Send => return Some(of_send(w, first)),
        Shares::ExitSignal => touch_exit(w, &mut touch, first, second),
        Shares::Link(mode) => touch_link(w, &mut touch, first, mode),
        Shares::Monitor => touch_watched(w, &mut touch, second),
        Shares::Demonitor => touch = of_demonitor(w, first.as_ref()?, second),
        Shares::Unalias => touch.access(alias(first.as_ref()?), Mode::Write),
        Shares::Register => touch_registered(w, &mut touch, first, second),
        Shares::Unregister => {
            let pid = holder(w, first);
            touch_naming(w, &mut touch, first, (pid, pid.is_some()));
        }
        Shares::WhereIs => touch_name(w, &mut touch, first, Mode::Read),
        Shares::RegisteredNames => touch.access(names(), Mode::Read),
        Shares::IsAlive => touch_alive(w, &mut touch, first.as_pid()?),
        Shares::ProcessFlag => {
            let (object, mode) = of_flag(w, first, second)?;
            touch.accesses.extend(object.map(|object| Access { object, mode }));
        }
        Shares::Timer(mode) => {
            let id = first.as_ref()?;
            touch.access(timer(id), mode);
            if let Some(to) = w.run.timers.target(id).filter(|it| *it != w.run.current) {
                touch.access(life(to), Mode::Read);
            }
        }
        Shares::Node(mode) => {
            let node = first.as_atom().and_then(|it| w.heap.nodes.find(it));
            touch_node(w, &mut touch, node.unwrap_or(NodeId::ELSEWHERE), mode);
        }
        // In a system with one node, the nodes never change.
        Shares::Nodes if !w.heap.nodes.is_distributed() => return None,
        Shares::Nodes => touch.access(network(), Mode::Read),
        Shares::ProcessInfo => return of_info(w, first.as_pid()?, second),
        Shares::Clock if is_coarse(w, args) => return None,
        Shares::Clock => touch.access(clock(), Mode::Write),
        Shares::UniqueInteger => {
            let options = w.heap.list_items(first).unwrap_or_default();
            let is_ordered =
                |it: &Value| it.as_atom().is_some_and(|it| w.atoms.name(it) == "monotonic");
            options.iter().find(|it| is_ordered(it))?;
            touch.access(unique_integers(), Mode::Write);
        }
        Shares::Table(using) => return tables::of_call(w, using, first, second),
        Shares::PersistentTerm(mode) => {
            let part = if mode == Mode::Read { Mode::ReadPart } else { Mode::WritePart };
            touch.access(terms(), part);
            touch.access(object(Family::PersistentTerm, u64::from(phash2(w, first)), 0), mode);
        }
        Shares::PersistentTerms(mode) => touch.access(terms(), mode),
        Shares::Cell(mode) => {
            let index = second.as_int().unwrap_or(0).cast_unsigned();
            touch.access(object(Family::Cell, u64::from(phash2(w, first)), index), mode);
        }
        Shares::FlagOfOther => {
            let pid = first.as_pid()?;
            touch.access(life(pid), Mode::Read);
            touch.access(flags(pid), Mode::Write);
        }
        Shares::Variable(mode) => {
            let part = if mode == Mode::Read { Mode::ReadPart } else { Mode::WritePart };
            touch.access(single(Family::Variables), part);
            touch.access(object(Family::Variable, u64::from(phash2(w, first)), 0), mode);
        }
        Shares::Variables => touch.access(single(Family::Variables), Mode::Read),
        Shares::SystemFlags(mode) => touch.access(single(Family::SystemFlags), mode),
        Shares::SystemInfo => touch.access(of_system_info(w, first)?, Mode::Read),
        Shares::Ports(mode) => touch.access(single(Family::Ports), mode),
        Shares::Files(mode) => touch.access(single(Family::Files), mode),
        Shares::Handle => {
            let handle = object(Family::Handle, u64::from(phash2(w, first)), 0);
            touch.access(handle, Mode::Write);
        }
        Shares::LoadedCode(Mode::Write) => touch.is_global = true,
        Shares::LoadedCode(mode) => touch.access(single(Family::LoadedCode), mode),
        Shares::CodePath(mode) => touch.access(single(Family::CodePath), mode),
    }
    Some(touch)
}

/// Adds an exit signal; its effects on the receiver are included if it is delivered at once.
fn touch_exit(w: &World, touch: &mut Touch, to: Value, reason: Value) {
    let Some(pid) = to.as_pid() else { return };
    touch_node(w, touch, pid.node(), Mode::Read);
    if !w.delays(w.run.current, pid) {
        touch.add(of_signal(w, pid, reason, Through::Exit));
        touch.kills.extend(Some(pid).filter(|it| *it != w.run.current));
    }
}

/// Adds the creation or removal of a link.
fn touch_link(w: &World, touch: &mut Touch, other: Value, mode: Mode) {
    let Some(pid) = other.as_pid() else { return };
    touch_node(w, touch, pid.node(), Mode::Read);
    if mode == Mode::Read {
        touch.access(life(pid), Mode::Read);
    }
    touch.access(link(pid, w.run.current), mode);
    touch.access(links(pid), Mode::WritePart);
    touch.access(links(w.run.current), Mode::WritePart);
}

/// Adds the query whether a process is alive. A process that a signal has ended counts as dead, also before it takes
/// the step of its end.
fn touch_alive(w: &World, touch: &mut Touch, pid: PidId) {
    touch.ask(w, pid);
    touch.access(doom(pid), Mode::Read);
    if !w.is_doomed(pid) && !w.was_doomed(pid) {
        touch.access(life(pid), Mode::Read);
    }
}

/// Adds the registration of a name, which fails if the name is taken or the process already has a name.
fn touch_registered(w: &World, touch: &mut Touch, name: Value, process: Value) {
    let pid = process.as_pid();
    let is_nameless = |it: PidId| w.run.processes.get(&it).is_some_and(|it| it.name.is_none());
    let is_given = holder(w, name).is_none() && pid.is_none_or(is_nameless);
    touch_naming(w, touch, name, (pid, is_given));
}

/// The object on which an item of `erlang:system_info/1` depends; `None` if the item never changes.
fn of_system_info(w: &World, item: Value) -> Option<Object> {
    let name = w.atoms.name(item.as_atom()?);
    let (_, of) = CHANGING_ITEMS.iter().find(|it| it.0 == name)?;
    Some(match of {
        SystemItem::Population => population(),
        SystemItem::Ports => single(Family::Ports),
        SystemItem::Flags => single(Family::SystemFlags),
    })
}

/// Whether the clock is read in a unit so coarse that all reads of a run give the same value.
fn is_coarse(w: &World, args: &[Value]) -> bool {
    let Some(unit) = args.first() else { return false };
    let is_name = |it: AtomId| {
        matches!(w.atoms.name(it), "second" | "millisecond" | "seconds" | "milli_seconds")
    };
    unit.as_atom().is_some_and(is_name) || unit.as_int().is_some_and(|it| it <= 1000)
}

/// A new process inherits its parent's group leader.
fn of_spawn(w: &World) -> Touch {
    Touch::of(&[(population(), Mode::WritePart), (leader(w.run.current), Mode::Read)])
}

/// The accesses of the removal of a monitor.
fn of_demonitor(w: &World, id: RefId, options: Value) -> Touch {
    let mut touch = Touch { might_differ: true, ..Touch::default() };
    let options = w.heap.list_items(options);
    let is_known = |it: &Value| it.is_atom(AtomId::FLUSH) || it.is_atom(AtomId::INFO);
    // Invalid options raise an error and change nothing.
    let Some(options) = options.filter(|it| it.iter().all(is_known)) else { return touch };
    let me = w.run.processes.get(&w.run.current);
    if me.is_some_and(|it| it.aliases.contains_key(&id)) {
        touch.access(alias(id), Mode::Put(0));
    }
    let has = |name: AtomId| options.iter().any(|it| it.is_atom(name));
    if has(AtomId::FLUSH) {
        touch.access(taken(w.run.current), Mode::WritePart);
        // Whether the monitor has fired makes no difference then.
        if !has(AtomId::INFO) {
            return touch;
        }
    }
    touch.access(monitor(id), Mode::Write);
    touch
}

/// The accesses of a message by pid, name or alias.
fn of_send(w: &World, to: Value) -> Touch {
    let might_differ = to.as_pid().is_none();
    let mail = receiver(w, to);
    let may_lose = mail.is_some_and(|it| it != w.run.current);
    let mut touch = Touch { might_differ, mail, may_lose, ..Touch::default() };
    if let Some(id) = to.as_ref() {
        let owner = w.run.processes.get(&id.owner);
        let kind = owner.and_then(|it| it.aliases.get(&id)).copied();
        let is_once = kind == Some(AliasKind::Reply);
        touch.access(alias(id), if is_once { Mode::Write } else { Mode::Read });
    } else {
        touch_name(w, &mut touch, to, Mode::Read);
    }
    touch
}

/// The process that would receive a message, if it belongs to the program. Processes that have ended count, because in
/// another order the message might arrive before the end.
fn receiver(w: &World, to: Value) -> Option<PidId> {
    let ghosts = &w.run.schedule.as_ref()?.ghosts;
    let pid = match to.as_ref() {
        Some(alias) => {
            let owner = w.run.processes.get(&alias.owner).map(|it| &it.aliases);
            let aliases = owner.or_else(|| Some(&ghosts.get(&alias.owner)?.aliases))?;
            aliases.contains_key(&alias).then_some(alias.owner)?
        }
        None => to.as_pid().or_else(|| w.run.registry.get(&named(w, to)?).copied())?,
    };
    let is_there = match w.run.processes.get(&pid) {
        Some(process) => !is_inline(process),
        None => ghosts.contains_key(&pid),
    };
    is_there.then_some(pid)
}

/// Adds the creation of a monitor by pid or name.
fn touch_watched(w: &World, touch: &mut Touch, object: Value) {
    if let Some(pid) = object.as_pid() {
        touch_node(w, touch, pid.node(), Mode::Read);
        touch.access(life(pid), Mode::Read);
        if w.delays(w.run.current, pid) {
            touch.access(doom(pid), Mode::Read);
        }
    } else {
        touch.mail = holder(w, object).is_none().then_some(w.run.current);
        touch_name(w, touch, object, Mode::Read);
        touch_node(w, touch, named_node(w, object), Mode::Read);
    }
}

/// The object and mode of a change to a process flag that others can observe, given alone or in a tuple with options.
/// The object is `None` if the flag keeps its value.
fn of_flag(w: &World, flag: Value, value: Value) -> Option<(Option<Object>, Mode)> {
    let name = w.heap.elements(flag).and_then(|it| it.first()).copied().unwrap_or(flag);
    match w.atoms.name(name.as_atom()?) {
        "trap_exit" => {
            let traps = w.run.processes.get(&w.run.current).is_some_and(|it| it.trap_exit);
            let is_new = !value.is_atom(if traps { AtomId::TRUE } else { AtomId::FALSE });
            Some((is_new.then(|| flags(w.run.current)), Mode::Write))
        }
        "monitor_nodes" if w.heap.nodes.is_distributed() => Some((Some(network()), Mode::Read)),
        _ => None,
    }
}

/// The accesses of `process_info`.
fn of_info(w: &World, pid: PidId, item: Value) -> Option<Touch> {
    if let Some(items) = w.heap.list_items(item).filter(|it| !it.is_empty()) {
        let mut all: Option<Touch> = None;
        for touch in items.into_iter().filter_map(|it| of_info(w, pid, it)) {
            all.get_or_insert_default().add(touch);
        }
        return all;
    }
    let mut touch = Touch::of(&[(life(pid), Mode::Read)]);
    let is_own = pid == w.run.current;
    touch.ask(w, pid);
    match item.as_atom().map(|it| w.atoms.name(it)) {
        Some("messages" | "message_queue_len") => {
            touch.access(mailbox(pid), Mode::Read);
            touch.access(taken(pid), Mode::Read);
        }
        Some("registered_name") => touch.access(name_of(pid), Mode::Read),
        Some("links") => touch.access(links(pid), Mode::Read),
        Some("group_leader") => touch.access(leader(pid), Mode::Read),
        Some(_) | None if is_own => return None,
        Some("trap_exit") => touch.access(flags(pid), Mode::Read),
        Some("initial_call" | "priority" | "parent") => (),
        // Resource usage is not considered as communication.
        Some("heap_size" | "total_heap_size" | "stack_size" | "memory" | "reductions") => (),
        Some(_) | None => touch.is_global = true,
    }
    Some(touch)
}

/// The accesses of the next part of a process's end.
pub(super) fn of_part(w: &World, pid: PidId, reason: Value, part: Part) -> Touch {
    let mut touch = Touch { might_differ: true, ..Touch::default() };
    match part {
        Part::Table(id) => tables::touch_given_up(w, &mut touch, pid, id),
        Part::Leave => {
            touch.access(life(pid), Mode::Write);
            touch.access(population(), Mode::WritePart);
            if let Some(name) = w.run.processes.get(&pid).and_then(|it| it.name) {
                touch_name(w, &mut touch, Value::atom(name), Mode::Write);
                touch.access(names(), Mode::WritePart);
            }
        }
        // The link is removed only when the signal arrives.
        Part::Link(other) if w.delays(pid, other) => touch.access(link(pid, other), Mode::Read),
        Part::Link(other) => touch.add(of_link_part(w, pid, other, reason)),
        Part::Watcher(id, watcher) => {
            touch.access(monitor(id), Mode::Write);
            touch.mail = Some(watcher);
            let theirs = w.run.processes.get(&watcher).and_then(|it| it.monitors.get(&id));
            if theirs.and_then(|it| it.alias).is_some_and(|it| it != AliasKind::Explicit) {
                touch.access(alias(id), Mode::Put(0));
            }
        }
    }
    touch
}

/// Adds the notification of a linked process.
pub(super) fn of_link_part(w: &World, pid: PidId, other: PidId, reason: Value) -> Touch {
    let mut touch = Touch { might_differ: true, ..Touch::default() };
    touch.access(link(pid, other), Mode::WritePart);
    touch.access(links(other), Mode::WritePart);
    if w.hears_through_link(pid, other) {
        touch.add(of_signal(w, other, reason, Through::Link));
        touch.kills.push(other);
    }
    touch
}

/// The accesses of the first part of a process's end.
pub(super) fn of_end(w: &World, pid: PidId, end: End) -> Touch {
    let table = w.run.ets.owned_by(pid).next();
    let mut touch = of_part(w, pid, Value::NIL, table.map_or(Part::Leave, Part::Table));
    touch.accesses.push(ending(pid));
    if let End::Raised(raised) = end {
        touch.accesses.extend(of_failure(w, pid, raised));
    }
    touch
}

/// The accesses that determine whether the failure of a process is noticed: its monitors, and its links to processes
/// that trap exits.
pub(super) fn of_failure(w: &World, pid: PidId, raised: Raised) -> Vec<Access> {
    let Raised { class, reason, .. } = raised;
    let process = w.run.processes.get(&pid);
    let Some(process) = process.filter(|_| class != AtomId::EXIT || !is_orderly(w, reason)) else {
        return Vec::new();
    };
    let read = |object| Access { object, mode: Mode::Read };
    let former = w.former_links(pid);
    let links = former.iter().chain(&process.links);
    let traps =
        |it: PidId| w.run.processes.get(&it).map_or_else(|| w.did_trap(it), |it| it.trap_exit);
    let links = links.flat_map(|it| {
        let ends = traps(*it).then_some([link(pid, *it), life(*it)]);
        ends.into_iter().flatten().chain([flags(*it)])
    });
    let monitors = process.monitored_by.iter().flat_map(|it| [monitor(it.0), life(it.1)]);
    let mut res: Vec<Access> = links.chain(monitors).map(read).collect();
    if w.run.ets.owned_by(pid).next().is_some() {
        // The tables of the process are deleted first, but a new monitor already comes too late.
        res.push(Access { object: life(pid), mode: Mode::Write });
    }
    res
}

/// The access that marks the point from which on signals to a process have no effect.
pub(super) fn ending(pid: PidId) -> Access {
    Access { object: object(Family::Ending, u64::from(pid.0), 0), mode: Mode::Write }
}

/// The accesses of an exit signal's arrival. Its effect depends on whether the process traps exits and still exists; of
/// several fatal signals, only the first one has an effect.
pub(super) fn of_signal(w: &World, to: PidId, reason: Value, through: Through) -> Touch {
    let mut touch = Touch { might_differ: true, ..Touch::default() };
    let is_kill = reason.is_atom(AtomId::KILL) && through == Through::Exit;
    let is_doomed = w.is_doomed(to) || w.was_doomed(to);
    let traps = w.run.processes.get(&to).map_or_else(|| w.did_trap(to), |it| it.trap_exit);
    if !is_kill {
        touch.access(flags(to), Mode::Read);
    }
    if traps && !is_kill {
        touch.mail = Some(to);
    }
    if is_kill || (!traps && !reason.is_atom(AtomId::NORMAL)) {
        touch.access(doom(to), Mode::Read);
        if !is_doomed {
            touch.access(ending(to).object, Mode::Read);
        }
    }
    touch
}

/// Adds the registration or removal of a process's name, which also ends with the process. An operation that fails only
/// reads.
fn touch_naming(w: &World, touch: &mut Touch, name: Value, (pid, is_done): (Option<PidId>, bool)) {
    let mode = if is_done { Mode::Write } else { Mode::Read };
    touch_name(w, touch, name, mode);
    if is_done {
        touch.access(names(), Mode::WritePart);
    }
    if let Some(pid) = pid {
        touch.access(life(pid), Mode::Read);
        touch.access(name_of(pid), mode);
    }
}

fn holder(w: &World, name: Value) -> Option<PidId> {
    w.run.registry.get(&(w.here(), name.as_atom()?)).copied()
}

fn touch_name(w: &World, touch: &mut Touch, value: Value, mode: Mode) {
    if let Some((node, it)) = named(w, value) {
        touch.access(name(w, node, it), mode);
    }
}

/// A registered name, given alone or with a node.
fn named(w: &World, value: Value) -> Option<(NodeId, AtomId)> {
    let name = match w.heap.elements(value) {
        Some([name, _]) => *name,
        _ => value,
    };
    Some((named_node(w, value), name.as_atom()?))
}

/// The node of a registered name, by default that of the running process.
fn named_node(w: &World, value: Value) -> NodeId {
    match w.heap.elements(value) {
        Some([_, node]) => {
            let found = node.as_atom().and_then(|it| w.heap.nodes.find(it));
            found.unwrap_or(NodeId::ELSEWHERE)
        }
        _ => w.here(),
    }
}

/// Adds the access to the connection with another node.
fn touch_node(w: &World, touch: &mut Touch, node: NodeId, mode: Mode) {
    if node != w.here() && node != NodeId::ELSEWHERE {
        touch.access(self::node(node), mode);
    }
    if mode == Mode::Write {
        touch.access(network(), Mode::WritePart);
    }
}

/// The accesses of a node that goes down with all of its processes.
pub(super) fn of_node_down(w: &World, node: NodeId) -> Touch {
    let mut touch = Touch::of(&[(self::node(node), Mode::Write), (network(), Mode::WritePart)]);
    for pid in w.run.processes.keys().filter(|it| it.node() == node) {
        touch.accesses.push(ending(*pid));
        touch.add(of_part(w, *pid, Value::NIL, Part::Leave));
        w.run.ets.owned_by(*pid).for_each(|it| tables::touch_given_up(w, &mut touch, *pid, it));
        touch.kills.push(*pid);
    }
    touch.kills.extend(w.endings_on(node));
    // Linked processes on other nodes are notified.
    let is_linked = |it: &&Process| it.links.iter().any(|it| it.node() == node);
    for other in w.run.processes.values().filter(is_linked) {
        touch.access(links(other.pid), Mode::WritePart);
        touch.kills.push(other.pid);
    }
    touch
}

/// Atoms are identified by the hash of their text, because their numbers differ between runs.
pub(super) fn atom(w: &World, name: AtomId) -> u64 {
    u64::from(phash2(w, Value::atom(name)))
}

pub(super) fn life(pid: PidId) -> Object {
    object(Family::Life, u64::from(pid.0), 0)
}

pub(super) fn doom(pid: PidId) -> Object {
    object(Family::Doom, u64::from(pid.0), 0)
}

/// The channel of signals from one process to another.
pub(super) fn channel(from: PidId, to: PidId) -> Object {
    object(Family::Channel, u64::from(from.0), u64::from(to.0))
}

/// The state of a monitor.
pub(super) fn monitor(id: RefId) -> Object {
    object(Family::Monitor, u64::from(id.owner.0), u64::from(id.n))
}

/// The set of a process's links.
fn links(pid: PidId) -> Object {
    object(Family::Links, u64::from(pid.0), 0)
}

fn leader(pid: PidId) -> Object {
    object(Family::GroupLeader, u64::from(pid.0), 0)
}

/// The set of all processes.
pub(super) fn population() -> Object {
    single(Family::Population)
}

pub(super) fn flags(pid: PidId) -> Object {
    object(Family::Flags, u64::from(pid.0), 0)
}

/// The registered name of a process.
fn name_of(pid: PidId) -> Object {
    object(Family::NameOf, u64::from(pid.0), 0)
}

pub(super) fn mailbox(pid: PidId) -> Object {
    object(Family::Mailbox, u64::from(pid.0), 0)
}

/// The messages that were taken out of a mailbox.
pub(super) fn taken(pid: PidId) -> Object {
    object(Family::Taken, u64::from(pid.0), 0)
}

fn link(a: PidId, b: PidId) -> Object {
    object(Family::Link, u64::from(a.0.min(b.0)), u64::from(a.0.max(b.0)))
}

pub(super) fn name(w: &World, node: NodeId, name: AtomId) -> Object {
    object(Family::Name, atom(w, name), u64::from(node.0))
}

fn node(node: NodeId) -> Object {
    object(Family::Node, u64::from(node.0), 0)
}

/// The set of all nodes.
fn network() -> Object {
    single(Family::Network)
}

pub(super) fn alias(id: RefId) -> Object {
    object(Family::Alias, u64::from(id.owner.0), u64::from(id.n))
}

pub(super) fn timer(id: RefId) -> Object {
    object(Family::Timer, u64::from(id.owner.0), u64::from(id.n))
}

/// A process of the runtime system that a step has made run.
pub(super) fn resident(w: &World, name: AtomId) -> Object {
    object(Family::Resident, atom(w, name), 0)
}

pub(super) fn clock() -> Object {
    single(Family::Clock)
}

/// The counter of monotonic unique integers.
fn unique_integers() -> Object {
    single(Family::UniqueInteger)
}

fn names() -> Object {
    single(Family::RegisteredNames)
}

fn terms() -> Object {
    single(Family::PersistentTerms)
}

/// The only object of its family.
fn single(family: Family) -> Object {
    object(family, 0, 0)
}

/// An object is identified by its family and two numbers, whose meaning depends on the family.
pub(super) fn object(family: Family, a: u64, b: u64) -> Object {
    let mut hasher = FxHasher::default();
    (family, a, b).hash(&mut hasher);
    Object(hasher.finish())
}

/// The families of objects over which steps may conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Family {
    /// The existence of a process.
    Life,
    /// The process that has a name; the next two: the name of a process, and the set of all names.
    Name,
    NameOf,
    RegisteredNames,
    /// Whether an exit signal has ended a process.
    Doom,
    /// The point from which on signals to a process have no effect.
    Ending,
    /// The flags of a process.
    Flags,
    Alias,
    /// The contents of a mailbox; the next: the messages taken out of it.
    Mailbox,
    Taken,
    /// A link between two processes; the next: all links of a process.
    Link,
    Links,
    Monitor,
    GroupLeader,
    /// The set of all processes.
    Population,
    /// The channel of signals from one process to another.
    Channel,
    /// A table; the next three: a table of the runtime system by its name, the table that has a name, and the objects
    /// with a key.
    Table,
    SystemTable,
    TableName,
    TableKey,
    PersistentTerm,
    PersistentTerms,
    Cell,
    Timer,
    /// A process of the runtime system, which runs within the steps of others.
    Resident,
    Node,
    Network,
    Clock,
    UniqueInteger,
    Variable,
    Variables,
    SystemFlags,
    Ports,
    Files,
    Handle,
    LoadedCode,
    CodePath,
}
