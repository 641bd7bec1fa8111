//! All state of a run besides the stack of the process that is running.

use crate::Running;
use crate::builtins::DebugState;
use crate::builtins::buffers::Buffers;
use crate::builtins::code_path::CodePath;
use crate::builtins::ets::Tables;
use crate::builtins::files::OpenFiles;
use crate::builtins::handles::Handles;
use crate::builtins::search::Patterns;
use crate::builtins::shared::Shared;
use crate::builtins::zlib::Streams;
use crate::machine::boot::Residence;
use crate::machine::distribution::Network;
use crate::machine::logs::{Logging, Logs};
use crate::machine::ports::Ports;
use crate::machine::process::Process;
use crate::machine::queue::RunQueue;
use crate::machine::record::Recorder;
use crate::machine::replay::Replay;
use crate::machine::schedule::Schedule;
use crate::machine::timers::Timers;
use crate::machine::tracing::Tracing;
use crate::machine::versions::OldCode;
use crate::machine::{Allowed, Limits};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use term::Term;
use trace::{Actor, ActorName, ClauseId};
use values::{AtomId, Atoms, Forked, Heap, Mark, NodeId, PidId, RefId, Roots, Value};

#[derive(Debug, Default)]
pub struct World {
    pub heap: Heap,
    pub atoms: Atoms,
    pub limits: Limits,
    pub allowed: Allowed,
    pub logging: Logging,
    pub logs: Logs,
    /// Constants of loaded code, by the numbers that instructions hold.
    pub literals: Vec<Value>,
    /// The process that is running.
    pub current: PidId,
    pub processes: Forked<PidId, Process>,
    /// Who may run next, in order.
    pub queue: RunQueue,
    pub registry: BTreeMap<(NodeId, AtomId), PidId>,
    /// Which of the machine's nodes can be reached, if it has several.
    pub network: Network,
    pub ets: Tables,
    /// Persistent terms, atomics and counters.
    pub shared: Shared,
    pub handles: Handles,
    pub patterns: Patterns,
    pub files: OpenFiles,
    pub ports: Ports,
    pub buffers: Buffers,
    pub streams: Streams,
    pub timers: Timers,
    /// Nanoseconds on the virtual clock since the run began.
    pub clock: u64,
    /// What the builtin that runs has to do, in calls, if that is much.
    pub work: u64,
    /// What the program wrote to its standard output.
    pub output: Vec<u8>,
    /// Names given to processes so far: who spawned them and as which child.
    pub names: PidNames,
    /// Counters of `erlang:unique_integer`: the usual one, and that of strictly growing integers.
    pub n_unique: u64,
    pub n_unique_ordered: u64,
    /// What the system clock shows when a run begins.
    pub epoch: Epoch,
    /// The last time that `erlang:now` gave, in microseconds.
    pub last_now: i64,
    /// What `erlang:system_info` says of the installation, as far as anyone asked.
    pub facts: BTreeMap<String, Term>,
    /// The applications that are always running, as their `.app` files describe them.
    pub applications: Vec<Term>,
    /// What is started with the controller of applications.
    pub running: Running,
    pub code_path: CodePath,
    pub system_flags: BTreeMap<AtomId, Value>,
    pub last_statistics: BTreeMap<AtomId, i64>,
    /// Variables of the environment.
    pub environment: BTreeMap<String, String>,
    /// What the program wrote to its standard error.
    pub error_output: Vec<u8>,
    /// Processes that are part of every Erlang system, as far as they were started.
    pub residents: BTreeMap<(NodeId, AtomId), Residence>,
    /// Clauses entered, one bit each.
    pub covered: Vec<u64>,
    /// How the unit under test ended, once it has.
    pub ended: Option<Ended>,
    /// What loaded modules are and export, for builtins that ask.
    pub modules: FxHashMap<AtomId, LoadedModule>,
    /// Versions of modules that calls no longer reach.
    pub old_code: BTreeMap<AtomId, OldCode>,
    /// Modules that do not exist.
    pub missing: FxHashSet<AtomId>,
    /// Switches of `erts_debug`.
    pub debug: DebugState,
    /// Who is traced, if anyone is.
    pub tracing: Option<Box<Tracing>>,
    /// How often a process suspends another.
    pub suspended: BTreeMap<(PidId, PidId), i64>,
    /// Processes that could run if nobody suspended them.
    pub stalled: BTreeSet<PidId>,
    /// The running process was ended by a signal; the interpreter has yet to notice.
    pub killed: Option<Value>,
    /// The symbolic half of the run, if anyone wants it.
    pub record: Option<Box<Recorder>>,
    /// The run as another runtime made it, if there was one.
    pub replay: Option<Box<Replay>>,
    /// What is needed if somebody else decides who runs next.
    pub schedule: Option<Box<Schedule>>,
}

/// How a process came to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ended {
    Value(Value),
    Raised {
        class: AtomId,
        reason: Value,
        trace: Value,
    },
    /// Ended by a signal of another process.
    Killed(Value),
}

