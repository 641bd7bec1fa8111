//! The state of a run, except the stack of the running process.

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
    /// The literals of loaded code, by the index that instructions contain.
    pub literals: Vec<Value>,
    pub files: OpenFiles,
    pub ports: Ports,
    /// The names that were given to processes: the parent and the ordinal number as its child.
    pub names: PidNames,
    /// The value of the system clock at the beginning of a run.
    pub epoch: Epoch,
    /// The items of `erlang:system_info` about the installation that were asked for.
    pub facts: BTreeMap<String, Term>,
    /// The applications that are always running, as their `.app` files describe them.
    pub applications: Vec<Term>,
    /// The applications that are started along with the application controller.
    pub running: Running,
    pub code_path: CodePath,
    /// Information about loaded modules.
    pub modules: FxHashMap<AtomId, LoadedModule>,
    /// Modules that are known not to exist.
    pub missing: FxHashSet<AtomId>,
    /// The recorder, if the run is recorded.
    pub record: Option<Box<Recorder>>,
    /// The log of another runtime, if the run is a replay.
    pub replay: Option<Box<Replay>>,
    /// The state that belongs to one run alone.
    pub run: RunState,
}

/// The state that belongs to one run: the end of the run replaces all of it with the default.
#[derive(Debug, Default)]
pub struct RunState {
    pub logs: Logs,
    /// The process that is running.
    pub current: PidId,
    pub processes: Forked<PidId, Process>,
    /// The runnable processes.
    pub queue: RunQueue,
    pub registry: BTreeMap<(NodeId, AtomId), PidId>,
    /// The state of the connections between the machine's nodes.
    pub network: Network,
    pub ets: Tables,
    /// Persistent terms, atomics and counters.
    pub shared: Shared,
    pub handles: Handles,
    pub patterns: Patterns,
    pub buffers: Buffers,
    pub streams: Streams,
    pub timers: Timers,
    /// Nanoseconds on the virtual clock since the run began.
    pub clock: u64,
    /// The work of the running builtin in reductions, if it is much.
    pub work: u64,
    /// The text written to the standard output.
    pub output: Vec<u8>,
    /// The counters of `erlang:unique_integer`: for plain and for monotonic integers.
    pub n_unique: u64,
    pub n_unique_ordered: u64,
    /// The last result of `erlang:now`, in microseconds.
    pub last_now: i64,
    pub system_flags: BTreeMap<AtomId, Value>,
    pub last_statistics: BTreeMap<AtomId, i64>,
    /// Environment variables.
    pub environment: BTreeMap<String, String>,
    /// The text written to the standard error.
    pub error_output: Vec<u8>,
    /// The residents (processes of every Erlang system) whose start was requested.
    pub residents: BTreeMap<(NodeId, AtomId), Residence>,
    /// The entered clauses, as a bit set.
    pub covered: Vec<u64>,
    /// How the unit ended; `None` while it runs.
    pub ended: Option<Ended>,
    /// Old versions of modules.
    pub old_code: BTreeMap<AtomId, OldCode>,
    /// The switches of `erts_debug`.
    pub debug: DebugState,
    /// The state of tracing; `None` if the program does not trace.
    pub tracing: Option<Box<Tracing>>,
    /// For pairs of a suspending and a suspended process, how often the one has suspended the other.
    pub suspended: BTreeMap<(PidId, PidId), i64>,
    /// Suspended processes that are otherwise runnable.
    pub stalled: BTreeSet<PidId>,
    /// Present if the running process was ended by a signal that the interpreter has not handled yet.
    pub killed: Option<Value>,
    /// The schedule, if the run is scheduled.
    pub schedule: Option<Box<Schedule>>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ended {
    Value(Value),
    Raised {
        class: AtomId,
        reason: Value,
        trace: Value,
    },
    /// By an exit signal.
    Killed(Value),
}

#[derive(Clone, Debug)]
pub struct LoadedModule {
    pub exports: Vec<(AtomId, u32)>,
    pub functions: Vec<(AtomId, u32)>,
    /// The indices of the attributes and of the compile information among the literals.
    pub attributes: usize,
    pub compile_info: usize,
    pub md5: [u8; 16],
    pub file: String,
    /// The object file or name from which it was loaded, if it was not compiled from source.
    pub object: Option<Object>,
}

/// An object file, or the term that the loading process gave instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    File(String),
    Name(AtomId),
}

/// A time of the system clock, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epoch(pub i64);

impl Default for Epoch {
    /// 2024-01-01 00:00:00 UTC: a constant, so that runs are reproducible.
    fn default() -> Epoch {
        Epoch(1_704_067_200_000_000_000)
    }
}

/// The names of processes: the same spawn gives the same name in every interleaving.
#[derive(Clone, Debug, Default)]
pub struct PidNames {
    ids: FxHashMap<(PidId, u32, NodeId), PidId>,
    /// The inverse of `ids`, indexed from `FIRST_PID`: parent, ordinal number and node.
    parents: Vec<(PidId, u32, NodeId)>,
}

/// The number of the first process; lower numbers belong to processes of BEAM that do not exist here.
const FIRST_PID: u32 = 80;

