//! The nodes that pids, ports and references belong to.
//!
//! Identities of the machine's own nodes carry their node in a few bits. Those of other nodes, which come only from
//! binaries and inputs, are interned in a table here, so that equal ones have equal words. Knows the names of nodes,
//! not whether a node can be reached.

use crate::value::{NodeId, PidId, PortId, RefId, Value, View};
use crate::{AtomId, Atoms};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use term::fit_u32;

#[derive(Clone, Debug)]
pub struct Nodes {
    own: Vec<NodeName>,
    elsewhere: Vec<Identity>,
    places: FxHashMap<Identity, u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeName {
    pub name: AtomId,
    /// Tells two incarnations of a node with the same name apart.
    pub creation: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    pub node: NodeName,
    pub number: Number,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    Pid {
        id: u32,
        serial: u32,
    },
    Port(u64),
    /// The words in the order of the external term format: the last one is the most significant.
    Ref(Vec<u32>),
}

/// The name of a node that is not distributed.
const ALONE: NodeName = NodeName { name: AtomId::NONODE, creation: 0 };

impl Default for Nodes {
    fn default() -> Nodes {
        Nodes { own: vec![ALONE], elsewhere: Vec::new(), places: FxHashMap::default() }
    }
}

impl Nodes {
    // The machine's own nodes

    pub fn own(&self) -> &[NodeName] {
        &self.own
    }

    /// Whether the machine's nodes have names, so that they can be connected.
    pub fn is_distributed(&self) -> bool {
        self.own.first() != Some(&ALONE)
    }

    /// Names the machine's nodes. At most 15 nodes get a number; further names are ignored.
    pub fn name_own(&mut self, names: &[AtomId]) {
        let named = names.iter().take(usize::from(NodeId::ELSEWHERE.0));
        self.own = named.map(|it| NodeName { name: *it, creation: 1 }).collect();
        if self.own.is_empty() {
            self.own.push(ALONE);
        }
    }

    pub fn find(&self, name: AtomId) -> Option<NodeId> {
        let place = self.own.iter().position(|it| it.name == name)?;
        u8::try_from(place).ok().map(NodeId)
    }

    pub fn name(&self, node: NodeId) -> NodeName {
        self.own.get(usize::from(node.0)).copied().unwrap_or(ALONE)
    }

    /// Returns the names of all known nodes, the machine's own ones first.
    pub fn known(&self) -> Vec<AtomId> {
        let mut res: Vec<AtomId> = self.own.iter().map(|it| it.name).collect();
        for identity in &self.elsewhere {
            if !res.contains(&identity.node.name) {
                res.push(identity.node.name);
            }
        }
        res
    }

    // Reading identities

    /// Returns the node, id and serial of a pid.
    pub fn pid(&self, pid: PidId) -> (NodeName, u32, u32) {
        if pid.node() != NodeId::ELSEWHERE {
            let (id, serial) = pid.parts();
            return (self.name(pid.node()), id, serial);
        }
        match self.elsewhere(pid.number()) {
            Some(Identity { node, number: Number::Pid { id, serial } }) => (*node, *id, *serial),
            _ => (ALONE, 0, 0),
        }
    }

    pub fn port(&self, port: PortId) -> (NodeName, u64) {
        if port.node() != NodeId::ELSEWHERE {
            return (self.name(port.node()), port.number());
        }
        match u32::try_from(port.number()).ok().and_then(|it| self.elsewhere(it)) {
            Some(Identity { node, number: Number::Port(id) }) => (*node, *id),
            _ => (ALONE, 0),
        }
    }

    pub fn reference(&self, id: RefId) -> (NodeName, Words<'_>) {
        let node = id.owner.node();
        if node != NodeId::ELSEWHERE {
            let (low, high) = (id.n & (FIRST_WORD - 1), id.n / FIRST_WORD);
            return (self.name(node), Words::Own([low, id.owner.number(), high]));
        }
        match self.elsewhere(id.owner.number()) {
            Some(Identity { node, number: Number::Ref(words) }) => (*node, Words::Kept(words)),
            _ => (ALONE, Words::Kept(&[])),
        }
    }

    /// Returns the name of the node of a pid, port or reference; `None` for any other value.
    pub fn name_of(&self, value: Value) -> Option<AtomId> {
        self.node_of(value).map(|it| it.name)
    }

    /// Whether the value is a pid, port or reference of another node than `here`.
    pub fn is_foreign(&self, here: NodeId, value: Value) -> bool {
        self.node_of(value).is_some_and(|it| self.own_of(it) != Some(here))
    }

    pub fn node_of(&self, value: Value) -> Option<NodeName> {
        if let View::Pid(pid) = value.view() {
            Some(self.pid(pid).0)
        } else if let View::Ref(id) = value.view() {
            Some(self.reference(id).0)
        } else if let View::Port(port) = value.view() {
            Some(self.port(port).0)
        } else {
            None
        }
    }

    fn elsewhere(&self, place: u32) -> Option<&Identity> {
        self.elsewhere.get(place as usize)
    }

    /// Returns the number that stands for a node in the text of a pid or reference on the node `seen_from`; 0 is that
    /// node itself.
    pub fn shown_as(&self, seen_from: NodeId, name: AtomId) -> usize {
        if self.name(seen_from).name == name {
            return 0;
        }
        let n_own = self.own.len();
        match self.own.iter().position(|it| it.name == name) {
            // Outside the machine the first node is printed as 0, so among the machine's nodes it gets the number after
            // theirs.
            Some(0) => n_own,
            Some(place) => place,
            None => {
                let known = self.known();
                let place = known.iter().position(|it| *it == name).unwrap_or(known.len());
                place + usize::from(n_own > 1)
            }
        }
    }