#[derive(Clone, Debug)]
pub struct LoadedModule {
    pub exports: Vec<(AtomId, u32)>,
    pub functions: Vec<(AtomId, u32)>,
    /// Index of literals: attributes and compile info.
    pub attributes: usize,
    pub compile_info: usize,
    pub md5: [u8; 16],
    pub file: String,
    /// What it was loaded from, if it is not the source.
    pub object: Option<Object>,
}

/// A file, or what whoever loaded a module said instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    File(String),
    Name(AtomId),
}

/// A time of the system clock, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch(pub i64);

impl Default for Epoch {
    /// 2024-01-01 00:00:00 UTC: a run is the same whenever it is made.
    fn default() -> Epoch {
        Epoch(1_704_067_200_000_000_000)
    }
}

/// Names of processes: the same spawn has the same name in every interleaving.
#[derive(Clone, Debug, Default)]
pub struct PidNames {
    ids: FxHashMap<(PidId, u32, NodeId), PidId>,
    /// The other way round, from the first one on, and on which node each is.
    parents: Vec<(PidId, u32, NodeId)>,
}

/// Numbers below belong to processes that are not there: BEAM's own.
const FIRST_PID: u32 = 80;

/// Numbers of the ends of nodes, among the children of nobody.
const FALL: u32 = 1 << 30;

/// Numbers of signals, among the children of those who send them.
const SIGNAL: u32 = 1 << 29;

impl PidNames {
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// All names, in the order in which they were given.
    pub(super) fn all(&self) -> Vec<ActorName> {
        let name = |&(parent, n, NodeId(node)): &(PidId, u32, NodeId)| {
            let parent = Actor(parent.0);
            ActorName { parent, n, node }
        };
        self.parents.iter().map(name).collect()
    }

    pub(super) fn set(&mut self, names: &[ActorName]) {
        if self.all() != names {
            *self = PidNames::default();
            for it in names {
                self.child_on(PidId(it.parent.0), it.n, NodeId(it.node));
            }
        }
    }

    /// The name of the `n`-th child of a process, which is on the same node.
    pub fn child(&mut self, parent: PidId, n: u32) -> PidId {
        self.child_on(parent, n, parent.node())
    }

    pub fn child_on(&mut self, parent: PidId, n: u32, node: NodeId) -> PidId {
        let next = PidId(FIRST_PID + u32::try_from(self.ids.len()).unwrap_or(u32::MAX / 2));
        let parents = &mut self.parents;
        *self.ids.entry((parent, n, node)).or_insert_with(|| {
            parents.push((parent, n, node));
            next.on(node)
        })
    }

    /// The actor that takes a node down.
    pub(super) fn fall_of(&mut self, node: NodeId) -> PidId {
        self.child(PidId(0), FALL | u32::from(node.0))
    }

    /// The actor that a signal is while it is on its way.
    pub(super) fn signal(&mut self, from: PidId, n: u32) -> PidId {
        self.child(from, SIGNAL | n)
    }

    pub(super) fn falling_node(&self, actor: PidId) -> Option<NodeId> {
        let place = actor.number().checked_sub(FIRST_PID)?;
        match self.parents.get(usize::try_from(place).ok()?) {
            Some((PidId(0), n, _)) if n & FALL != 0 => u8::try_from(n & !FALL).ok().map(NodeId),
            _ => None,
        }
    }

    /// Whether an actor is a process, and no timer or the like.
    pub(super) fn is_process(&self, actor: PidId) -> bool {
        let place = actor.number().checked_sub(FIRST_PID).and_then(|it| usize::try_from(it).ok());
        place.and_then(|it| self.parents.get(it)).is_some_and(|it| it.1 < SIGNAL)
    }

    /// Who a process is, for people: `P` is the unit, `P.2` its second child.
    pub(super) fn path(&self, pid: PidId) -> String {
        let place = pid.number().checked_sub(FIRST_PID).and_then(|it| usize::try_from(it).ok());
        match place.and_then(|it| self.parents.get(it)) {
            Some((PidId(0), 0, _)) => "P".to_owned(),
            Some((parent, n, _)) if *n >> 31 == 1 => {
                format!("{}.t{}", self.path(*parent), n & !(1 << 31))
            }
            Some((parent, n, _)) if n & (FALL | SIGNAL) == SIGNAL => {
                format!("{}.s{}", self.path(*parent), n & !SIGNAL)
            }
            Some((parent, n, _)) => format!("{}.{n}", self.path(*parent)),
            None => format!("system {}", pid.0),
        }
    }
}

/// The process that started everything and never ends.
pub(crate) const INIT: PidId = PidId(0);
/// The process that stands for the terminal: the group leader of everyone.
pub const USER: PidId = PidId(64);
/// The process that stands for standard error.
pub const STANDARD_ERROR: PidId = PidId(65);
/// The process that answers other nodes, where there are any.
pub(super) const NET_KERNEL: PidId = PidId(66);
/// The process that would collect what code and persistent terms leave behind. All garbage is
/// collected alike here: it never has anything to do.
pub(crate) const LITERAL_COLLECTOR: PidId = PidId(8);

impl World {
    /// The process that is running. Its stack is not in it.
    pub fn me(&mut self) -> Option<&mut Process> {
        self.processes.get_mut(&self.current)
    }

