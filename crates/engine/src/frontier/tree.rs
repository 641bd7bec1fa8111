//! The tree of all paths; common beginnings of paths are stored once.
//!
//! A node is a choice together with all choices before it, and has a child for each alternative that was taken. After
//! equal choices, only pins may differ between runs.

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use term::fit_u32;
use trace::{Choice, Looked};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

#[derive(Debug)]
struct Node {
    /// The parent node and its alternative that leads here.
    above: Above,
    choice: Choice,
}

/// The parent of a node and the alternative that leads to it; `None` for the first choice of a run.
pub(crate) type Above = Option<(NodeId, usize)>;

#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// The nodes, by their parent and a key: 0 for ordinary choices, the hash of the choice for pins and for choices
    /// that contradict an earlier run.
    below: FxHashMap<(Above, u64), NodeId>,
    taken: FxHashSet<(NodeId, usize)>,
}

/// The result of adding a choice of a run to the tree.
pub(crate) struct Met {
    pub(crate) node: NodeId,
    pub(crate) is_new: bool,
    /// An earlier run made another choice here after equal choices.
    pub(crate) is_conflict: bool,
}

impl Tree {
    /// Returns the node of a choice that follows `above`, and adds it if it is new.
    pub(crate) fn meet(&mut self, above: Above, choice: &Choice) -> Met {
        let is_pin = matches!(choice.looked, Looked::Pin(..));
        let plain = if is_pin { hash(choice) } else { 0 };
        let known = self.below.get(&(above, plain)).copied();
        let is_same = |it: &NodeId| {
            let node = self.node(*it);
            node.is_some_and(|it| {
                it.choice.site == choice.site && it.choice.looked == choice.looked
            })
        };
        let is_conflict = known.is_some_and(|it| !is_same(&it));
        let key = if is_conflict { hash(choice) } else { plain };
        let known = self.below.get(&(above, key)).copied().filter(is_same);
        let is_new = known.is_none();
        let node = known.unwrap_or_else(|| self.add(above, key, choice));
        self.taken.insert((node, choice.taken));
        Met { node, is_new, is_conflict }
    }

    pub(crate) fn is_taken(&self, node: NodeId, alternative: usize) -> bool {
        self.taken.contains(&(node, alternative))
    }

    /// Returns the choices from the root to the node, each with the alternative that the path takes; the node's own
    /// choice takes `alternative`.
    pub(crate) fn path(&self, node: NodeId, alternative: usize) -> Vec<(&Choice, usize)> {
        let mut res = Vec::new();
        let mut at = Some((node, alternative));
        while let Some((node, taken)) = at {
            let Some(node) = self.node(node) else { break };
            res.push((&node.choice, taken));
            at = node.above;
        }
        res.reverse();
        res
    }

    pub(crate) fn choice(&self, node: NodeId) -> Option<&Choice> {
        self.node(node).map(|it| &it.choice)
    }

    pub(crate) fn above(&self, node: NodeId) -> Above {
        self.node(node).and_then(|it| it.above)
    }

    fn add(&mut self, above: Above, key: u64, choice: &Choice) -> NodeId {
        let id = NodeId(fit_u32(self.nodes.len()));
        self.nodes.push(Node { above, choice: choice.clone() });
        self.below.insert((above, key), id);
        id
    }

    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }
}

/// Hashes a choice; the result is never 0.
fn hash(choice: &Choice) -> u64 {
    let mut hasher = FxHasher::default();
    choice.site.hash(&mut hasher);
    match &choice.looked {
        Looked::Test(expr) | Looked::Heads(expr, _) => expr.hash(&mut hasher),
        Looked::Pin(expr, value) => (expr, value).hash(&mut hasher),
    }
    hasher.finish() | 1
}
