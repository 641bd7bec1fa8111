//! Ports: external programs, files in memory and sockets, with which processes exchange messages.
//!
//! A port has an owner, links and monitors. It ends with its owner, or when its program has no more output.

use crate::builtins::make::atom;
use crate::host::{ProgramEvent, ProgramId, Programs, Sockets};
use crate::machine::World;
use crate::machine::memory_file::{MemoryFile, Response};
use crate::machine::signals::Through;
use crate::machine::sockets::Socket;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use values::{AtomId, PidId, PortId, RefId, Value};

#[derive(Debug, Default)]
pub struct Ports {
    pub(crate) host: Option<Box<dyn Programs>>,
    pub(crate) network: Option<Box<dyn Sockets>>,
    pub(crate) open: BTreeMap<PortId, Port>,
    pub(crate) names: BTreeMap<AtomId, PortId>,
    pub(crate) n_opened: u64,
}

#[derive(Debug)]
pub struct Port {
    pub(crate) owner: PidId,
    pub(crate) name: String,
    pub(crate) registered: Option<AtomId>,
    pub(crate) links: BTreeSet<PidId>,
    pub(crate) watchers: Vec<(RefId, PidId)>,
    pub(crate) options: PortOptions,
    pub(crate) behind: Behind,
    /// The value set by `erlang:port_set_data`.
    pub(crate) data: Value,
    /// Output that is not a complete line or packet yet.
    pub(crate) partial: Vec<u8>,
    pub(crate) n_in: u64,
    pub(crate) n_out: u64,
    pub(crate) is_silent: bool,
}

