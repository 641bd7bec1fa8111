//! Two columns of the tables of builtins: what a call shares with other processes, and where the BEAM back
//! end runs it.
//!
//! The search of schedules asks the first column whether two steps are dependent. It has no default: a row
//! that does not say what it shares does not compile.

use crate::builtins::Effect;
use trace::Mode;

/// The state that a builtin has in common with other processes. What exactly a call reads and writes depends
/// on its arguments and on the state, and is found by `schedule::touch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shares {
    /// No other process can notice that the call was made, and none can change its result. What is measured
    /// (memory, reductions) and printed counts as this: its order is not explored.
    Nothing,
    /// The function is Erlang code, and the builtins that it calls say what they share.
    InItsCode,
    /// The whole world: every step of another process depends on it.
    Everything,
    Spawn,
    /// A process is started that may be linked to the caller.
    SpawnLinked,
    /// Which processes there are.
    Population,
    GroupLeader(Mode),
    Send,
    ExitSignal,
    /// `Read` makes a link, `Write` ends it: two ends that make the same link do not conflict.
    Link(Mode),
    Monitor,
    Demonitor,
    Unalias,
    Register,
    Unregister,
    /// The process that has a name.
    WhereIs,
    RegisteredNames,
    /// Whether the process in the first argument is alive.
    IsAlive,
    /// A flag of the caller. Only some of them make a difference to others.
    ProcessFlag,
    /// A flag of the process in the first argument.
    FlagOfOther,
    ProcessInfo,
    StartTimer,
    /// The timer in the first argument.
    Timer(Mode),
    Table(TableUse),
    /// The persistent term that has the first argument as its key.
    PersistentTerm(Mode),
    /// All persistent terms.
    PersistentTerms(Mode),
    /// A cell of an array of atomics or counters.
    Cell(Mode),
    /// Whoever looks later sees a later time.
    Clock,
    /// Whoever asks later gets a greater number, if it asks for ordered ones.
    UniqueInteger,
    /// The connection to the node in the first argument.
    Node(Mode),
    /// Which nodes are connected.
    Nodes,
    /// The variable of the operating system's environment that the first argument names.
    Variable(Mode),
    /// The whole environment.
    Variables,
    /// Settings of the whole runtime.
    SystemFlags(Mode),
    /// What `erlang:system_info/1` tells: by its argument, settings, counts, or what never changes.
    SystemInfo,
    /// Ports: sockets and programs outside. All of them are one object.
    Ports(Mode),
    /// The file system and open files, which are one object.
    Files(Mode),
    /// What the reference in the first argument stands for: a stream, a buffer.
    Handle,
    /// Which modules are loaded. Every call of a function reads this without being a step of a schedule, so a
    /// step that changes it is dependent on every other step.
    LoadedCode(Mode),
    /// Where modules are looked for.
    CodePath(Mode),
}

/// What an operation does to the ETS table in its first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableUse {
    New,
    /// Which table has a name.
    WhereIs,
    Whole(Mode),
    /// The objects that have the second argument as their key.
    Key(Mode),
    /// The same; without such objects nothing changes.
    ChangeKey,
    Insert,
    InsertNew,
    DeleteObject,
    Delete,
    GiveAway,
    Rename,
    SetOptions,
}

/// Items of `erlang:system_info/1` that may change while a program runs, and what they depend on.
pub const CHANGING_ITEMS: &[(&str, SystemItem)] = &[
    ("process_count", SystemItem::Population),
    ("procs", SystemItem::Population),
    ("port_count", SystemItem::Ports),
    ("backtrace_depth", SystemItem::Flags),
    ("dirty_cpu_schedulers_online", SystemItem::Flags),
    ("fullsweep_after", SystemItem::Flags),
    ("garbage_collection", SystemItem::Flags),
    ("max_heap_size", SystemItem::Flags),
    ("message_queue_data", SystemItem::Flags),
    ("min_bin_vheap_size", SystemItem::Flags),
    ("min_heap_size", SystemItem::Flags),
    ("multi_scheduling", SystemItem::Flags),
    ("multi_scheduling_blockers", SystemItem::Flags),
    ("normal_multi_scheduling_blockers", SystemItem::Flags),
    ("outstanding_system_requests_limit", SystemItem::Flags),
    ("run_queues", SystemItem::Flags),
    ("schedulers_active", SystemItem::Flags),
    ("schedulers_online", SystemItem::Flags),
    ("schedulers_state", SystemItem::Flags),
    ("system_logger", SystemItem::Flags),
    ("trace_control_word", SystemItem::Flags),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemItem {
    Population,
    Ports,
    /// What `erlang:system_flag/2` changes.
    Flags,
}

impl Shares {
    /// Whether other processes may notice a call, or change what it returns.
    pub const fn is_shared(self) -> bool {
        !matches!(self, Shares::Nothing | Shares::InItsCode)
    }
}

/// Where the BEAM back end runs a builtin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBeam {
    /// On BEAM and on the machine, which compute the same.
    Alike,
    /// The same, if this effect is allowed; the row's own effect says nothing as the arguments decide.
    AlikeIf(Effect),
    /// On BEAM alone. The machine is told the result.
    Noted,
    /// The same, if this effect is allowed.
    NotedIf(Effect),
    /// By a function of the agent, which does the same and hides what the back end has added.
    ByAgent(&'static str),
    /// Not on BEAM, where it would change the runtime for all runs that follow.
    Never,
}
