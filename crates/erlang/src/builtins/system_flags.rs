//! Settings of the runtime system (`system_flag`) and its monitor (`system_monitor`).
//!
//! Few settings change what a program computes; all are stored and checked as on BEAM.

use crate::builtins::arithmetic::{arg, badarg};
use crate::builtins::make::atom;
use crate::builtins::process_flags::{
    HEAP_WORDS, N_SCHEDULERS, heap_size_of, max_heap_size, sweeps,
};
use crate::builtins::{Builtin, Fault, OnBeam, Shares, inside};
use crate::machine::World;
use crate::machine::inspect::flag;
use crate::machine::queue::Schedulers;
use trace::Mode;
use values::{AtomId, Value};

pub(super) const ROWS: &[Builtin] = &[
    inside(
        "erlang",
        "system_flag",
        2,
        Shares::SystemFlags(Mode::Write),
        OnBeam::Never,
        system_flag,
    ),
    inside(
        "erlang",
        "system_monitor",
        0,
        Shares::SystemFlags(Mode::Read),
        OnBeam::Never,
        |w, _| Ok(monitor(w)),
    ),
    inside(
        "erlang",
        "system_monitor",
        1,
        Shares::SystemFlags(Mode::Write),
        OnBeam::Never,
        |w, args| {
            let undefined = Value::atom(AtomId::UNDEFINED);
            let (whom, options) = match w.heap.elements(arg(args, 0)) {
                Some([whom, options]) => (*whom, *options),
                _ if arg(args, 0).same_word(undefined) => (undefined, Value::NIL),
                _ => return Err(Fault::BADARG),
            };
            set_monitor(w, whom, options)
        },
    ),
    inside(
        "erlang",
        "system_monitor",
        2,
        Shares::SystemFlags(Mode::Write),
        OnBeam::Never,
        |w, args| set_monitor(w, arg(args, 0), arg(args, 1)),
    ),
];

pub(super) const OUTSTANDING_REQUESTS: i64 = 4;
const MAX_DEPTH: i64 = 64;
const USUAL_DEPTH: i64 = 8;

fn system_flag(w: &mut World, args: &[Value]) -> Result<Value, Fault> {
    let (name, value) = (badarg(arg(args, 0).as_atom())?, arg(args, 1));
    let text = w.atoms.name(name).to_owned();
    let me = w.run.current;
    let number = |range: std::ops::RangeInclusive<i64>| {
        value.as_int().filter(|it| range.contains(it)).map(Value::int)
    };
    let (old, new) = match text.as_str() {
        "backtrace_depth" => {
            let depth = value.as_int().filter(|it| *it >= 0);
            (Value::int(USUAL_DEPTH), depth.map(|it| Value::int(it.min(MAX_DEPTH))))
        }
        "fullsweep_after" => (flag(w, me, &text), sweeps(value)),
        "min_heap_size" | "min_bin_vheap_size" => {
            let words = value.as_int().filter(|it| *it >= 0);
            (flag(w, me, &text), words.map(|it| Value::int(heap_size_of(it))))
        }
        "max_heap_size" => {
            let limit = max_heap_size(w, value).filter(|it| it.1.fits(HEAP_WORDS));
            (flag(w, me, &text), limit.map(|it| it.0))
        }
        "schedulers_online" | "dirty_cpu_schedulers_online" => {
            (Value::int(N_SCHEDULERS), number(1..=N_SCHEDULERS))
        }
        "outstanding_system_requests_limit" => {
            (Value::int(OUTSTANDING_REQUESTS), number(1..=i64::from(u32::MAX)))
        }
        "multi_scheduling" => return block(w, value),
        "scheduler_wall_time" => (Value::FALSE, value.as_bool().map(Value::bool)),
        "microstate_accounting" => {
            let is_reset = value.as_atom().is_some_and(|it| w.atoms.name(it) == "reset");
            let state = w.run.system_flags.get(&name).copied().unwrap_or(Value::FALSE);
            if is_reset {
                return Ok(state);
            }
            (Value::FALSE, value.as_bool().map(Value::bool))
        }
        "trace_control_word" => {
            let new = value.as_int().and_then(|it| u32::try_from(it).ok());
            let old = w.tracing_control_word();
            w.set_tracing_control_word(badarg(new)?);
            return Ok(Value::int(i64::from(old)));
        }
        "time_offset" => return Ok(atom(w, "final")),
        // The process that receives log events of the runtime system itself.
        "system_logger" => {
            let given = value.as_atom().map(|it| w.atoms.name(it));
            let is_good = matches!(given, Some("logger" | "undefined")) || value.as_pid().is_some();
            // A logger process that has ended no longer counts.
            let last = w.run.system_flags.get(&name).and_then(|it| it.as_pid());
            if last.is_some_and(|it| !w.is_alive(it)) {
                w.run.system_flags.remove(&name);
            }
            (atom(w, "logger"), is_good.then_some(value))
        }
        _ => return Err(Fault::BADARG),
    };
    let before = w.run.system_flags.insert(name, badarg(new)?);
    // Defaults of processes are returned as the current process sees them.
    Ok(before.unwrap_or(old))
}