/// The external end of a port.
#[derive(Debug)]
pub(crate) enum Behind {
    Program { id: ProgramId, os_process: u32 },
    Memory(MemoryFile),
    Socket(Box<Socket>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortOptions {
    pub(crate) is_binary: bool,
    pub(crate) tells_eof: bool,
    pub(crate) tells_status: bool,
    pub(crate) framing: Framing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    Stream,
    Line(usize),
    /// Packets with a length field of this many bytes.
    Packet(usize),
}

impl Ports {
    pub(crate) fn of(host: Box<dyn Programs>, network: Box<dyn Sockets>) -> Ports {
        Ports { host: Some(host), network: Some(network), ..Ports::default() }
    }

    pub(crate) fn add(&mut self, port: Port) -> PortId {
        self.n_opened += 1;
        let id = PortId(self.n_opened);
        self.open.insert(id, port);
        id
    }

    pub(crate) fn sockets(&self) -> impl Iterator<Item = (PortId, &Socket)> {
        self.open.iter().filter_map(|(id, port)| match &port.behind {
            Behind::Socket(socket) => Some((*id, &**socket)),
            Behind::Program { .. } | Behind::Memory(_) => None,
        })
    }

    /// Closes all ports at the end of a run.
    pub(crate) fn reset(&mut self) {
        self.open.clear();
        self.names.clear();
        self.n_opened = 0;
        if let Some(host) = &mut self.host {
            host.reset();
        }
        if let Some(network) = &mut self.network {
            network.reset();
        }
    }

    /// Whether an external program may still produce output.
    pub(crate) fn has_programs(&self) -> bool {
        let is_live = |it: &Port| !it.is_silent && matches!(it.behind, Behind::Program { .. });
        self.open.values().any(is_live)
    }

    pub(crate) fn linked_to(&self, pid: PidId) -> Vec<PortId> {
        self.open.iter().filter(|it| it.1.links.contains(&pid)).map(|it| *it.0).collect()
    }

    pub(crate) fn visit_roots(&mut self, visit: &mut dyn FnMut(&mut [Value])) {
        for port in self.open.values_mut() {
            visit(std::slice::from_mut(&mut port.data));
        }
    }
}

impl Port {
    pub(crate) fn new(owner: PidId, name: String, options: PortOptions, behind: Behind) -> Port {
        Port {
            owner,
            name,
            registered: None,
            links: BTreeSet::from([owner]),
            watchers: Vec::new(),
            options,
            behind,
            data: Value::atom(AtomId::UNDEFINED),
            partial: Vec::new(),
            n_in: 0,
            n_out: 0,
            is_silent: false,
        }
    }
}

/// How long programs are awaited before sockets are polled, if both are awaited.
const TURN: Duration = Duration::from_millis(2);

impl World {
    /// Whether an external program or socket may still produce an event.
    pub(super) fn awaits_outside(&self) -> bool {
        !self.ports.open.is_empty()
            && (self.ports.has_programs() || !self.socket_wishes().is_empty())
    }

    /// Takes the events of programs and sockets, and waits for them at most as long as `limit`. Returns how long it
    /// waited.
    pub(super) fn listen(&mut self, limit: Duration) -> Duration {
        let wishes = self.socket_wishes();
        if wishes.is_empty() {
            return self.listen_to_programs(limit);
        }
        let turn = if self.ports.has_programs() { limit.min(TURN) } else { limit };
        let Some(network) = &mut self.ports.network else { return Duration::ZERO };
        let (ready, elapsed) = network.wait(&wishes, turn);
        for wish in ready {
            self.socket_ready(wish);
        }
        if self.ports.has_programs() {
            return elapsed + self.listen_to_programs(Duration::ZERO);
        }
        elapsed
    }

    fn listen_to_programs(&mut self, limit: Duration) -> Duration {
        let Some(host) = &mut self.ports.host else { return Duration::ZERO };
        let (events, elapsed) = host.listen(limit);
        for (program, event) in events {
            let port = self
                .ports
                .open
                .iter()
                .find(|it| matches!(it.1.behind, Behind::Program { id, .. } if id == program));
            if let Some(id) = port.map(|it| *it.0) {
                self.port_event(id, event);
            }
        }
        elapsed
    }

    fn port_event(&mut self, id: PortId, event: ProgramEvent) {
        match event {
            ProgramEvent::Output(bytes) => self.port_output(id, &bytes),
            ProgramEvent::End => {
                self.flush_partial(id);
                let waits = self.ports.open.get(&id).is_some_and(|it| it.options.tells_status);
                if !waits {
                    self.port_ended(id);
                }
            }
            ProgramEvent::Exited(status) => {
                let tells = self.ports.open.get(&id).is_some_and(|it| it.options.tells_status);
                if tells {
                    let status = Value::int(i64::from(status));
                    let said = [atom(self, "exit_status"), status];
                    let said = self.heap.tuple(&said);
                    self.port_says(id, said);
                    self.port_ended(id);
                }
            }
            ProgramEvent::Failed(errno) => {
                let reason = atom(self, errno.0);
                self.close_port(id, reason);
            }
        }
    }

    /// Handles the end of a program's output: the port closes, unless its owner wants to be told with `eof`.
    fn port_ended(&mut self, id: PortId) {
        let Some(port) = self.ports.open.get_mut(&id) else { return };
        port.is_silent = true;
        if port.options.tells_eof {
            let eof = atom(self, "eof");
            self.port_says(id, eof);
        } else {
            self.close_port(id, Value::atom(AtomId::NORMAL));
        }
    }

    fn port_output(&mut self, id: PortId, bytes: &[u8]) {
        let Some(port) = self.ports.open.get_mut(&id) else { return };
        port.n_in += bytes.len() as u64;
        match port.options.framing {
            Framing::Stream => self.port_data(id, bytes),
            Framing::Line(max) => {
                let mut whole = std::mem::take(&mut port.partial);
                whole.extend_from_slice(bytes);
                let mut rest = whole.as_slice();
                loop {
                    let end = rest.iter().take(max + 1).position(|it| *it == b'\n');
                    let (line, after, kind) = match end {
                        Some(end) => (rest.get(..end), rest.get(end + 1..), "eol"),
                        None if rest.len() > max => (rest.get(..max), rest.get(max..), "noeol"),
                        None => break,
                    };
                    self.port_line(id, line.unwrap_or_default(), kind);
                    rest = after.unwrap_or_default();
                }
                let rest = rest.to_vec();
                if let Some(port) = self.ports.open.get_mut(&id) {
                    port.partial = rest;
                }
            }
            Framing::Packet(n) => {
                let mut whole = std::mem::take(&mut port.partial);
                whole.extend_from_slice(bytes);
                let mut rest = whole.as_slice();
                while let Some((head, after)) = rest.split_at_checked(n) {
                    let len = head.iter().fold(0usize, |acc, it| acc << 8 | usize::from(*it));
                    let Some((packet, next)) = after.split_at_checked(len) else { break };
                    self.port_data(id, packet);
                    rest = next;
                }
                let rest = rest.to_vec();
                if let Some(port) = self.ports.open.get_mut(&id) {
                    port.partial = rest;
                }
            }
        }
    }

    fn flush_partial(&mut self, id: PortId) {
        let Some(port) = self.ports.open.get_mut(&id) else { return };
        let rest = std::mem::take(&mut port.partial);
        if matches!(port.options.framing, Framing::Line(_)) && !rest.is_empty() {
            self.port_line(id, &rest, "noeol");
        }
    }

    fn port_line(&mut self, id: PortId, line: &[u8], kind: &str) {
        let line = self.port_bytes(id, line);
        let kind = atom(self, kind);
        let line = self.heap.tuple(&[kind, line]);
        let data = [atom(self, "data"), line];
        let said = self.heap.tuple(&data);
        self.port_says(id, said);
    }

    fn port_data(&mut self, id: PortId, bytes: &[u8]) {
        let bytes = self.port_bytes(id, bytes);
        let data = [atom(self, "data"), bytes];
        let said = self.heap.tuple(&data);
        self.port_says(id, said);
    }

    /// Bytes as a binary or a list, according to the port's options.
    fn port_bytes(&mut self, id: PortId, bytes: &[u8]) -> Value {
        if self.ports.open.get(&id).is_some_and(|it| it.options.is_binary) {
            return self.heap.binary(bytes);
        }
        let items: Vec<Value> = bytes.iter().map(|it| Value::int(i64::from(*it))).collect();
        self.heap.list(&items)
    }

    /// Sends `{Port, What}` to the port's owner.
    fn port_says(&mut self, id: PortId, what: Value) {
        let Some(owner) = self.ports.open.get(&id).map(|it| it.owner) else { return };
        let message = self.heap.tuple(&[Value::port(id), what]);
        self.send(owner, message);
    }

    /// Writes bytes to the external end of a port.
    pub(crate) fn command_port(&mut self, id: PortId, bytes: &[u8]) {
        let Some(port) = self.ports.open.get_mut(&id) else { return };
        port.n_out += bytes.len() as u64;
        match &mut port.behind {
            Behind::Program { id: program, .. } => {
                let program = *program;
                let framed = match port.options.framing {
                    Framing::Packet(n) => {
                        let len = (bytes.len() as u64).to_be_bytes();
                        let head = len.get(len.len().saturating_sub(n)..).unwrap_or_default();
                        [head, bytes].concat()
                    }
                    Framing::Stream | Framing::Line(_) => bytes.to_vec(),
                };
                if let Some(host) = &mut self.ports.host {
                    host.write(program, framed);
                }
            }
            Behind::Socket(_) => crate::builtins::sockets::command(self, id, bytes),
            Behind::Memory(file) => {
                let Some(Response { head, data }) = file.command(bytes) else { return };
                let is_binary = port.options.is_binary;
                let tail = match data {
                    Some(data) if is_binary => self.heap.binary(&data),
                    Some(data) => self.port_bytes(id, &data),
                    None => Value::NIL,
                };
                let head: Vec<Value> = head.iter().map(|it| Value::int(i64::from(*it))).collect();
                let bytes = self.heap.list_with_tail(&head, tail);
                let data = [atom(self, "data"), bytes];
                let said = self.heap.tuple(&data);
                self.port_says(id, said);
            }
        }
    }

    /// Closes a port and notifies its links and monitors.
    pub(crate) fn close_port(&mut self, id: PortId, reason: Value) {
        let Some(port) = self.ports.open.remove(&id) else { return };
        if let Some(name) = port.registered {
            self.ports.names.remove(&name);
        }
        match &port.behind {
            Behind::Program { id: program, .. } => {
                if let Some(host) = &mut self.ports.host {
                    host.close(*program);
                }
            }
            Behind::Socket(socket) => self.drop_socket(id, socket),
            Behind::Memory(_) => (),
        }
        for pid in port.links {
            self.signal(Value::port(id), pid, reason, Through::Link);
        }
        for (reference, watcher) in port.watchers {
            self.down(watcher, reference, reason);
        }
    }

    /// Handles an exit signal to a port. The reason `normal` is ignored unless it comes from the owner.
    pub(crate) fn port_signal(&mut self, from: PidId, id: PortId, reason: Value) {
        let Some(port) = self.ports.open.get(&id) else { return };
        if reason.is_atom(AtomId::NORMAL) && port.owner != from {
            return;
        }
        let reason =
            if reason.is_atom(AtomId::KILL) { Value::atom(AtomId::KILLED) } else { reason };
        self.close_port(id, reason);
    }

    /// Handles the end of a process: its ports close and its monitors of ports are removed.
    pub(super) fn ports_of_dead(&mut self, pid: PidId, reason: Value) {
        if self.ports.open.is_empty() {
            return;
        }
        for port in self.ports.open.values_mut() {
            port.watchers.retain(|it| it.1 != pid);
        }
        for id in self.ports.linked_to(pid) {
            if let Some(port) = self.ports.open.get_mut(&id) {
                port.links.remove(&pid);
            }
            self.port_signal(pid, id, reason);
        }
        let owned: Vec<PortId> =
            self.ports.open.iter().filter(|it| it.1.owner == pid).map(|it| *it.0).collect();
        for id in owned {
            self.close_port(id, reason);
        }
    }

    /// Handles `Port ! {Owner, Request}`. An invalid message ends the sender with `badsig`.
    pub(super) fn send_to_port(&mut self, id: PortId, message: Value) {
        let Some(owner) = self.ports.open.get(&id).map(|it| it.owner) else { return };
        let parts = self.heap.elements(message).map(<[Value]>::to_vec).unwrap_or_default();
        let (from, request) = match parts.as_slice() {
            [from, request] => (from.as_pid(), *request),
            _ => (None, Value::NIL),
        };
        if from != Some(owner) || !self.port_request(id, request) {
            let badsig = atom(self, "badsig");
            let me = self.run.current;
            self.signal(Value::port(id), me, badsig, Through::Link);
        }
    }

    fn port_request(&mut self, id: PortId, request: Value) -> bool {
        let close = atom(self, "close");
        if request.same_word(close) {
            let said = atom(self, "closed");
            self.port_says(id, said);
            self.close_port(id, Value::atom(AtomId::NORMAL));
            return true;
        }
        let Some([name, value]) = self.heap.elements(request) else { return false };
        let (name, value) = (*name, *value);
        match name.as_atom().map(|it| self.atoms.name(it)) {
            Some("command") => match crate::builtins::iolist_bytes(self, value) {
                Some(bytes) => {
                    self.command_port(id, &bytes);
                    true
                }
                None => false,
            },
            Some("connect") => match value.as_pid() {
                Some(new) => {
                    let said = atom(self, "connected");
                    self.port_says(id, said);
                    if let Some(port) = self.ports.open.get_mut(&id) {
                        port.owner = new;
                        port.links.insert(new);
                    }
                    true
                }
                None => false,
            },
            _ => false,
        }
    }
}
