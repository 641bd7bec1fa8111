//! Nodes: the locations of processes, connections between nodes, and nodes that go down.
//!
//! By default a machine is a single node without a name. With configured names it consists of that many nodes, which
//! are all connected at first. Code and the clock are shared by all nodes; registered names, tables and persistent
//! terms are local to a node. Nodes of other systems can't be reached.

use crate::builtins::Fault;
use crate::builtins::ets::owner_died;
use crate::builtins::make::atom;
use crate::machine::World;
use crate::machine::process::{MonitorTarget, Process};
use crate::machine::signals::Through;
use std::collections::{BTreeMap, BTreeSet};
use values::{AtomId, NodeId, PidId, RefId, Value, View};

/// The state of the connections between the machine's nodes.
#[derive(Clone, Debug, Default)]
pub struct Network {
    down: BTreeSet<NodeId>,
    /// Pairs of nodes that are disconnected, the smaller node first. The next message between them connects them again.
    cut: BTreeSet<(NodeId, NodeId)>,
    /// The subscriptions made by `monitor_node`: process, name of the node, and number of calls.
    watchers: BTreeMap<(PidId, AtomId), u32>,
    /// The subscriptions made by `net_kernel:monitor_nodes`: process, format, and number of calls.
    listeners: BTreeMap<(PidId, News), i64>,
}