/// Blocks or unblocks multi-scheduling. It matters for scheduling: with one scheduler only, a busy process of high
/// priority keeps all others from running.
fn block(w: &mut World, value: Value) -> Result<Value, Fault> {
    let (key, adds) = match value.as_atom().map(|it| w.atoms.name(it)) {
        Some("block") => ("multi_scheduling_blockers", true),
        Some("unblock") => ("multi_scheduling_blockers", false),
        Some("block_normal") => ("normal_multi_scheduling_blockers", true),
        Some("unblock_normal") => ("normal_multi_scheduling_blockers", false),
        _ => return Err(Fault::BADARG),
    };
    let (key, me) = (w.atoms.intern(key), Value::pid(w.run.current));
    let before = w.run.system_flags.get(&key).copied().unwrap_or(Value::NIL);
    let mut blockers = w.heap.list_items(before).unwrap_or_default();
    if adds {
        blockers.push(me);
    } else if let Some(place) = blockers.iter().position(|it| it.same_word(me)) {
        blockers.remove(place);
    }
    let blockers = w.heap.list(&blockers);
    w.run.system_flags.insert(key, blockers);
    Ok(scheduling(w))
}

fn is_blocked(w: &World, key: &str) -> bool {
    let flag = w.atoms.find(key).and_then(|it| w.run.system_flags.get(&it));
    flag.is_some_and(|it| !it.is_nil())
}

impl World {
    /// Returns how many schedulers run processes, as far as the program can tell.
    pub(crate) fn schedulers(&self) -> Schedulers {
        if self.run.system_flags.is_empty() {
            return Schedulers::Two;
        }
        let online = self.atoms.find("schedulers_online");
        let online =
            online.and_then(|it| self.run.system_flags.get(&it)).and_then(|it| it.as_int());
        let is_one = is_blocked(self, "multi_scheduling_blockers")
            || is_blocked(self, "normal_multi_scheduling_blockers")
            || online == Some(1);
        if is_one { Schedulers::One } else { Schedulers::Two }
    }
}

pub(super) fn scheduling(w: &mut World) -> Value {
    let state = if is_blocked(w, "multi_scheduling_blockers") {
        "blocked"
    } else if is_blocked(w, "normal_multi_scheduling_blockers") {
        "blocked_normal"
    } else {
        "enabled"
    };
    atom(w, state)
}

/// Returns the system monitor and the events that it asked for.
fn monitor(w: &mut World) -> Value {
    let name = w.atoms.intern("system_monitor");
    w.run.system_flags.get(&name).copied().unwrap_or(Value::atom(AtomId::UNDEFINED))
}

/// The events in BEAM's order, and whether each takes a limit.
const EVENTS: &[(&str, bool)] = &[
    ("busy_dist_port", false),
    ("busy_port", false),
    ("large_heap", true),
    ("long_schedule", true),
    ("long_gc", true),
];

/// Sets the system monitor. None of its events ever occurs here.
fn set_monitor(w: &mut World, whom: Value, options: Value) -> Result<Value, Fault> {
    let old = monitor(w);
    let options = badarg(w.heap.list_items(options))?;
    let mut wanted = Vec::new();
    for option in options {
        let (name, limit) = match w.heap.elements(option) {
            Some([name, limit]) => (*name, Some(badarg(limit.as_int().filter(|it| *it > 0))?)),
            _ => (option, None),
        };
        let text = w.atoms.name(badarg(name.as_atom())?);
        let event = EVENTS.iter().position(|it| (it.0, it.1) == (text, limit.is_some()));
        wanted.push((badarg(event)?, name, limit));
    }
    let name = w.atoms.intern("system_monitor");
    if whom.is_atom(AtomId::UNDEFINED) || wanted.is_empty() {
        w.run.system_flags.remove(&name);
        return Ok(old);
    }
    badarg(whom.as_pid().filter(|it| w.is_alive(*it)))?;
    wanted.sort_by_key(|it| it.0);
    wanted.dedup_by_key(|it| it.0);
    let mut items = Vec::new();
    for (event, name, limit) in wanted {
        let is_heap = EVENTS.get(event).is_some_and(|it| it.0 == "large_heap");
        items.push(match limit {
            Some(limit) => {
                let limit = if is_heap { limit.max(LEAST_LARGE_HEAP) } else { limit };
                w.heap.tuple(&[name, Value::int(limit)])
            }
            None => name,
        });
    }
    let items = w.heap.list(&items);
    let setting = w.heap.tuple(&[whom, items]);
    w.run.system_flags.insert(name, setting);
    Ok(old)
}

/// The smallest limit, in words, that BEAM accepts for the event `large_heap`.
const LEAST_LARGE_HEAP: i64 = 16_384;
