//! A process: the state that others can observe and change, and its stack.

use crate::code::FnId;
use crate::machine::Entered;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use trace::MessageId;
use values::{AtomId, PidId, PortId, RefId, Roots, Value};

#[derive(Clone, Debug)]
pub struct Process {
    pub pid: PidId,
    pub parent: PidId,
    /// `None` while the process is running.
    pub execution: Option<Execution>,
    pub status: Status,
    pub mailbox: VecDeque<Value>,
    /// The names of the messages in the mailbox, if the run is scheduled.
    pub letters: VecDeque<MessageId>,
    /// Recent references, with the number of messages that are older than each.
    pub(crate) marks: Marks,
    /// How many messages the current receive has examined without taking one.
    pub seen: usize,
    /// Whether the current receive examines messages; otherwise it only waits.
    pub looks: bool,
    /// When the current receive times out, in nanoseconds of the virtual clock.
    pub deadline: Option<u64>,
    /// The process dictionary, a map.
    pub dictionary: Value,
    /// The keys of the process dictionary, if the run is recorded.
    pub(crate) entered: Entered,
    pub links: BTreeSet<PidId>,
    /// The monitors that this process has set.
    pub monitors: BTreeMap<RefId, Monitor>,
    /// The processes that monitor this one, each with the monitor's reference.
    pub monitored_by: Vec<(RefId, PidId)>,
    /// Monitors of processes that did not exist. Their `'DOWN'` messages are sent when the process waits or has used up
    /// its slice.
    pub vain_monitors: Vec<RefId>,
    pub aliases: BTreeMap<RefId, AliasKind>,
    pub trap_exit: bool,
    pub priority: AtomId,
    pub flags: BTreeMap<AtomId, Value>,
    pub group_leader: PidId,
    pub name: Option<AtomId>,
    pub initial_call: (AtomId, AtomId, u32),
    pub n_children: u32,
    pub n_refs: u32,
    pub reductions: u64,
    /// The maximum heap size, and what happens when it is exceeded.
    pub heap_limit: Option<HeapLimit>,
    /// Requests of garbage collections that are deferred because collections are disabled; `None` if they are enabled.
    pub(crate) held_collections: Option<Vec<(PidId, Value)>>,
    pub on_return: OnReturn,
    /// The resident on whose behalf the process was started, directly or indirectly.
    pub resident: Option<AtomId>,
}

/// How many messages of a long mailbox are older than a reference: they can contain neither that reference nor later
/// ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks(Vec<(RefId, usize)>);

impl Marks {
    /// For shorter mailboxes no mark is set.
    const LEAST_MESSAGES: usize = 50;
    const MOST: usize = 16;

    pub(crate) fn add(&mut self, reference: RefId, n_older: usize) {
        if n_older < Marks::LEAST_MESSAGES {
            return;
        }
        if self.0.len() == Marks::MOST {
            // Drops every other mark. References between two marks use the earlier one.
            let mut place = 0;
            self.0.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
        self.0.push((reference, n_older));
    }

    pub(crate) fn n_older(&self, reference: RefId) -> usize {
        let is_before =
            |it: &&(RefId, usize)| it.0.owner == reference.owner && it.0.n <= reference.n;
        self.0.iter().filter(is_before).map(|it| it.1).max().unwrap_or(0)
    }

    /// Updates the marks after the message at an index was taken.
    pub(crate) fn taken(&mut self, place: usize) {
        for (_, n_older) in &mut self.0 {
            if place < *n_older {
                *n_older -= 1;
            }
        }
    }
}

/// The heap limit of a process. All processes share one heap, so the heap of a process is measured only after it has
/// allocated as much as its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapLimit {
    pub words: i64,
    pub kills: bool,
    /// Whether exceeding the limit is logged.
    pub reports: bool,
    /// Words allocated since the heap was measured last.
    pub made: i64,
    pub is_due: bool,
}

impl HeapLimit {
    /// Whether the limit allows a heap with this minimal size in words.
    pub(crate) fn fits(self, least: i64) -> bool {
        self.words == 0 || self.words >= least
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Runnable,
    /// Waiting in a receive without a matching message.
    Waiting,
    Hibernating,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Monitor {
    pub target: MonitorTarget,
    /// The first element of the message instead of `'DOWN'`.
    pub tag: Option<Value>,
    pub alias: Option<AliasKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonitorTarget {
    Process(PidId),
    /// By registered name and node, which the message contains.
    Name(AtomId, AtomId, Option<PidId>),
    /// By identifier, or by registered name, which the message then contains.
    Port(PortId, Option<AtomId>),
    TimeOffset,
}

/// When an alias is deactivated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AliasKind {
    Explicit,
    Demonitor,
    Reply,
}

/// The use of a process's value when its function returns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OnReturn {
    Nobody,
    /// The process is the unit under test: the run ends with the value.
    Unit,
    /// The process formats output: the value is written, and the asking process gets a reply.
    Output {
        asker: PidId,
        request: Value,
        device: PidId,
    },
    /// The process runs the `on_load` function of a module, and the loading process waits for it.
    OnLoad {
        module: AtomId,
    },
    /// The process starts a resident and has made this many calls.
    Boot {
        name: AtomId,
        step: usize,
    },
}

impl OnReturn {
    pub(crate) fn is_output(self) -> bool {
        matches!(self, OnReturn::Output { .. })
    }
}

/// The position of a process in its program: the stack and how to continue.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    pub(crate) stack: Vec<Value>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) pc: u32,
    pub(crate) base: usize,
    /// The height of the registers of all frames.
    pub(crate) top: usize,
    /// The number of values on the stack that are live while the process is not running.
    pub(crate) live: usize,
    /// How to begin or continue.
    pub(crate) start: Start,
}