    /// A reference nobody else has.
    pub fn new_ref(&mut self) -> RefId {
        let owner = self.current;
        let n = self.me().map_or(0, |it| {
            it.n_refs += 1;
            it.n_refs
        });
        let reference = RefId { owner, n };
        if let Some(me) = self.me() {
            me.marks.add(reference, me.mailbox.len());
        }
        reference
    }

    #[inline]
    pub fn cover(&mut self, clause: ClauseId) {
        if self.replay.is_some() {
            self.enter_clause(clause);
        }
        let (word, bit) = (clause.0 as usize / 64, clause.0 % 64);
        match self.covered.get_mut(word) {
            Some(word) => *word |= 1 << bit,
            None => {
                self.covered.resize(word + 1, 0);
                if let Some(word) = self.covered.get_mut(word) {
                    *word |= 1 << bit;
                }
            }
        }
    }

    /// Forgets the run and keeps the loaded code.
    pub fn reset(&mut self, mark: Mark, n_atoms: usize) {
        self.processes.clear();
        self.queue.clear();
        self.registry.clear();
        self.network = Network::default();
        self.ets = Tables::default();
        self.shared = Shared::default();
        self.patterns = Patterns::default();
        self.handles = Handles::default();
        self.files.reset();
        self.ports.reset();
        self.code_path.chosen = None;
        self.buffers = Buffers::default();
        self.streams = Streams::default();
        self.timers = Timers::default();
        self.clock = 0;
        self.work = 0;
        self.output.clear();
        self.n_unique = 0;
        self.n_unique_ordered = 0;
        self.last_now = 0;
        self.system_flags.clear();
        self.last_statistics.clear();
        self.error_output.clear();
        self.residents.clear();
        self.logs = Logs::default();
        self.covered.clear();
        self.ended = None;
        self.killed = None;
        self.schedule = None;
        self.old_code.clear();
        self.suspended.clear();
        self.stalled.clear();
        self.debug = DebugState::default();
        self.heap.release(mark);
        self.atoms.truncate(n_atoms);
        // A number above may be given to another name in the next run.
        self.missing.retain(|it| (it.0 as usize) < n_atoms);
    }

    /// Collects garbage; `running` is the stack of the process that runs.
    pub(crate) fn collect(&mut self, running: &mut [Value]) {
        let mut heap = std::mem::take(&mut self.heap);
        heap.collect(&mut All { world: self, running });
        heap.beside_bytes = self.beside_bytes();
        self.heap = heap;
    }

    /// The same of everything, however old.
    pub(crate) fn collect_all(&mut self, running: &mut [Value]) {
        let mut heap = std::mem::take(&mut self.heap);
        heap.collect_all(&mut All { world: self, running });
        heap.beside_bytes = self.beside_bytes();
        self.heap = heap;
    }

    /// Bytes that the run holds besides its heap and the stack of the process that runs, about.
    fn beside_bytes(&self) -> usize {
        let of_process = |it: &Process| {
            size_of::<Process>() + it.mailbox.len() * size_of::<Value>() + it.stack_bytes()
        };
        let processes: usize = self.processes.values().map(of_process).sum();
        let symbolic = self.record.as_ref().map_or(0, |it| it.bytes());
        let output = self.output.len() + self.error_output.len();
        processes + symbolic + output + self.ets.bytes() + self.patterns.n_bytes
    }

    /// Collects what only the run kept alive, when it is over.
    pub(crate) fn collect_after_run(&mut self) {
        self.processes.clear();
        self.ets = Tables::default();
        self.shared = Shared::default();
        self.ports.reset();
        self.streams = Streams::default();
        self.timers = Timers::default();
        self.system_flags.clear();
        self.logs = Logs::default();
        self.ended = None;
        let mut heap = std::mem::take(&mut self.heap);
        heap.collect_all(&mut All { world: self, running: &mut [] });
        self.heap = heap;
    }
}

struct All<'a> {
    world: &'a mut World,
    running: &'a mut [Value],
}

impl Roots for All<'_> {
    fn visit(&mut self, visitor: &mut dyn FnMut(&mut [Value])) {
        visitor(self.running);
        visitor(&mut self.world.literals);
        for process in self.world.processes.values_mut() {
            process.visit(visitor);
        }
        self.world.ets.visit_roots(visitor);
        self.world.shared.visit_roots(visitor);
        self.world.timers.visit(visitor);
        self.world.streams.visit_roots(visitor);
        self.world.logs.visit(visitor);
        self.world.ports.visit_roots(visitor);
        if let Some(tracing) = &mut self.world.tracing {
            tracing.visit_roots(visitor);
        }
        for flag in self.world.system_flags.values_mut() {
            visitor(std::slice::from_mut(flag));
        }
        visitor(self.world.killed.as_mut_slice());
        match &mut self.world.ended {
            Some(Ended::Value(value) | Ended::Killed(value)) => {
                visitor(std::slice::from_mut(value));
            }
            Some(Ended::Raised { reason, trace, .. }) => {
                visitor(std::slice::from_mut(reason));
                visitor(std::slice::from_mut(trace));
            }
            None => (),
        }
    }
}