/// The bit that marks actors that take a node down, among the children of the null process.
const FALL: u32 = 1 << 30;

/// The bit that marks signals, among the children of the sending process.
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

    /// The name of the `n`-th child of a process, on the same node.
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

    /// The actor that delivers a signal.
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

    /// Whether an actor is a process; otherwise it is a timer, a signal or the end of a node.
    pub(super) fn is_process(&self, actor: PidId) -> bool {
        let place = actor.number().checked_sub(FIRST_PID).and_then(|it| usize::try_from(it).ok());
        place.and_then(|it| self.parents.get(it)).is_some_and(|it| it.1 < SIGNAL)
    }

    /// The path of a process for users: `P` is the unit, `P.2` its second child.
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

/// The process `init`, which never ends.
pub(crate) const INIT: PidId = PidId(0);
/// The process `user`, the default group leader.
pub const USER: PidId = PidId(64);
/// The process `standard_error`.
pub const STANDARD_ERROR: PidId = PidId(65);
/// The process `net_kernel`, which exists if the machine is distributed.
pub(super) const NET_KERNEL: PidId = PidId(66);
/// The process that on BEAM collects the literals of purged code and erased persistent terms. Here it never has
/// anything to do, because all garbage is collected in the same way.
pub(crate) const LITERAL_COLLECTOR: PidId = PidId(8);

impl World {
    /// The running process, whose stack is not part of the record.
    pub fn me(&mut self) -> Option<&mut Process> {
        self.run.processes.get_mut(&self.run.current)
    }

    /// Makes a unique reference.
    pub fn new_ref(&mut self) -> RefId {
        let owner = self.run.current;
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
        match self.run.covered.get_mut(word) {
            Some(word) => *word |= 1 << bit,
            None => {
                self.run.covered.resize(word + 1, 0);
                if let Some(word) = self.run.covered.get_mut(word) {
                    *word |= 1 << bit;
                }
            }
        }
    }

    /// Drops the state of the run, and keeps the loaded code.
    pub fn reset(&mut self, mark: Mark, n_atoms: usize) {
        self.run = RunState::default();
        // The values dropped here hold open files, programs and connections of the host, which are closed with them.
        self.files.reset();
        self.ports.reset();
        self.code_path.chosen = None;
        self.heap.release(mark);
        self.atoms.truncate(n_atoms);
        // Higher atom numbers may be given to other names in the next run.
        self.missing.retain(|it| (it.0 as usize) < n_atoms);
    }

    /// Collects garbage; `running` is the stack of the running process.
    pub(crate) fn collect(&mut self, running: &mut [Value]) {
        let mut heap = std::mem::take(&mut self.heap);
        heap.collect(&mut AllRoots { world: self, running });
        heap.beside_bytes = self.beside_bytes();
        self.heap = heap;
    }

    /// As [`World::collect`], including the old generation.
    pub(crate) fn collect_all(&mut self, running: &mut [Value]) {
        let mut heap = std::mem::take(&mut self.heap);
        heap.collect_all(&mut AllRoots { world: self, running });
        heap.beside_bytes = self.beside_bytes();
        self.heap = heap;
    }

    /// The approximate number of bytes that the run holds outside of the heap and the running process's stack.
    fn beside_bytes(&self) -> usize {
        let of_process = |it: &Process| {
            size_of::<Process>() + it.mailbox.len() * size_of::<Value>() + it.stack_bytes()
        };
        let processes: usize = self.run.processes.values().map(of_process).sum();
        let symbolic = self.record.as_ref().map_or(0, |it| it.bytes());
        let output = self.run.output.len() + self.run.error_output.len();
        processes + symbolic + output + self.run.ets.bytes() + self.run.patterns.n_bytes
    }

    /// Collects the garbage of a run that is over.
    pub(crate) fn collect_after_run(&mut self) {
        self.run = RunState::default();
        self.ports.reset();
        let mut heap = std::mem::take(&mut self.heap);
        heap.collect_all(&mut AllRoots { world: self, running: &mut [] });
        self.heap = heap;
    }
}

struct AllRoots<'a> {
    world: &'a mut World,
    running: &'a mut [Value],
}

impl Roots for AllRoots<'_> {
    fn visit(&mut self, visitor: &mut dyn FnMut(&mut [Value])) {
        visitor(self.running);
        visitor(&mut self.world.literals);
        for process in self.world.run.processes.values_mut() {
            process.visit(visitor);
        }
        self.world.run.ets.visit_roots(visitor);
        self.world.run.shared.visit_roots(visitor);
        self.world.run.timers.visit(visitor);
        self.world.run.streams.visit_roots(visitor);
        self.world.run.logs.visit(visitor);
        self.world.ports.visit_roots(visitor);
        if let Some(tracing) = &mut self.world.run.tracing {
            tracing.visit_roots(visitor);
        }
        for flag in self.world.run.system_flags.values_mut() {
            visitor(std::slice::from_mut(flag));
        }
        visitor(self.world.run.killed.as_mut_slice());
        match &mut self.world.run.ended {
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