    // Making identities

    pub fn make_pid(&mut self, node: NodeName, id: u32, serial: u32) -> PidId {
        match (self.own_of(node), PidId::from_parts(id, serial)) {
            (Some(node), Some(pid)) => pid.on(node),
            _ => PidId(self.keep(Identity { node, number: Number::Pid { id, serial } }))
                .on(NodeId::ELSEWHERE),
        }
    }

    pub fn make_port(&mut self, node: NodeName, id: u64) -> PortId {
        match self.own_of(node) {
            Some(node) if id <= PortId::MAX_NUMBER => PortId(id).on(node),
            _ => {
                let place = self.keep(Identity { node, number: Number::Port(id) });
                PortId(u64::from(place)).on(NodeId::ELSEWHERE)
            }
        }
    }

    pub fn make_reference(&mut self, node: NodeName, words: &[u32]) -> RefId {
        let word = |place: usize| words.get(place).copied().unwrap_or(0);
        let (low, owner, high) = (word(0), PidId(word(1)), word(2));
        if let Some(node) = self.own_of(node)
            && significant(words).len() <= 3
            && low < FIRST_WORD
            && owner.node() == NodeId::FIRST
            && let Some(n) = high.checked_mul(FIRST_WORD)
        {
            return RefId { owner: owner.on(node), n: n | low };
        }
        let place = self.keep(Identity { node, number: Number::Ref(words.to_vec()) });
        RefId { owner: PidId(place).on(NodeId::ELSEWHERE), n: 0 }
    }

    /// Returns the number of the machine's node with this name and creation. `nonode@nohost` is the first node.
    fn own_of(&self, node: NodeName) -> Option<NodeId> {
        if node == ALONE {
            return Some(NodeId::FIRST);
        }
        self.find(node.name).filter(|it| self.name(*it) == node)
    }

    fn keep(&mut self, identity: Identity) -> u32 {
        let next = fit_u32(self.elsewhere.len());
        let place = *self.places.entry(without_zeros(&identity)).or_insert(next);
        if place == next {
            self.elsewhere.push(identity);
        }
        place
    }

    // The order

    pub fn compare_pids(&self, atoms: &Atoms, left: PidId, right: PidId) -> Ordering {
        if left.node() == right.node() && left.node() != NodeId::ELSEWHERE {
            return left.cmp(&right);
        }
        let ((a, id, serial), (b, id2, serial2)) = (self.pid(left), self.pid(right));
        (serial, id).cmp(&(serial2, id2)).then_with(|| compare_names(atoms, a, b))
    }

    pub fn compare_ports(&self, atoms: &Atoms, left: PortId, right: PortId) -> Ordering {
        let ((a, id), (b, id2)) = (self.port(left), self.port(right));
        compare_names(atoms, a, b).then_with(|| id.cmp(&id2))
    }

    pub fn compare_refs(&self, atoms: &Atoms, left: RefId, right: RefId) -> Ordering {
        if left.owner.node() == right.owner.node() && left.owner.node() != NodeId::ELSEWHERE {
            return left.cmp(&right);
        }
        let ((a, words), (b, words2)) = (self.reference(left), self.reference(right));
        let (words, words2) = (significant(words.all()), significant(words2.all()));
        compare_names(atoms, a, b)
            .then_with(|| words.len().cmp(&words2.len()))
            .then_with(|| words.iter().rev().cmp(words2.iter().rev()))
    }

    // Memory

    pub(super) fn n_identities(&self) -> usize {
        self.elsewhere.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.elsewhere.len() * (2 * size_of::<Identity>() + size_of::<u64>())
    }

    pub(super) fn truncate(&mut self, n_identities: usize) {
        for identity in self.elsewhere.drain(n_identities.min(self.elsewhere.len())..) {
            self.places.remove(&without_zeros(&identity));
        }
    }
}

/// On BEAM, the first word of a reference is smaller than this; `list_to_ref/1` refuses larger ones.
pub const FIRST_WORD: u32 = 1 << 18;

/// The words that identify a reference on its node.
#[derive(Clone, Copy, Debug)]
pub enum Words<'a> {
    Own([u32; 3]),
    Kept(&'a [u32]),
}

impl Words<'_> {
    pub fn all(&self) -> &[u32] {
        match self {
            Words::Own(words) => words,
            Words::Kept(words) => words,
        }
    }

    pub fn first(&self) -> u32 {
        self.all().first().copied().unwrap_or(0)
    }
}

/// Returns the identity without high zero words, because references that differ only in these are equal.
fn without_zeros(identity: &Identity) -> Identity {
    let mut res = identity.clone();
    if let Number::Ref(words) = &mut res.number {
        words.truncate(significant(words).len());
    }
    res
}

fn significant(words: &[u32]) -> &[u32] {
    let len = words.iter().rposition(|it| *it != 0).map_or(0, |it| it + 1);
    words.get(..len).unwrap_or_default()
}

fn compare_names(atoms: &Atoms, left: NodeName, right: NodeName) -> Ordering {
    atoms.compare(left.name, right.name).then_with(|| left.creation.cmp(&right.creation))
}
