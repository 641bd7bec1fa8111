//! Events that the runtime system itself logs: crashes of processes and exceeded heap limits.
//!
//! Such an event is sent as a message to the system logger, as on BEAM, and processed by OTP's `logger`. Whether the
//! logger has a handler that writes to the terminal is a setting.

use crate::builtins::make::{atom, count, string};
use crate::builtins::system_time_micros;
use crate::machine::World;
use crate::machine::inspect::{HeapSize, garbage_collection_info};
use crate::machine::process::{HeapLimit, OnReturn};
use term::read_term;
use values::{NodeId, PidId, Roots, Value, from_term};

/// Whether log events are written to the terminal by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Logging {
    #[default]
    Silent,
    Terminal,
}

/// Events that were logged before the logger was started.
#[derive(Clone, Debug, Default)]
pub struct Logs {
    early: Vec<(NodeId, Value)>,
}

impl Roots for Logs {
    fn visit(&mut self, visitor: &mut dyn FnMut(&mut [Value])) {
        for (_, event) in &mut self.early {
            visitor(std::slice::from_mut(event));
        }
    }
}

/// The handler that `kernel` adds by default.
const HANDLER: &str = "#{config => #{type => standard_io}, filter_default => stop, \
    filters => [{remote_gl, {fun logger_filters:remote_gl/2, stop}}, \
    {domain, {fun logger_filters:domain/2, {log, super, [otp, sasl]}}}, \
    {no_domain, {fun logger_filters:domain/2, {log, undefined, []}}}], \
    formatter => {logger_formatter, #{legacy_header => true, single_line => false}}}";

const CRASHED: &str = "Error in process ~p with exit value:~n~p~n";
const CRASHED_ON_NODE: &str = "Error in process ~p on node ~p with exit value:~n~p~n";
const TOO_LARGE: &str = "     Process:            ~p ~n     Context:            maximum heap size \
    reached~n     Max Heap Size:      ~p~n     Total Heap Size:    ~p~n     Kill:               ~p~n     \
    Error Logger:       ~p~n     Message Queue Len:  ~p~n     GC Info:            ~p~n";

pub(super) fn handler_config(w: &mut World) -> Value {
    match read_term(HANDLER) {
        Ok(config) => from_term(&mut w.heap, &mut w.atoms, &config),
        Err(_) => w.heap.empty_map(),
    }
}

impl World {
    /// Logs that a process ended with an exception other than an exit.
    pub(super) fn log_crash(&mut self, pid: PidId, reason: Value) {
        if self.run.processes.get(&pid).is_none_or(|it| it.on_return != OnReturn::Nobody) {
            return;
        }
        let (format, args) = if self.heap.nodes.is_distributed() {
            let node = Value::atom(self.heap.nodes.name(pid.node()).name);
            (CRASHED_ON_NODE, vec![Value::pid(pid), node, reason])
        } else {
            (CRASHED, vec![Value::pid(pid), reason])
        };
        self.log_error(pid, format, &args);
    }

    pub(super) fn log_heap_limit(&mut self, pid: PidId, limit: HeapLimit, heap: HeapSize) {
        let n_messages = self.run.processes.get(&pid).map_or(0, |it| it.mailbox.len());
        let info = garbage_collection_info(self, heap, 0);
        let (words, total) = (Value::int(limit.words), Value::int(heap.block));
        let (kills, reports) = (Value::bool(limit.kills), Value::bool(limit.reports));
        let args = [Value::pid(pid), words, total, kills, reports, count(n_messages), info];
        self.log_error(pid, TOO_LARGE, &args);
    }

    fn log_error(&mut self, about: PidId, format: &str, args: &[Value]) {
        // In a scheduled or replayed run, logging would be an additional step.
        if self.run.schedule.is_some() || self.replay.is_some() {
            return;
        }
        let Some(to) = self.system_logger(about.node()) else { return };
        let event = self.event(about, format, args);
        match to {
            SystemLogger::Process(pid) => self.send(pid, event),
            SystemLogger::NotYet => {
                self.run.logs.early.push((about.node(), event));
                let name = self.atoms.intern("logger");
                self.boot_unasked(about.node(), name);
            }
        }
    }

    /// The process that receives the runtime's log events on a node; `None` if they are dropped.
    fn system_logger(&self, node: NodeId) -> Option<SystemLogger> {
        let flag = self.atoms.find("system_logger").and_then(|it| self.run.system_flags.get(&it));
        let is_there = |it: &PidId| it.node() == node && self.is_alive(*it);
        if let Some(pid) = flag.and_then(|it| it.as_pid()).filter(is_there) {
            return Some(SystemLogger::Process(pid));
        }
        let name = flag.and_then(|it| it.as_atom()).map(|it| self.atoms.name(it));
        if name == Some("undefined") || self.logging == Logging::Silent {
            return None;
        }
        let proxy = self.atoms.find("logger_proxy").and_then(|it| self.whereis_on(node, it));
        Some(proxy.map_or(SystemLogger::NotYet, SystemLogger::Process))
    }

    /// The event `{log, error, Format, Args, Meta}`.
    fn event(&mut self, about: PidId, format: &str, args: &[Value]) -> Value {
        let leader = self.run.processes.get(&about).map(|it| it.group_leader);
        let how = [("emulator", Value::TRUE), ("tag", atom(self, "error"))];
        let how = self.map_of(&how);
        let meta = [
            ("error_logger", how),
            ("gl", Value::pid(leader.unwrap_or_default())),
            ("pid", Value::pid(about)),
            ("time", Value::int(system_time_micros(self))),
        ];
        let meta = self.map_of(&meta);
        let (format, args) = (string(self, format), self.heap.list(args));
        let event = [atom(self, "log"), atom(self, "error"), format, args, meta];
        self.heap.tuple(&event)
    }

    fn map_of(&mut self, pairs: &[(&str, Value)]) -> Value {
        let pairs = pairs.iter().map(|it| (atom(self, it.0), it.1)).collect();
        self.heap.map(&self.atoms, pairs)
    }

    /// Sends the events that were logged before the logger was started.
    pub(super) fn hand_over_logs(&mut self, node: NodeId) {
        let Some(name) = self.atoms.find("logger_proxy") else { return };
        let Some(proxy) = self.whereis_on(node, name) else { return };
        let (early, others) =
            std::mem::take(&mut self.run.logs.early).into_iter().partition(|it| it.0 == node);
        self.run.logs.early = others;
        let early: Vec<(NodeId, Value)> = early;
        for (_, event) in early {
            self.send(proxy, event);
        }
    }
}

enum SystemLogger {
    Process(PidId),
    /// The default logger, which has not been started yet.
    NotYet,
}
