//! A process: what others can see and change of it, and the stack it runs on.

use crate::code::FnId;
use crate::machine::Entered;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use trace::MessageId;
use values::{AtomId, PidId, PortId, RefId, Roots, Value};

#[derive(Clone, Debug)]
pub struct Process {
    pub pid: PidId,
    pub parent: PidId,
    /// Taken out while the process runs.
    pub execution: Option<Execution>,
    pub status: Status,
    pub mailbox: VecDeque<Value>,
    /// What the messages are called, if the run is scheduled.
    pub letters: VecDeque<MessageId>,
    /// References made lately, and how many of the messages there are older than each.
    pub(crate) marks: Marks,
    /// How many messages the current receive has looked at and not taken.
    pub seen: usize,
    /// Whether the current receive looks at messages at all, or only waits.
    pub looks: bool,
    /// When the current receive gives up, on the virtual clock.
    pub deadline: Option<u64>,
    /// The process dictionary, a map.
    pub dictionary: Value,
    /// Its keys, if the run is recorded.
    pub(crate) entered: Entered,
    pub links: BTreeSet<PidId>,
    /// Monitors that this process has set up.
    pub monitors: BTreeMap<RefId, Monitor>,
    /// Who monitors this process, and by which reference.
    pub monitored_by: Vec<(RefId, PidId)>,
    /// Monitors of processes that were gone; it hears of that when it waits or has used up its turn.
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
    /// How large its heap may become.
    pub heap_limit: Option<HeapLimit>,
    /// Collections that others asked for, if it is to have none for a while.
    pub(crate) held_collections: Option<Vec<(PidId, Value)>>,
    pub on_return: OnReturn,
    /// The part of the system that it was started for, directly or not.
    pub resident: Option<AtomId>,
}

/// How many messages of a long mailbox came before a reference was made: they can't hold it, nor
/// any reference made later.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks(Vec<(RefId, usize)>);

impl Marks {
    /// Shorter mailboxes are looked through.
    const LEAST_MESSAGES: usize = 50;
    const MOST: usize = 16;

    pub(crate) fn add(&mut self, reference: RefId, n_older: usize) {
        if n_older < Marks::LEAST_MESSAGES {
            return;
        }
        if self.0.len() == Marks::MOST {
            // Every other one: each that is left stands for those after it.
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

    /// The message at this place was taken.
    pub(crate) fn taken(&mut self, place: usize) {
        for (_, n_older) in &mut self.0 {
            if place < *n_older {
                *n_older -= 1;
            }
        }
    }
}

/// What happens once the heap of a process is larger. There is one heap for all: what a process holds is
/// measured when it has made as much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapLimit {
    pub words: i64,
    pub kills: bool,
    /// Whether it is logged that it is reached.
    pub reports: bool,
    /// Words made since it was measured.
    pub made: i64,
    pub is_due: bool,
}

impl HeapLimit {
    /// Whether a heap that begins with so many words can keep it.
    pub(crate) fn fits(self, least: i64) -> bool {
        self.words == 0 || self.words >= least
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Runnable,
    /// In a receive with nothing to take.
    Waiting,
    Hibernating,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Monitor {
    pub target: MonitorTarget,
    /// What the down message begins with instead of `'DOWN'`.
    pub tag: Option<Value>,
    pub alias: Option<AliasKind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonitorTarget {
    Process(PidId),
    /// Monitored by name on a node; both are in the down message.
    Name(AtomId, AtomId, Option<PidId>),
    /// By itself or by its name, which is in the down message then.
    Port(PortId, Option<AtomId>),
    TimeOffset,
}

/// When an alias ceases to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AliasKind {
    Explicit,
    Demonitor,
    Reply,
}

/// Who waits for the value of a process that runs to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OnReturn {
    Nobody,
    /// It is the call under test.
    Unit,
    /// It formats output: its value is written, and the asker is told.
    Output {
        asker: PidId,
        request: Value,
        device: PidId,
    },
    /// It makes a module ready; whoever loaded that waits.
    OnLoad {
        module: AtomId,
    },
    /// It starts a part of the system and has taken that many steps.
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

/// Where a process is in its program.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    pub(crate) stack: Vec<Value>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) pc: u32,
    pub(crate) base: usize,
    /// How high the registers of all frames reach.
    pub(crate) top: usize,
    /// The values below are in use while the process does not run.
    pub(crate) live: usize,
    /// Not yet begun: module, function and arguments are the first values of the stack.
    pub(crate) start: Start,
}

impl Process {
    /// Bytes of its stack while it does not run.
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
    /// `[Module, Function | Args]` lie on the stack.
    Apply,
    /// `[Fun | Args]` lie on the stack.
    ApplyFun,
    /// The value that the host computed lies on the stack.
    Deliver,
    /// The function is entered without arguments.
    Enter(FnId),
    /// `[Class, Reason, Trace]` that the host raised lie on the stack.
    DeliverRaise,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) pc: u32,
    pub(crate) base: u32,
}

impl Execution {
    /// Whether it has yet to enter its first function.
    pub(crate) fn is_new(&self) -> bool {
        matches!(self.start, Start::Apply | Start::ApplyFun | Start::Enter(_))
    }

    /// What it is to begin with: a module, a function and arguments, or a fun and arguments.
    pub(crate) fn initial(&self) -> Vec<Value> {
        if self.is_new() { self.stack.clone() } else { Vec::new() }
    }

    pub fn apply(module: Value, function: Value, args: &[Value]) -> Execution {
        let mut stack = vec![module, function];
        stack.extend_from_slice(args);
        Execution { live: stack.len(), stack, start: Start::Apply, ..Execution::default() }
    }

    /// A function that may not be exported.
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
