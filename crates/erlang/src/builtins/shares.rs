//! Two columns of the tables of builtins: what a call shares with other processes, and where the BEAM back end runs it.
//!
//! The schedule search asks the first column whether two steps are dependent. The column has no default: a row without
//! it does not compile.

use crate::builtins::Effect;
use trace::Mode;

/// The state that a builtin has in common with other processes. `schedule::touch` finds what a particular call reads
/// and writes, from its arguments and the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shares {
    /// No other process can notice the call, and none can change its result. Measurements (memory, reductions) and
    /// printed output belong here too: their order is not explored.
    Nothing,
    /// The function is Erlang code, and the builtins that it calls say what they share.
    InItsCode,
    /// The whole world: every step of another process depends on the call.
    Everything,
    Spawn,
    /// Starts a process that may be linked to the caller.
    SpawnLinked,
    /// The set of live processes.
    Population,
    GroupLeader(Mode),
    Send,
    ExitSignal,
    /// `Read` makes a link and `Write` removes it: two processes that make the same link do not conflict.
    Link(Mode),
    Monitor,
    Demonitor,
    Unalias,
    Register,
    Unregister,
    /// The process that is registered under a name.
    WhereIs,
    RegisteredNames,
    /// Whether the process in the first argument is alive.
    IsAlive,
    /// A flag of the caller. Only some flags are visible to other processes.
    ProcessFlag,
    /// A flag of the process in the first argument.
    FlagOfOther,
    ProcessInfo,
    StartTimer,
    /// The timer in the first argument.
    Timer(Mode),
    Table(TableUse),
    /// The persistent term whose key is the first argument.
    PersistentTerm(Mode),
    /// All persistent terms.
    PersistentTerms(Mode),
    /// A cell of an array of atomics or counters.
    Cell(Mode),
    /// The clock: a later reading returns a later time.
    Clock,
    /// The counter of unique integers, which affects the result only if the call asks for monotonic ones.
    UniqueInteger,
    /// The connection to the node in the first argument.
    Node(Mode),
    /// The set of connected nodes.
    Nodes,
    /// The environment variable that the first argument names.
    Variable(Mode),
    /// All environment variables.
    Variables,
    /// Settings of the whole runtime.
    SystemFlags(Mode),
    /// The item of `erlang:system_info/1` in the first argument: a setting, a count or a constant.
    SystemInfo,
    /// Ports: sockets and external programs. All of them count as one object.
    Ports(Mode),
    /// The file system and open files, which count as one object.
    Files(Mode),
    /// The object of the reference in the first argument: a stream or a buffer.
    Handle,
    /// The set of loaded modules. Every call of a function reads it without being a step of a schedule, so a step that
    /// changes it is dependent on every other step.
    LoadedCode(Mode),
    /// The list of directories where modules are looked for.
    CodePath(Mode),
}

/// The effect of an operation on the ETS table in its first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableUse {
    New,
    /// Looks up the table that has a name.
    WhereIs,
    Whole(Mode),
    /// The objects whose key is the second argument.
    Key(Mode),
    /// Changes the objects whose key is the second argument; if there are none, nothing changes.
    ChangeKey,
    Insert,
    InsertNew,
    DeleteObject,
    Delete,
    GiveAway,
    Rename,
    SetOptions,
}

/// The items of `erlang:system_info/1` that may change while a program runs, and what they depend on.
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
    /// Settings that `erlang:system_flag/2` changes.
    Flags,
}

impl Shares {
    /// Whether other processes may notice a call or change its result.
    pub const fn is_shared(self) -> bool {
        !matches!(self, Shares::Nothing | Shares::InItsCode)
    }
}

/// Where the BEAM back end runs a builtin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBeam {
    /// On BEAM and on the machine, which compute the same.
    Alike,
    /// As [`OnBeam::Alike`] if this effect is allowed. Used where the arguments decide what the call touches.
    AlikeIf(Effect),
    /// On BEAM only. The machine takes over the recorded result.
    Noted,
    /// As [`OnBeam::Noted`] if this effect is allowed.
    NotedIf(Effect),
    /// By this function of the agent, which does the same and hides what the back end has added.
    ByAgent(&'static str),
    /// Not on BEAM, because it would change the runtime for all later runs.
    Never,
}
