//! Trace flags: the events for which a process can be traced.

use crate::builtins::{Fault, Stop};
use crate::machine::World;
use values::{PidId, Value, View};

/// A set of trace flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags(u32);

/// The names of the flags, in the reverse of the order in which `trace_info` lists them.
const NAMES: &[&str] = &[
    "timestamp",
    "strict_monotonic_timestamp",
    "monotonic_timestamp",
    "send",
    "receive",
    "set_on_spawn",
    "call",
    "procs",
    "set_on_first_spawn",
    "set_on_link",
    "set_on_first_link",
    "running",
    "exiting",
    "garbage_collection",
    "arity",
    "return_to",
    "silent",
    "scheduler_id",
    "ports",
    "running_ports",
    "running_procs",
];

impl Flags {
    pub(crate) const NONE: Flags = Flags(0);
    pub(crate) const TIMESTAMP: Flags = Flags(1 << 0);
    pub(crate) const STRICT_MONOTONIC: Flags = Flags(1 << 1);
    pub(crate) const MONOTONIC: Flags = Flags(1 << 2);
    pub(crate) const SEND: Flags = Flags(1 << 3);
    pub(crate) const RECEIVE: Flags = Flags(1 << 4);
    pub(crate) const SET_ON_SPAWN: Flags = Flags(1 << 5);
    pub(crate) const CALL: Flags = Flags(1 << 6);
    pub(crate) const PROCS: Flags = Flags(1 << 7);
    pub(crate) const SET_ON_FIRST_SPAWN: Flags = Flags(1 << 8);
    pub(crate) const SET_ON_LINK: Flags = Flags(1 << 9);
    pub(crate) const SET_ON_FIRST_LINK: Flags = Flags(1 << 10);
    pub(crate) const RUNNING: Flags = Flags(1 << 11);
    pub(crate) const EXITING: Flags = Flags(1 << 12);
    pub(crate) const GARBAGE_COLLECTION: Flags = Flags(1 << 13);
    pub(crate) const ARITY: Flags = Flags(1 << 14);
    pub(crate) const RETURN_TO: Flags = Flags(1 << 15);
    pub(crate) const SILENT: Flags = Flags(1 << 16);
    pub(crate) const SCHEDULER_ID: Flags = Flags(1 << 17);
    const PORTS: Flags = Flags(1 << 18);
    const RUNNING_PORTS: Flags = Flags(1 << 19);
    pub(crate) const RUNNING_PROCS: Flags = Flags(1 << 20);
    const ALL: Flags = Flags((1 << 21) - 1);

    /// The flag with a name; the name `all` means all flags.
    pub(crate) fn named(name: &str) -> Option<Flags> {
        if name == "all" {
            return Some(Flags::ALL);
        }
        NAMES.iter().position(|it| *it == name).map(|it| Flags(1 << it))
    }

    pub(crate) fn has(self, any: Flags) -> bool {
        self.0 & any.0 != 0
    }

    pub(crate) fn and(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    pub(crate) fn less(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }

    /// Whether any of the flags concerns processes; some concern ports only.
    pub(crate) fn concern_processes(self) -> bool {
        self.less(Flags::PORTS.and(Flags::RUNNING_PORTS)) != Flags::NONE
    }

    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        let set = move |it: &(usize, &&'static str)| self.0 & (1 << it.0) != 0;
        NAMES.iter().enumerate().rev().filter(set).map(|it| *it.1)
    }
}

/// The contents of a list of trace flags.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Listed {
    pub(crate) flags: Flags,
    pub(crate) tracer: Option<PidId>,
    pub(crate) cpu_timestamp: bool,
}

/// As [`listed`], but `None` for an invalid list.
pub(super) fn read(w: &World, list: Value) -> Option<Listed> {
    listed(w, list).ok().filter(|it| !it.cpu_timestamp)
}

pub(crate) fn listed(w: &World, list: Value) -> Result<Listed, Fault> {
    let mut res = Listed::default();
    for item in w.heap.list_items(list).ok_or(Fault::BADARG)? {
        if let Some(name) = item.as_atom() {
            match (w.atoms.name(name), Flags::named(w.atoms.name(name))) {
                (_, Some(flag)) => res.flags = res.flags.and(flag),
                ("cpu_timestamp", None) => res.cpu_timestamp = true,
                (_, None) => return Err(Fault::BADARG),
            }
            continue;
        }
        res.tracer = Some(tracer(w, item, "tracer")?);
    }
    Ok(res)
}

/// The process in `{tracer, Pid}`. Ports and modules as tracers are not supported.
pub(super) fn tracer(w: &World, item: Value, key: &str) -> Result<PidId, Fault> {
    let unsupported = |what: &str| Err(Stop::Unsupported { what: what.to_owned() }.into());
    match w.heap.elements(item) {
        Some([name, who]) if name.as_atom().is_some_and(|it| w.atoms.name(it) == key) => {
            if let View::Port(_) = who.view() {
                return unsupported("tracing to a port");
            }
            who.as_pid().ok_or(Fault::BADARG)
        }
        Some([name, module, _])
            if name.as_atom().is_some_and(|it| w.atoms.name(it) == key)
                && module.as_atom().is_some() =>
        {
            unsupported("a module that traces")
        }
        _ => Err(Fault::BADARG),
    }
}