/// The format in which a process is told that nodes come up and go down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct News {
    pub(crate) form: NewsForm,
    pub(crate) node_type: bool,
    pub(crate) reason: bool,
    pub(crate) connection: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NewsForm {
    /// `{nodedown, Node}`
    #[default]
    Plain,
    /// `{nodedown, Node, [Info]}`
    List,
    /// `{nodedown, Node, #{...}}`
    Map,
    /// The process listens for a type of nodes that does not exist here, so it is never told.
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeEvent {
    Up,
    Down,
}

impl World {
    /// The node of the running process.
    #[inline]
    pub fn here(&self) -> NodeId {
        self.run.current.node()
    }

    pub fn node_name(&self, node: NodeId) -> AtomId {
        self.heap.nodes.name(node).name
    }

    /// The pid of a process on the running process's node; most builtins fail with `badarg` for all others.
    pub fn local_pid(&self, value: Value) -> Result<PidId, Fault> {
        value.as_pid().filter(|it| it.node() == self.here()).ok_or(Fault::BADARG)
    }

    /// As [`World::local_pid`], but also accepts processes of an earlier incarnation of this node, which have ended.
    pub fn former_pid(&self, value: Value) -> Result<PidId, Fault> {
        value.as_pid().filter(|_| self.node_of(value) == self.here()).ok_or(Fault::BADARG)
    }

    /// The node of a pid, port or reference, even of an earlier incarnation of that node.
    #[inline]
    pub fn node_of(&self, value: Value) -> NodeId {
        let node = if let View::Pid(pid) = value.view() {
            pid.node()
        } else if let View::Port(port) = value.view() {
            port.node()
        } else if let View::Ref(id) = value.view() {
            id.owner.node()
        } else {
            return NodeId::ELSEWHERE;
        };
        if node == NodeId::ELSEWHERE { self.named_node_of(value) } else { node }
    }

    fn named_node_of(&self, value: Value) -> NodeId {
        let nodes = &self.heap.nodes;
        let name = nodes.name_of(value).and_then(|it| nodes.find(it));
        name.unwrap_or(NodeId::ELSEWHERE)
    }

    /// The nodes of the machine that are up.
    pub(crate) fn nodes_up(&self) -> Vec<NodeId> {
        let all = self.heap.nodes.own().iter().filter_map(|it| self.heap.nodes.find(it.name));
        all.filter(|it| self.is_up(*it)).collect()
    }

    pub(crate) fn is_up(&self, node: NodeId) -> bool {
        node != NodeId::ELSEWHERE && !self.run.network.down.contains(&node)
    }

    pub fn is_connected(&self, node: NodeId) -> bool {
        let here = self.here();
        node == here || (self.is_up(node) && !self.run.network.cut.contains(&pair(here, node)))
    }

    /// Whether messages to the node arrive. Connects to the node if necessary.
    #[inline]
    pub fn reaches(&mut self, node: NodeId) -> bool {
        node == self.here() || self.connects(node)
    }

    fn connects(&mut self, node: NodeId) -> bool {
        if !self.is_up(node) {
            return false;
        }
        let here = self.here();
        if self.run.network.cut.remove(&pair(here, node)) {
            self.tell_listeners(here, node, NodeEvent::Up);
            self.tell_listeners(node, here, NodeEvent::Up);
        }
        true
    }

    /// Disconnects a node. Returns whether it was connected.
    pub(crate) fn disconnect(&mut self, node: NodeId) -> bool {
        let here = self.here();
        if node == here || !self.is_connected(node) {
            return false;
        }
        self.run.network.cut.insert(pair(here, node));
        self.lose(here, node);
        self.lose(node, here);
        true
    }

    /// Takes a node down: its processes end without signals, and processes on other nodes are notified of the lost
    /// connection. Returns the processes that ended.
    pub(crate) fn node_down(&mut self, node: NodeId) -> Vec<PidId> {
        let mut gone: Vec<PidId> =
            self.run.processes.keys().copied().filter(|it| it.node() == node).collect();
        for pid in &gone {
            if let Some(process) = self.run.processes.remove(pid) {
                self.vanish(&process);
            }
        }
        gone.extend(self.cut_farewells(node));
        self.run.queue.retain(|it| it.node() != node);
        self.run.registry.retain(|it, _| it.0 != node);
        self.run.shared.node_down(node);
        self.run.network.watchers.retain(|it, _| it.0.node() != node);
        self.run.network.listeners.retain(|it, _| it.0.node() != node);
        self.run.network.cut.retain(|it| it.0 != node && it.1 != node);
        let others: Vec<NodeId> = self.nodes_up().into_iter().filter(|it| *it != node).collect();
        self.run.network.down.insert(node);
        // Processes that wait for a resident of the node look it up again and find none.
        let parts: Vec<AtomId> =
            self.run.residents.keys().filter(|it| it.0 == node).map(|it| it.1).collect();
        for part in parts {
            self.settle(node, part);
        }
        for other in others {
            self.lose(other, node);
        }
        gone
    }

    fn vanish(&mut self, process: &Process) {
        let pid = process.pid;
        self.forget_doom(pid);
        if self.run.schedule.is_none() {
            self.run.timers.drop_for(pid);
        }
        owner_died(self, pid);
        self.files.owner_died(pid);
        self.run.buffers.owner_died(pid);
        self.ports_of_dead(pid, Value::atom(AtomId::KILLED));
        self.bury(process);
    }

    /// Breaks the links, monitors and subscriptions of the processes on node `here` that concern node `there`.
    fn lose(&mut self, here: NodeId, there: NodeId) {
        let reason = Value::atom(AtomId::NOCONNECTION);
        let mine: Vec<PidId> =
            self.run.processes.keys().copied().filter(|it| it.node() == here).collect();
        for pid in mine {
            let Some(process) = self.run.processes.get_mut(&pid) else { continue };
            process.monitored_by.retain(|it| it.1.node() != there);
            let links: Vec<PidId> =
                process.links.iter().copied().filter(|it| it.node() == there).collect();
            process.links.retain(|it| it.node() != there);
            let name = self.heap.nodes.name(there).name;
            let lost = process.monitors.iter().filter(|it| match it.1.target {
                MonitorTarget::Process(pid) => pid.node() == there,
                MonitorTarget::Name(_, node, _) => node == name,
                MonitorTarget::Port(..) | MonitorTarget::TimeOffset => false,
            });
            let lost: Vec<RefId> = lost.map(|it| *it.0).collect();
            for other in links {
                self.exit_signal(other, pid, reason, Through::Link);
            }
            for reference in lost {
                self.down(pid, reference, reason);
            }
        }
        let name = self.node_name(there);
        let nodedown = atom(self, "nodedown");
        let watchers: Vec<(PidId, u32)> = self
            .run
            .network
            .watchers
            .iter()
            .filter(|it| it.0.0.node() == here && it.0.1 == name)
            .map(|it| (it.0.0, *it.1))
            .collect();
        self.run.network.watchers.retain(|it, _| it.0.node() != here || it.1 != name);
        for (pid, times) in watchers {
            for _ in 0..times {
                let message = self.heap.tuple(&[nodedown, Value::atom(name)]);
                self.send(pid, message);
            }
        }
        self.tell_listeners(here, there, NodeEvent::Down);
    }

    fn tell_listeners(&mut self, here: NodeId, there: NodeId, event: NodeEvent) {
        let listeners: Vec<(PidId, News, i64)> = self
            .run
            .network
            .listeners
            .iter()
            .filter(|it| it.0.0.node() == here && it.0.1.form != NewsForm::Never)
            .map(|it| (it.0.0, it.0.1, *it.1))
            .collect();
        for (pid, news, times) in listeners {
            for _ in 0..times {
                let message = self.news(there, event, news);
                self.send(pid, message);
            }
        }
    }

    fn news(&mut self, node: NodeId, event: NodeEvent, news: News) -> Value {
        let tag = atom(self, if event == NodeEvent::Up { "nodeup" } else { "nodedown" });
        let name = Value::atom(self.node_name(node));
        let mut info = Vec::new();
        if news.node_type {
            info.push((atom(self, "node_type"), atom(self, "visible")));
        }
        if news.reason && event == NodeEvent::Down {
            info.push((atom(self, "nodedown_reason"), atom(self, "connection_closed")));
        }
        if news.connection {
            info.push((atom(self, "connection_id"), Value::int(i64::from(node.0) + 1)));
        }
        let info = match news.form {
            NewsForm::Plain | NewsForm::Never => return self.heap.tuple(&[tag, name]),
            NewsForm::Map => self.heap.map(&self.atoms, info),
            NewsForm::List => {
                let pairs: Vec<Value> =
                    info.into_iter().map(|it| self.heap.tuple(&[it.0, it.1])).collect();
                self.heap.list(&pairs)
            }
        };
        self.heap.tuple(&[tag, name, info])
    }

    // Subscriptions to nodes

    pub(crate) fn watch_node(&mut self, name: AtomId) {
        *self.run.network.watchers.entry((self.run.current, name)).or_default() += 1;
    }

    pub(crate) fn unwatch_node(&mut self, name: AtomId) {
        let key = (self.run.current, name);
        if let Some(times) = self.run.network.watchers.get_mut(&key) {
            *times -= 1;
            if *times == 0 {
                self.run.network.watchers.remove(&key);
            }
        }
    }

    /// Subscribes the running process to news of nodes, or cancels its subscription. Returns how often it was
    /// subscribed before.
    pub(crate) fn listen_to_nodes(&mut self, news: News, is_on: bool) -> i64 {
        let key = (self.run.current, news);
        let before = self.run.network.listeners.get(&key).copied().unwrap_or(0);
        if is_on {
            self.run.network.listeners.insert(key, before + 1);
            // On BEAM, residents subscribe before any node is connected; here they may start later, so they are told of
            // all connected nodes.
            if self.me().is_some_and(|it| it.resident.is_some()) {
                let here = self.here();
                for node in self.nodes_up() {
                    if node != here && self.is_connected(node) {
                        let message = self.news(node, NodeEvent::Up, news);
                        self.send(self.run.current, message);
                    }
                }
            }
        } else {
            // One cancellation removes all subscriptions.
            self.run.network.listeners.remove(&key);
        }
        before
    }

    pub(super) fn stop_watching_nodes(&mut self, pid: PidId) {
        self.run.network.watchers.retain(|it, _| it.0 != pid);
        self.run.network.listeners.retain(|it, _| it.0 != pid);
    }

    // The process `net_kernel`

    /// Handles a message to `net_kernel`, which exists on every node: answers requests for authentication with `yes`.
    pub(super) fn ask_net_kernel(&mut self, message: Value) {
        let Some([tag, from, request]) = self.heap.elements(message) else { return };
        let (tag, from, request) = (*tag, *from, *request);
        let is_call = tag.as_atom().is_some_and(|it| self.atoms.name(it) == "$gen_call");
        let asked = self.heap.elements(request).and_then(|it| it.first()?.as_atom());
        let is_auth = asked.is_some_and(|it| self.atoms.name(it) == "is_auth");
        let Some([asker, tag]) = self.heap.elements(from).filter(|_| is_call && is_auth) else {
            return;
        };
        let (asker, tag) = (*asker, *tag);
        let yes = atom(self, "yes");
        let reply = self.heap.tuple(&[tag, yes]);
        // With the tag `[alias | Ref]`, the reply goes to the alias.
        let alias = self.heap.uncons(tag).and_then(|it| it.1.as_ref());
        match alias {
            Some(alias) => self.send_to_alias(alias, reply),
            None => {
                if let Some(asker) = asker.as_pid() {
                    self.send(asker, reply);
                }
            }
        }
    }
}

fn pair(a: NodeId, b: NodeId) -> (NodeId, NodeId) {
    (a.min(b), a.max(b))
}