impl Process {
    /// The size in bytes of the stack while the process is not running.
    pub(super) fn stack_bytes(&self) -> usize {
        self.execution.as_ref().map_or(0, |it| {
            it.stack.len() * size_of::<Value>() + it.frames.len() * size_of::<Frame>()
        })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Start {
    #[default]
    Begun,
    /// `[Module, Function | Args]` are on the stack.
    Apply,
    /// `[Fun | Args]` are on the stack.
    ApplyFun,
    /// The value that the host computed is on top of the stack.
    Deliver,
    /// The function is entered without arguments.
    Enter(FnId),
    /// `[Class, Reason, Trace]` of an exception that the host raised are on top of the stack.
    DeliverRaise,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) pc: u32,
    pub(crate) base: u32,
}

impl Execution {
    /// Whether the process has not entered its first function yet.
    pub(crate) fn is_new(&self) -> bool {
        matches!(self.start, Start::Apply | Start::ApplyFun | Start::Enter(_))
    }

    /// The initial call: a module, a function and arguments, or a fun and arguments; empty if the process has started.
    pub(crate) fn initial(&self) -> Vec<Value> {
        if self.is_new() { self.stack.clone() } else { Vec::new() }
    }

    pub fn apply(module: Value, function: Value, args: &[Value]) -> Execution {
        let mut stack = vec![module, function];
        stack.extend_from_slice(args);
        Execution { live: stack.len(), stack, start: Start::Apply, ..Execution::default() }
    }

    /// Begins with a function that need not be exported.
    pub(crate) fn enter(function: FnId) -> Execution {
        Execution { start: Start::Enter(function), ..Execution::default() }
    }

    pub fn apply_fun(fun: Value, args: &[Value]) -> Execution {
        let mut stack = vec![fun];
        stack.extend_from_slice(args);
        Execution { live: stack.len(), stack, start: Start::ApplyFun, ..Execution::default() }
    }
}

impl Roots for Execution {
    fn visit(&mut self, visitor: &mut dyn FnMut(&mut [Value])) {
        let live = self.live.min(self.stack.len());
        if let Some(values) = self.stack.get_mut(..live) {
            visitor(values);
        }
    }
}

impl Process {
    pub fn new(pid: PidId, parent: PidId, execution: Execution, dictionary: Value) -> Process {
        Process {
            pid,
            parent,
            execution: Some(execution),
            status: Status::Runnable,
            mailbox: VecDeque::new(),
            letters: VecDeque::new(),
            marks: Marks::default(),
            seen: 0,
            looks: false,
            deadline: None,
            dictionary,
            entered: Entered::default(),
            links: BTreeSet::new(),
            monitors: BTreeMap::new(),
            monitored_by: Vec::new(),
            vain_monitors: Vec::new(),
            aliases: BTreeMap::new(),
            trap_exit: false,
            priority: AtomId::NORMAL,
            flags: BTreeMap::new(),
            group_leader: PidId(0),
            name: None,
            initial_call: (AtomId::ERLANG, AtomId::UNDEFINED, 0),
            n_children: 0,
            n_refs: 0,
            reductions: 0,
            heap_limit: None,
            held_collections: None,
            on_return: OnReturn::Nobody,
            resident: None,
        }
    }
}

impl Roots for Process {
    fn visit(&mut self, visitor: &mut dyn FnMut(&mut [Value])) {
        if let Some(execution) = &mut self.execution {
            execution.visit(visitor);
        }
        let (front, back) = self.mailbox.as_mut_slices();
        visitor(front);
        visitor(back);
        visitor(std::slice::from_mut(&mut self.dictionary));
        self.entered.visit(visitor);
        for monitor in self.monitors.values_mut() {
            visitor(monitor.tag.as_mut_slice());
        }
        for flag in self.flags.values_mut() {
            visitor(std::slice::from_mut(flag));
        }
        for (_, reply) in self.held_collections.iter_mut().flatten() {
            visitor(std::slice::from_mut(reply));
        }
        if let OnReturn::Output { request, .. } = &mut self.on_return {
            visitor(std::slice::from_mut(request));
        }
    }
}
